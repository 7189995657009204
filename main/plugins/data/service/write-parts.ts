// What every kind of write works with, and what they share: the row meant, its version, the end of chains of writes.
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write, WriteStepwise } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { RecordHooks, RecordLocks } from '../api.ts'
import { getRow } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordDeletion } from './deletion.ts'
import type { PrepareEnv } from './prepare.ts'
import type { RecordRules } from './record-rules.ts'
import type { StoredRows } from './stored-rows.ts'
import type { Summaries } from './summaries.ts'
import type { RecordWriter } from './writer.ts'

/** What writes work with. */
export interface WriteParts {
  readonly read: Reads
  readonly write: Write
  readonly writeStepwise: WriteStepwise
  /** See {@link PluginHost.isBusy}. */
  isBusy(): boolean
  readonly ids: Ids
  readonly secrets: SecretStore
  readonly writer: RecordWriter
  readonly deletion: RecordDeletion
  readonly rows: StoredRows
  readonly rules: RecordRules
  readonly access: RecordAccess
  readonly summaries: Summaries
  authorizer(): Authorizer
  hooks(): RecordHooks | undefined
  locks(): RecordLocks | undefined
  queryEnv(): QueryEnv
  maxBatchRecords(): number
  /** @throws resource_not_found, permission_denied */
  schemaFor(ctx: RequestContext, object: string, action: RecordAction): ObjectSchema
  envFor(ctx: RequestContext, schema: ObjectSchema): PrepareEnv
}

/** Writes caused by writes end here (D-99). */
export const maxWriteDepth = 5

/**
 * Refuses writes that are too far down a chain of writes that cause each other.
 * @throws validation_error
 * @source D-99
 */
export function requireDepth(ctx: RequestContext): void {
  if (ctx.depth < maxWriteDepth) return
  const message = `Writes that cause each other end after ${maxWriteDepth} steps.`
  throw validationError([{ field: '', code: 'rule_violation', message, constraint: maxWriteDepth }], {
    reason: 'recursion',
  })
}

/** The id a text names, as it is stored. @throws validation_error for a text that is none */
export function requireId(given: string): string {
  const id = parseUuid(given)
  if (id !== null) return id
  throw validationError([{ field: 'id', code: 'invalid_uuid', message: 'The id is not a UUID.', value: given }])
}

/** The row of an id, or 404; ids that are no UUID name nothing. @throws resource_not_found */
export function requireRow(
  read: Pick<Reads, 'all' | 'get'>,
  schema: ObjectSchema,
  id: string,
  deletedToo = false,
): Row {
  const row = findRow(read, schema, id)
  if (row === undefined || (row['deleted_at'] !== null && !deletedToo)) throw notFound('record', id, schema.name)
  return row
}

/** The row of an id, deleted or not; undefined when there is none. */
export function findRow(read: Pick<Reads, 'all' | 'get'>, schema: ObjectSchema, id: string): Row | undefined {
  const uuid = parseUuid(id)
  return uuid === null ? undefined : getRow(read, schema, uuid)
}

/**
 * The row of an id for an action of the caller.
 * @throws resource_not_found also for what the caller may not see, permission_denied for what it may only see
 */
export function requireRowFor(
  parts: Pick<WriteParts, 'access'>,
  read: Pick<Reads, 'all' | 'get'>,
  ctx: RequestContext,
  schema: ObjectSchema,
  asked: { readonly id: string; readonly action: RecordAction; readonly deletedToo?: boolean },
): Row {
  const row = requireRow(read, schema, asked.id, asked.deletedToo)
  parts.access.require(read, ctx, schema, row['id'] as string, asked.action, asked.id)
  return row
}

/** Refuses what others must not touch at the moment. @throws record_locked */
export function requireUnlocked(
  { locks }: Pick<WriteParts, 'locks'>,
  read: Pick<Reads, 'get'>,
  ctx: RequestContext,
  schema: ObjectSchema,
  row: Row,
): void {
  const approvalRequestId = locks()?.heldBy(read, ctx, schema, row['id'] as string)
  if (approvalRequestId !== undefined) throw platformError('record_locked', { approvalRequestId })
}

/** Whether an expected version fits the stored one; both are compared as instants, an unreadable token fits nothing. */
function versionFits(expected: string | undefined, current: string): boolean {
  if (expected === undefined || expected === '*' || expected === current) return true
  const ms = Date.parse(expected)
  return !Number.isNaN(ms) && ms === Date.parse(current)
}

/** @throws CONCURRENT_UPDATE when the row has another version than the one expected */
export function requireRowVersion(
  parts: Pick<WriteParts, 'access'>,
  ctx: RequestContext,
  schema: ObjectSchema,
  row: Row,
  expected: string | undefined,
): void {
  if (!versionFits(expected, row['updated_at'] as string)) throw concurrentUpdate(parts, ctx, schema, row)
}

/** The refusal of a write that was based on another version: it names the version and the record as they are now. */
export function concurrentUpdate(
  { access }: Pick<WriteParts, 'access'>,
  ctx: RequestContext,
  schema: ObjectSchema,
  row: Row | undefined,
): Error {
  const currentRecord = row === undefined ? null : access.shown(ctx, schema, codecOf(schema).toRecord(row))
  return platformError('CONCURRENT_UPDATE', { currentVersion: row?.['updated_at'] ?? null, currentRecord })
}
