// Whether the records a row points at exist, and whether its trees stay trees. Asked inside the transaction, so that
// records written earlier in it count.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { liveExists, quote } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'

/** A record as a relation names it. */
interface Target {
  /** Path of the value inside of the record. */
  readonly path: string
  readonly object: string
  readonly id: string
}

/** The records a field of a row names. */
export function targetsOf(schema: ObjectSchema, field: FieldSchema, row: Row): Target[] {
  const value = codecOf(schema).value(row, field)
  if (value === null || value === undefined) return []
  return [value].flat().map((item: unknown, index) => {
    const path = Array.isArray(value) ? `${field.name}.${index}` : field.name
    if (field.type === 'record') return { path, ...(item as { object: string; id: string }) }
    return { path, object: targetObject(schema, field), id: item as string }
  })
}

/** The object a relation of one object points at; a tree points at its own. */
export function targetObject(schema: ObjectSchema, field: FieldSchema): string {
  return field.type === 'tree' ? schema.name : field.reference!
}

/** Every relation must name live records, and no record may stand above itself. @throws validation_error */
export function checkReferences(
  tx: Tx,
  metadata: MetadataService,
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  row: Row,
): void {
  const problems: FieldError[] = []
  for (const field of fields) {
    if (field.system || !codecOf(schema).relations.includes(field)) continue
    for (const { path, object, id } of targetsOf(schema, field, row)) {
      const target = metadata.objectSchema(object)
      if (target === undefined || target.abstract || !liveExists(tx, target.table, id)) {
        problems.push(invalid(path, `There is no such record of "${object}".`, id))
      } else if (field.type === 'tree' && row['id'] !== undefined && closesRing(tx, schema, field, row['id'], id)) {
        problems.push(invalid(path, 'The record would stand above itself.', id))
      }
    }
  }
  if (problems.length > 0) throw validationError(problems)
}

/** Whether the way up from a parent leads to the record itself. */
export function closesRing(
  tx: Tx,
  schema: ObjectSchema,
  field: FieldSchema,
  id: Row[string] | undefined,
  parentId: string,
): boolean {
  const up = quote(field.column)
  // UNION rather than UNION ALL: a ring that is stored already ends the walk.
  const sql = `WITH RECURSIVE above(id) AS (
      SELECT ? UNION SELECT ${up} FROM ${quote(schema.table)} AS t JOIN above ON t.id = above.id WHERE ${up} IS NOT NULL
    ) SELECT 1 FROM above WHERE id = ?`
  return tx.get(statement(sql, [parentId, id])) !== undefined
}

function invalid(field: string, message: string, value: unknown): FieldError {
  return { field, code: 'invalid_reference', message, value }
}
