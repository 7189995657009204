// Which fields of an object travel, and how each of them is merged. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FieldMerge, MergedField } from '#main/replication/core/merge-values.ts'

/** What is known of an object's fields for sync. */
export interface SyncedFields {
  /** Fields of the register, with their merge. */
  readonly scalars: readonly SyncedField[]
  /** Long texts, which are documents of their own. */
  readonly texts: readonly FieldSchema[]
  readonly byUid: ReadonlyMap<string, FieldSchema>
  readonly merged: readonly MergedField[]
}

/** A field of the register. */
export interface SyncedField {
  readonly field: FieldSchema
  readonly merge: FieldMerge
}

/** Types whose value is a text of its own document. @source sync.md section 3 */
const longTexts = new Set(['textarea', 'markdown', 'html', 'richtext', 'code'])

/** Lists whose items are objects: they are merged as a whole. */
const wholeLists = new Set(['repeater', 'composite', 'vector'])

const known = new WeakMap<ObjectSchema, SyncedFields>()

/** The fields of an object as sync sees them; the same value for the same schema. */
export function syncedFields(schema: ObjectSchema): SyncedFields {
  let found = known.get(schema)
  if (found === undefined) known.set(schema, (found = compile(schema)))
  return found
}

/** Whether a field's value is made elsewhere or must not leave the machine: formulas, summaries, secrets, passwords. */
export function isSynced(field: FieldSchema): boolean {
  if (field.system || fieldTypeOf(field).concealed !== undefined) return false
  return !field.computed || field.type === 'autonumber'
}

function compile(schema: ObjectSchema): SyncedFields {
  const fields = schema.fields.filter(isSynced)
  const texts = fields.filter((field) => longTexts.has(field.type))
  const scalars = fields
    .filter((field) => !longTexts.has(field.type))
    .map((field): SyncedField => ({ field, merge: mergeOf(field) }))
  return {
    scalars,
    texts,
    byUid: new Map(fields.map((field) => [field.uid, field])),
    merged: scalars.map(({ field, merge }) => ({ uid: field.uid, merge })),
  }
}

function mergeOf(field: FieldSchema): FieldMerge {
  if (field.settings.merge === 'sum') return 'sum'
  return field.multiple && !wholeLists.has(field.type) ? 'members' : 'latest'
}
