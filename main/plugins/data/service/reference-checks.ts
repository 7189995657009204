// Whether the records a row points at exist, and whether its trees stay trees. Asked inside the transaction, so that
// records written earlier in it count.
import { platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { writeConditions } from '#main/database/query/build-find.ts'
import { bind, column, rootScope } from '#main/database/query/scope.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { anyRow, leadsUpTo, liveExists } from '../store.ts'
import type { Row } from './codec.ts'
import type { RecordAccess } from './record-access.ts'
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

/** For whom references are checked. */
export interface ReferenceCheck {
  readonly metadata: MetadataService
  readonly access: RecordAccess
  readonly ctx: RequestContext
  queryEnv(): QueryEnv
}

/**
 * Every relation must name live records the caller may read and its filter admits (D-94), and no record may stand above
 * itself. Whoever adds a detail to a master changes the master (D-46).
 * @param stored the row as it is: what it names already may stay; null for a new record
 * @throws validation_error, permission_denied
 */
export function checkReferences(
  tx: Tx,
  { metadata, access, ctx, queryEnv }: ReferenceCheck,
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  row: Row,
  stored: Row | null,
): void {
  const isFree = access.isFree(ctx)
  const problems: FieldError[] = []
  for (const field of fields) {
    if (field.system || !codecOf(schema).relations.includes(field)) continue
    for (const { path, object, id } of targetsOf(schema, field, row)) {
      const target = metadata.objectSchema(object)
      const isLive = target !== undefined && !target.abstract && liveExists(tx, target.table, id)
      const isNew = !isFree && isLive && !named(schema, field, stored).has(id)
      const reach = isNew ? access.reach(tx, ctx, target, id, field.type === 'master_detail' ? 'edit' : 'read') : 'open'
      if (!isLive || reach === 'none') {
        problems.push(invalid(path, `There is no such record of "${object}".`, id))
      } else if (reach === 'seen') {
        throw platformError('permission_denied', { object, action: 'edit', fields: [field.name] })
      } else if (!admits(tx, target, field.settings.referenceFilters, id, queryEnv)) {
        problems.push(invalid(path, `The filter of the field does not admit this record of "${object}".`, id))
      } else if (field.type === 'tree' && row['id'] !== undefined && closesRing(tx, schema, field, row['id'], id)) {
        problems.push(invalid(path, 'The record would stand above itself.', id))
      }
    }
  }
  if (problems.length > 0) throw validationError(problems)
}

/** Whether a stored record passes the filter of a relation to its object; null and absent admit all. */
function admits(tx: Tx, target: ObjectSchema, filter: unknown, id: string, queryEnv: () => QueryEnv): boolean {
  if (filter === undefined || filter === null) return true
  // The definition's filter holds for everybody alike, whatever the writer may read.
  const env: QueryEnv = { ...queryEnv(), canRead: undefined, rowCondition: undefined }
  const scope = rootScope(target, env)
  const conditions = [
    `${column(scope, 'id')} = ${bind(scope, id)}`,
    ...writeConditions(scope, resolveFilter(target, parseFilter(filter), env), 'exclude'),
  ]
  return anyRow(tx, target, scope.alias, conditions, scope.parameters)
}

/** The ids a field of a stored row names. */
function named(schema: ObjectSchema, field: FieldSchema, stored: Row | null): ReadonlySet<string> {
  return new Set(stored === null ? [] : targetsOf(schema, field, stored).map(({ id }) => id))
}

/** Whether the way up from a parent leads to the record itself. */
export function closesRing(
  tx: Tx,
  schema: ObjectSchema,
  field: FieldSchema,
  id: Row[string] | undefined,
  parentId: string,
): boolean {
  return leadsUpTo(tx, schema, field.column, parentId, id)
}

function invalid(field: string, message: string, value: unknown): FieldError {
  return { field, code: 'invalid_reference', message, value }
}
