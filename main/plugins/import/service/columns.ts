// Decides which field each column fills and turns cells into JSON values of the field's type.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { readCell } from '#shared/field-types/read-cell.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ImportInput } from '../api.ts'

/** A column and the field it fills. */
export interface MappedColumn {
  readonly column: string
  readonly field: FieldSchema
}

/**
 * Maps the columns of the rows.
 * @throws validation_error naming every column without a field and every mapping to an unknown field
 */
export function mapColumns(schema: ObjectSchema, input: ImportInput): MappedColumn[] {
  const columns = new Set<string>()
  for (const row of input.rows) for (const name of Object.keys(row)) columns.add(name)
  const problems: FieldError[] = []
  const mapped: MappedColumn[] = []
  for (const column of columns) {
    const target = Object.hasOwn(input.mapping, column) ? input.mapping[column]! : column
    if (target === '') continue
    const field = schema.byName.get(target) ?? byLabel(schema, target)
    if (field !== undefined) mapped.push({ column, field })
    else {
      problems.push({
        field: column.slice(0, 200),
        code: 'unknown_field',
        message: 'The column matches no field; map it to one, or to "" to leave it out.',
      })
    }
  }
  if (problems.length > 0) throw validationError(problems)
  return mapped
}

/** Spreadsheets head their columns with what people see, so a label is good enough when it is unambiguous. */
function byLabel(schema: ObjectSchema, text: string): FieldSchema | undefined {
  const wanted = text.trim().toLowerCase()
  const found = schema.fields.filter((field) => field.label.toLowerCase() === wanted)
  return found.length === 1 ? found[0] : undefined
}

/** Makes the reader of cells. What cannot be read stays text, so that the field's own rule refuses it by name. */
export function createCellReader(
  input: Pick<ImportInput, 'trimWhitespace' | 'nullValues'>,
  env: ParseEnv,
): (cell: unknown, field: FieldSchema) => unknown {
  const nulls = new Set(input.nullValues)
  return (cell, field) => {
    if (typeof cell !== 'string') return field.system ? cell : readCell(cell, field, env)
    const text = input.trimWhitespace ? cell.trim() : cell
    if (text === '' || nulls.has(text)) return null
    return field.system ? text : readCell(text, field, env)
  }
}
