// Decides which field each column fills and turns cells into JSON values of the field's type.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { readCell } from '#shared/field-types/read-cell.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { SourceRow } from './sources.ts'

/** A column and the field it fills. */
export interface MappedColumn {
  readonly column: string
  /** Place of the column among those of the source. */
  readonly at: number
  readonly field: FieldSchema
}

/** Whether the caller may read a field of the object; one it may not read is no field (D-25). */
export type CanRead = (field: string) => boolean

/** The question {@link CanRead} asks, for one caller and object. */
export function readingRight(authorizer: Authorizer, ctx: RequestContext, object: string): CanRead {
  return (field) => authorizer.canField(ctx, object, field, 'readable')
}

/** The field when the caller may read it; system fields it may. */
export function readable(field: FieldSchema | undefined, canRead: CanRead): FieldSchema | undefined {
  return field !== undefined && (field.system || canRead(field.name)) ? field : undefined
}

/**
 * Maps the columns of the rows.
 * @throws validation_error naming every column without a field, every mapping to an unknown field, and every second
 * column of one field
 */
export function mapColumns(
  schema: ObjectSchema,
  columns: readonly string[],
  mapping: Readonly<Record<string, string>>,
  canRead: CanRead,
): MappedColumn[] {
  const problems: FieldError[] = []
  const mapped: MappedColumn[] = []
  const filled = new Set<string>()
  columns.forEach((column, at) => {
    const target = Object.hasOwn(mapping, column) ? mapping[column]! : column
    if (target === '') return
    const field = readable(schema.byName.get(target), canRead) ?? byLabel(schema, target, canRead)
    const name = column.slice(0, 200)
    if (field === undefined) {
      problems.push({
        field: name,
        code: 'unknown_field',
        message: 'The column matches no field; map it to one, or to "" to leave it out.',
      })
    } else if (filled.has(field.name)) {
      problems.push({ field: name, code: 'duplicate_value', message: `Another column fills "${field.name}" too.` })
    } else {
      filled.add(field.name)
      mapped.push({ column, at, field })
    }
  })
  if (problems.length > 0) throw validationError(problems)
  return mapped
}

/** Spreadsheets head their columns with what people see, so a label is good enough when it is unambiguous. */
function byLabel(schema: ObjectSchema, text: string, canRead: CanRead): FieldSchema | undefined {
  const wanted = text.trim().toLowerCase()
  const found = schema.fields.filter((field) => field.label.toLowerCase() === wanted && readable(field, canRead))
  return found.length === 1 ? found[0] : undefined
}

/** The cell of a column; undefined when the row does not name it. */
export function cellOf(row: SourceRow, { column, at }: Pick<MappedColumn, 'column' | 'at'>): unknown {
  if (Array.isArray(row)) return (row as readonly unknown[])[at] ?? null
  return Object.hasOwn(row, column) ? (row as Readonly<Record<string, unknown>>)[column] : undefined
}

/** How cells are read. */
export interface CellOptions {
  /** False: cells are taken as they are written, an empty text too where it is told from nothing. */
  readonly trimWhitespace: boolean
  readonly nullValues: readonly string[]
  /** Whether the cells come from a spreadsheet, where dates are numbers and everything may be typed as a number. */
  readonly fromSheet: boolean
}

/** Makes the reader of cells. What cannot be read stays text, so that the field's own rule refuses it by name. */
export function createCellReader(options: CellOptions, env: ParseEnv): (cell: unknown, field: FieldSchema) => unknown {
  const nulls = new Set(options.nullValues)
  return (given, field) => {
    const cell = options.fromSheet ? readSheetCell(given, field) : given
    if (typeof cell !== 'string') return field.system ? cell : readCell(cell, field, env)
    const text = options.trimWhitespace ? cell.trim() : cell
    if (nulls.has(text) || (text === '' && (options.trimWhitespace || field.system))) return null
    return field.system ? text : readCell(text, field, env)
  }
}

/** The text that a typed cell stands for, unless the field takes the type itself. */
function readSheetCell(cell: unknown, field: FieldSchema): unknown {
  if (typeof cell === 'number') {
    const date = readSerialDate(cell, field.type)
    if (date !== null) return date
  }
  if (typeof cell !== 'number' && typeof cell !== 'boolean') return cell
  const takesIt = fieldTypeOf(field).storage === 'boolean' ? typeof cell === 'boolean' : field.sqlType !== 'TEXT'
  return takesIt ? cell : String(cell)
}

const dayMs = 86_400_000
/** Day zero; the calendar of spreadsheets knows a 29 February 1900 that never was, so days before March 1900 are off. */
const dayZero = Date.UTC(1899, 11, 30)
/** 9999-12-31. */
const lastDay = 2_958_465

/** The text of a number in a field for dates or times; null for other fields and for numbers that are no date. */
export function readSerialDate(serial: number, fieldType: string): string | null {
  if (serial < 0 || serial >= lastDay + 1) return null
  if (fieldType === 'time') return serial < 1 ? textOf(serial).slice(11) : null
  if (fieldType === 'date') return Number.isInteger(serial) && serial >= 1 ? textOf(serial).slice(0, 10) : null
  return fieldType === 'datetime' && serial >= 1 ? textOf(serial) : null
}

/** To the second: fractions of a day cannot hold more. */
function textOf(serial: number): string {
  const ms = dayZero + Math.round((serial * dayMs) / 1000) * 1000
  return new Date(ms).toISOString().slice(0, 19)
}
