// A short digest of what people and imports may write into a record: it tells a record that the engine alone has touched
// since from one that somebody changed.
import { hash } from 'node:crypto'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { declaredTypeOf, isConcealed } from '#shared/field-types/registry.ts'

/** Whether the engine may change records by itself: then their version alone says nothing. */
export function derivesValues(schema: ObjectSchema): boolean {
  return schema.fields.some((field) => field.computed && !declaredTypeOf(field).issued)
}

/** The digest of a record's own values. */
export function sealOf(schema: ObjectSchema, record: Readonly<Record<string, unknown>>): string {
  const values = schema.fields.filter(isOwn).map((field) => record[field.name] ?? null)
  return hash('sha256', JSON.stringify([record['owner'] ?? null, ...values]), 'base64url').slice(0, 16)
}

function isOwn(field: FieldSchema): boolean {
  return !field.computed && !isConcealed(field)
}
