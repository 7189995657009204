// Which fields of a record a change of its row touches, and their values before and after. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Row } from './codec.ts'
import { codecOf, sameValue } from './codec.ts'

/** Values before and after by field, as events carry them. */
export type ValueChanges = Record<string, { old: unknown; new: unknown }>

/** The columns whose value differs from the stored one. */
export function differing(stored: Row, columns: Row): Row {
  const changed: Row = {}
  for (const column of Object.keys(columns)) {
    if (!sameValue(columns[column], stored[column])) changed[column] = columns[column]!
  }
  return changed
}

/** Whether one of a field's columns is among the given ones. */
export function touches(field: FieldSchema, columns: Row): boolean {
  return Object.hasOwn(columns, field.column) || field.extraColumns.some((extra) => Object.hasOwn(columns, extra.name))
}

/** What every write sets, and what says when and by whom a record was deleted: no part of what changed. */
const marks: ReadonlySet<string> = new Set(['updated_at', 'updated_by', 'deleted_at', 'deleted_by'])

/** The values that differ by field, but for {@link marks}. */
export function changesOf(schema: ObjectSchema, stored: Row, row: Row, columns: Row): ValueChanges {
  const codec = codecOf(schema)
  const changes: ValueChanges = {}
  for (const field of codec.allFields) {
    if (marks.has(field.name) || !touches(field, columns)) continue
    changes[field.name] = { old: codec.value(stored, field), new: codec.value(row, field) }
  }
  return changes
}
