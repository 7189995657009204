// What one caller may do with one record, and what it may see of it (D-25, D-45 to D-47). Callers without restrictions
// pass without a statement; what may not be seen is answered like what is not there.
import { notFound, platformError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { matchNone } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { buildCount } from '#main/database/query/build-find.ts'
import { buildCoverage, buildReadable } from '#main/database/query/build-coverage.ts'
import type { PlatformRecord } from '../api.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** How far a caller's rights reach: nothing of it, as far as seeing it, or the action itself. */
type Reach = 'none' | 'seen' | 'open'

/** The rights of callers over single records; one per host. */
export interface RecordAccess {
  /**
   * Refuses an action on a stored record.
   * @param asked the id as the caller wrote it
   * @throws resource_not_found when the caller may not see the record, permission_denied when it may only see it
   */
  require(
    read: Reader,
    ctx: RequestContext,
    schema: ObjectSchema,
    id: string,
    action: RecordAction,
    asked?: string,
  ): void
  /** Whether the caller may do this with a record, or see it. */
  reach(read: Reader, ctx: RequestContext, schema: ObjectSchema, id: string, action: RecordAction): Reach
  /** Which of these records are live and the caller sees; one statement. */
  readable(read: Reader, ctx: RequestContext, schema: ObjectSchema, ids: readonly string[]): ReadonlySet<string>
  /** The record with the fields the caller may read; the same value for callers without restrictions. */
  shown(ctx: RequestContext, schema: ObjectSchema, record: PlatformRecord): PlatformRecord
  /** Whether the caller may read a field. */
  canRead(ctx: RequestContext, schema: ObjectSchema, field: string): boolean
  /** How many live records that pass a filter the caller sees; null when the object is closed to it. */
  countSeen(read: Reader, ctx: RequestContext, schema: ObjectSchema, filter: Filter): number | null
  /** The organization every record of the caller belongs to (D-41); null while organizations are off. */
  organizationOf(ctx: RequestContext): string | null
  /** Whether nothing is hidden from the caller. */
  isFree(ctx: RequestContext): boolean
}

/** Makes the access over the authorizer in force. */
export function createRecordAccess(parts: {
  authorizer(): Authorizer
  /** The world without rights. */
  queryEnv(): QueryEnv
  hasOrganizations(): boolean
}): RecordAccess {
  const { authorizer } = parts
  const envOf = (ctx: RequestContext): QueryEnv => ({ ...parts.queryEnv(), userId: ctx.actor.id })
  const isFree = (ctx: RequestContext): boolean => authorizer().isUnrestricted(ctx)

  const reach: RecordAccess['reach'] = (read, ctx, schema, id, action) => {
    if (isFree(ctx)) return 'open'
    const seen = authorizer().rowCondition(ctx, schema.name, 'read')
    if (seen === false) return 'none'
    const open = action === 'read' ? seen : authorizer().rowCondition(ctx, schema.name, action)
    if (seen === null && open === null) return 'open'
    const row = read.get(buildCoverage(schema, id, seen, open === false ? matchNone : open, envOf(ctx)))
    if (row === undefined || row.seen !== 1) return 'none'
    return row.open === 1 ? 'open' : 'seen'
  }

  const canRead: RecordAccess['canRead'] = (ctx, schema, field) =>
    schema.byName.get(field)?.system === true || authorizer().canField(ctx, schema.name, field, 'readable')

  const organizationOf: RecordAccess['organizationOf'] = (ctx) =>
    ctx.organizationId !== null && parts.hasOrganizations() ? ctx.organizationId : null

  return {
    isFree,
    organizationOf,
    reach,
    canRead,
    require(read, ctx, schema, id, action, asked = id) {
      const reached = reach(read, ctx, schema, id, action)
      if (reached === 'none') throw notFound('record', asked, schema.name)
      if (reached === 'seen') throw platformError('permission_denied', { object: schema.name, action })
    },
    readable(read, ctx, schema, ids) {
      const rows = isFree(ctx) ? null : authorizer().rowCondition(ctx, schema.name, 'read')
      if (rows === false) return new Set()
      return new Set(read.all(buildReadable(schema, ids, rows, envOf(ctx))).map(({ id }) => id))
    },
    shown(ctx, schema, record) {
      if (isFree(ctx)) return record
      const entries = Object.entries(record).filter(([name]) => canRead(ctx, schema, name))
      return withOrganization(Object.fromEntries(entries), organizationOf(ctx))
    },
    countSeen(read, ctx, schema, filter) {
      const rows = authorizer().rowCondition(ctx, schema.name, 'read')
      if (rows === false) return null
      return read.get(buildCount(schema, { filter, rowCondition: rows }, envOf(ctx)))!.total
    },
  }
}

/** Shows the organization a record belongs to; a caller sees records of one organization only. */
export function withOrganization(record: PlatformRecord, organizationId: string | null): PlatformRecord {
  if (organizationId !== null) record['organization_id'] = organizationId
  return record
}
