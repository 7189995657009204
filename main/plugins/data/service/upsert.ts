// Finds the record an upsert means: by id, else by external id (D-64).
import { validationError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { findUniqueClash } from '#main/database/query/unique-clash.ts'
import { quoteLiteral } from '#main/database/schema/sql-text.ts'
import type { BulkItem } from '../api.ts'
import { findTrashed, getRow, quote } from '../store.ts'
import type { Row } from './codec.ts'
import type { PrepareEnv } from './prepare.ts'
import { requireId } from './write-parts.ts'

/** The matching row, deleted or not, and the values a new record takes over from the match. */
export interface UpsertMatch {
  readonly row: Row | undefined
  readonly values: Record<string, unknown>
}

/**
 * Looks the record up. Without id and external id nothing matches and a record is created.
 * @throws validation_error when the external id names no unique field
 */
export function findUpsertMatch(
  read: Pick<Tx, 'all' | 'get'>,
  schema: ObjectSchema,
  item: BulkItem,
  env: PrepareEnv,
  queryEnv: QueryEnv,
): UpsertMatch {
  if (item.id !== undefined) {
    const id = requireId(item.id)
    return { row: getRow(read, schema, id), values: { id } }
  }
  if (item.externalId === undefined) return { row: undefined, values: {} }
  const { field, value } = externalField(schema, item.externalId, (name) => env.canRead?.(name) !== false)
  const parsed = fieldTypeOf(field).parse(value, field, env)
  if (!parsed.ok) throw validationError(parsed.errors)
  return { row: findRow(read, schema, field, parsed.value, queryEnv), values: { [field.name]: value } }
}

/** The live record with the value, else a deleted one. The live search uses the field's index, the other the trash's. */
function findRow(
  read: Pick<Tx, 'all' | 'get'>,
  schema: ObjectSchema,
  field: FieldSchema,
  value: unknown,
  env: QueryEnv,
): Row | undefined {
  const live = findUniqueClash(schema, { fields: [field], where: null }, { [field.name]: value }, null, env)
  const found = live === null ? undefined : read.get(live)
  if (found !== undefined) return getRow(read, schema, found.id)
  const column = quote(field.column)
  const compare = field.caseSensitive ? `${column} = ?` : `cairn_fold(${column}) = cairn_fold(?)`
  const organization = env.recordOrganization?.(schema.uid, `${quote(schema.table)}.id`, quoteLiteral)
  const within = organization === undefined ? [] : [`${organization} IS ?`]
  const values = [
    fieldTypeOf(field).toColumn(value, field),
    ...(within.length === 0 ? [] : [env.organizationId ?? null]),
  ]
  const deleted = findTrashed(read, schema, [compare, ...within], values)
  return deleted === undefined ? undefined : getRow(read, schema, deleted)
}

function externalField(
  schema: ObjectSchema,
  externalId: NonNullable<BulkItem['externalId']>,
  canRead: (field: string) => boolean,
): { field: FieldSchema; value: unknown } {
  if (typeof externalId === 'object') {
    const field = schema.byName.get(externalId.field)
    if (field !== undefined && field.unique && !field.system && canRead(field.name))
      return { field, value: externalId.value }
    throw refuse('externalId.field', 'The field is not unique, so it cannot name a record.')
  }
  const fields = schema.fields.filter((field) => field.externalId && canRead(field.name))
  if (fields.length === 1) return { field: fields[0]!, value: externalId }
  throw refuse('externalId', 'The object has no single external id field; name one as {field, value}.')
}

function refuse(field: string, message: string): Error {
  return validationError([{ field, code: 'not_allowed', message }])
}
