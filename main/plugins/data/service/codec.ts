// Translates between rows of an object's table and records of the API. Compiled once per object schema.
import { declaredTypeOf, fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformRecord } from '../api.ts'

/** A row as SQLite gives it: column names to values. */
export type Row = Record<string, SqlValue>

/** Reads rows of one object. */
export interface RecordCodec {
  /** Every column of the table, in order of definition; also the order of INSERT values. */
  readonly columns: readonly string[]
  /** System fields first, then the defined ones. */
  readonly allFields: readonly FieldSchema[]
  /** Defined fields whose value names records of another object. */
  readonly relations: readonly FieldSchema[]
  readonly autonumbers: readonly FieldSchema[]
  /** Fields whose value names stored files. */
  readonly files: readonly FieldSchema[]
  /** Fields whose text is stored hashed or sealed: passwords and secrets. */
  readonly sealed: readonly FieldSchema[]
  /** Whether any field or index is unique. */
  readonly hasUnique: boolean
  /** The complete record (D-53): system fields, then the defined ones in display order; without deletion marks. */
  toRecord(row: Row): PlatformRecord
  /** The JSON value of one field. */
  value(row: Row, field: FieldSchema): unknown
}

/** Whether two column values are the same; bytes are compared by content. */
export function sameValue(a: SqlValue | undefined, b: SqlValue | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  return (a ?? null) === (b ?? null)
}

/** Whether the field's text is stored in another form than it was given: hashed, or sealed. */
export function isSealed(field: Pick<FieldSchema, 'type'>): boolean {
  return fieldTypeOf(field).concealed !== undefined
}

type Reader = (row: Row) => unknown

interface Slot {
  readonly name: string
  readonly column: string
  /** Undefined when the column's value is the JSON value. */
  readonly read: Reader | undefined
}

const codecs = new WeakMap<ObjectSchema, RecordCodec>()

/** The codec of a schema; the same one for the same schema value. */
export function codecOf(schema: ObjectSchema): RecordCodec {
  let codec = codecs.get(schema)
  if (codec === undefined) {
    codec = compile(schema)
    codecs.set(schema, codec)
  }
  return codec
}

function compile(schema: ObjectSchema): RecordCodec {
  const allFields = [...schema.systemFields, ...schema.fields]
  const slots = schema.visibleFields.map(slotOf)
  const readers = new Map(allFields.map((field) => [field.name, readerOf(field)]))

  return {
    allFields,
    relations: schema.fields.filter(
      (field) => field.type === 'record' || (field.type !== 'user' && fieldTypeOf(field).relation === true),
    ),
    files: schema.fields.filter((field) => fieldTypeOf(field).file === true),
    autonumbers: schema.fields.filter((field) => declaredTypeOf(field).issued),
    sealed: schema.fields.filter(isSealed),
    hasUnique: schema.fields.some((field) => field.unique) || schema.indexes.some((index) => index.unique),
    columns: allFields.flatMap((field) => [field.column, ...field.extraColumns.map((extra) => extra.name)]),
    toRecord(row) {
      const record: PlatformRecord = {}
      for (const slot of slots) {
        record[slot.name] = slot.read === undefined ? row[slot.column] : slot.read(row)
      }
      return record
    },
    value(row, field) {
      const read = readers.get(field.name)
      return read === undefined ? row[field.column] : read(row)
    },
  }
}

function slotOf(field: FieldSchema): Slot {
  return { name: field.name, column: field.column, read: readerOf(field) }
}

function readerOf(field: FieldSchema): Reader | undefined {
  const type = fieldTypeOf(field)
  const { column } = field
  if (type.fromColumns !== undefined && field.extraColumns.length > 0) {
    const extras = field.extraColumns.map((extra) => extra.name)
    const fromColumns = type.fromColumns
    return (row) =>
      fromColumns(
        row[column]!,
        extras.map((name) => row[name]!),
        field,
      )
  }
  if (type.storage === 'boolean') return (row) => (row[column] === null ? null : row[column] === 1)
  if (type.storage === 'plain' && !field.multiple) return undefined
  return (row) => (row[column] === null ? null : type.fromColumn(row[column]!, field))
}
