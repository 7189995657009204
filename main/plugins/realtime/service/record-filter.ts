// Filters of subscriptions: read once, asked for every event, over the record before and after it. Knows no connection.
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { buildFit } from '#main/database/query/build-fit.ts'
import type { Reads } from '#main/kernel/database.ts'

/** How a record stands to a filter after an event. */
export type FilterVerdict = 'in' | 'left' | 'out'

/** A record of an event: field names to values. */
export type EventRecord = Readonly<Record<string, unknown>>

/** The parts of a payload of record events. */
export interface RecordPayload {
  readonly record?: EventRecord
  readonly changes?: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>
}

/**
 * Reads a filter over the record and what it leads to, in the world of the caller.
 * @throws invalid_query, for full text too: what an event tells of is in no index
 * @source D-170
 */
export function readRecordFilter(input: unknown, schema: ObjectSchema, env: QueryEnv): Filter {
  const filter = parseFilter(input)
  if (searches(resolveFilter(schema, filter, env)))
    throw invalidQuery('filter', 'The filter of a subscription cannot search.', { path: '$search' })
  return filter
}

function searches(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.some(searches)
    case 'not':
    case 'some':
    case 'related':
      return searches(filter.child)
    case 'search':
      return true
    case 'condition':
    case 'among':
      return false
  }
}

/** Whether a filter asks for more than the values of one record. */
export function looksElsewhere(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.some(looksElsewhere)
    case 'not':
      return looksElsewhere(filter.child)
    case 'condition':
      return filter.hops.length > 0
    case 'some':
      return filter.hops.length > 0 || looksElsewhere(filter.child)
    case 'among':
      return false
    case 'search':
    case 'related':
      return true
  }
}

/** Whether a record passes a filter; what cannot be asked any more lets nothing through. */
export function fits(
  read: Pick<Reads, 'get'>,
  schema: ObjectSchema,
  record: EventRecord,
  filter: Filter,
  env: QueryEnv,
): boolean {
  try {
    return read.get(buildFit(schema, record, filter, env))?.fits === 1
  } catch {
    // A field that is gone or closed since: the subscription goes quiet rather than wide.
    return false
  }
}

/** How the record of an event stands to a filter: an update may bring it in, leave it in or take it out. */
export function verdictOf(event: PlatformEvent, passes: (record: EventRecord) => boolean): FilterVerdict {
  const { record, changes } = event.payload as RecordPayload
  // Of a purged record nothing but the id is known; it left the filter when it was deleted.
  if (record === undefined || event.type === 'record.purged') return 'out'
  if (passes(record)) return 'in'
  if (event.type !== 'record.updated' || changes === undefined) return 'out'
  const before: Record<string, unknown> = { ...record }
  for (const field in changes) before[field] = changes[field]!.old
  return passes(before) ? 'left' : 'out'
}
