// What one caller sees of an event about a record: nothing, or the payload without the fields it may not read. Rights
// are those of the moment the event is sent. Knows no connection.
import type { PlatformEvent } from '#shared/events.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { EventRecord, RecordPayload } from './record-filter.ts'
import { fits, looksElsewhere } from './record-filter.ts'

/** A payload as it is sent; null when the receiver learns nothing of the event. */
export type SeenPayload = Readonly<Record<string, unknown>> | null

/** What views of records work with. */
export interface RecordViewParts {
  readonly read: Reads
  readonly data: Pick<DataService, 'reach' | 'shown' | 'canReadField'>
  authorizer(): Authorizer
  schemaOf(object: string): ObjectSchema | undefined
  /** The world without rights. */
  queryEnv(ctx: RequestContext): QueryEnv
}

/** Views of record events. */
export interface RecordViews {
  /** Whether the caller may read the record now; for one that is gone, whether it could have. */
  canSee(ctx: RequestContext, event: Pick<PlatformEvent, 'object' | 'recordId' | 'payload' | 'type'>): boolean
  payloadOf(ctx: RequestContext, event: PlatformEvent): SeenPayload
}

/** Makes the views. */
export function createRecordViews(parts: RecordViewParts): RecordViews {
  const { read, data, authorizer } = parts

  /** A row that is no more is judged by what the event says it was; a purge says nothing but the id. */
  const couldSeeGone = (ctx: RequestContext, object: string, record: EventRecord | null): boolean => {
    const schema = parts.schemaOf(object)
    const rows = authorizer().rowCondition(ctx, object, 'read')
    if (schema === undefined || rows === false || authorizer().closedBecause?.(ctx) !== undefined) return false
    if (rows === null) return true
    if (record === null) return false
    const env = parts.queryEnv(ctx)
    return !looksElsewhere(resolveFilter(schema, rows, env)) && fits(read, schema, record, rows, env)
  }

  const canSee: RecordViews['canSee'] = (ctx, { object, recordId: id, payload, type }) => {
    if (object === undefined || id === undefined) return false
    if (authorizer().isUnrestricted(ctx)) return true
    if (data.reach(ctx, { object, id, action: 'read' }) === 'open') return true
    if (type !== 'record.deleted' && type !== 'record.purged') return false
    const isGone = parts.schemaOf(object) !== undefined && !isStored(read, parts.schemaOf(object)!, id)
    if (!isGone) return false
    const { record } = payload as RecordPayload
    return couldSeeGone(ctx, object, type === 'record.purged' ? null : (record ?? null))
  }

  return {
    canSee,
    payloadOf(ctx, event) {
      if (!canSee(ctx, event)) return null
      const object = event.object!
      if (event.type === 'record.deleted' || event.type === 'record.purged') return { record: { id: event.recordId } }
      const { record = {}, changes } = event.payload as RecordPayload
      if (authorizer().isUnrestricted(ctx)) return changes === undefined ? { record } : { record, changes }
      const shown = data.shown(ctx, object, record)
      if (changes === undefined) return { record: shown }
      // An update with no change to see is sent all the same: `updated_at` is the version the next save must name.
      const seen = Object.entries(changes).filter(([field]) => data.canReadField(ctx, object, field))
      return { record: shown, changes: Object.fromEntries(seen) }
    },
  }
}
