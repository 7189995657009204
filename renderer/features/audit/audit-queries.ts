// Owns reading the audit log, and the cache keys it lives under.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'

/** One entry. */
export type AuditEntry = CallResult<'listAudit'>['entries'][number]

/** What a check of the chain found. */
export type AuditVerification = CallResult<'verifyAudit'>

/** How an entry ended. */
export type AuditOutcome = AuditEntry['outcome']

/** What entries are asked for; absent members do not narrow. Dates are days, `until` inclusive. */
export interface AuditFilter {
  kind?: string
  actor?: string
  object?: string
  outcome?: AuditOutcome
  since?: string
  until?: string
}

const outcomes: readonly AuditOutcome[] = ['ok', 'denied', 'failed']
const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** The filter in the search part of an address; what is not understood does not narrow. */
export function filterOfAddress(parameters: URLSearchParams): AuditFilter {
  const text = (name: string): string | undefined => parameters.get(name) || undefined
  const day = (name: string): string | undefined => {
    const value = text(name)
    return value !== undefined && dayPattern.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined
  }
  const outcome = outcomes.find((each) => each === parameters.get('outcome'))
  const filter = {
    kind: text('kind'),
    actor: text('actor'),
    object: text('object'),
    outcome,
    since: day('since'),
    until: day('until'),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as AuditFilter
}

/** The filter as the host asks for it: days become moments of the own time zone. */
export function queryOfFilter(filter: AuditFilter): Record<string, string> {
  const moment = (day: string, days: number): string => {
    const date = new Date(`${day}T00:00:00`)
    date.setDate(date.getDate() + days)
    return date.toISOString()
  }
  return {
    ...(filter.kind === undefined ? {} : { kind: filter.kind }),
    ...(filter.actor === undefined ? {} : { actorId: filter.actor }),
    ...(filter.object === undefined ? {} : { object: filter.object }),
    ...(filter.outcome === undefined ? {} : { outcome: filter.outcome }),
    ...(filter.since === undefined ? {} : { since: moment(filter.since, 0) }),
    ...(filter.until === undefined ? {} : { until: moment(filter.until, 1) }),
  }
}

/** Entries, newest first, page by page. @throws ApiError permission_denied */
export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['audit', 'entries', filter] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listAudit', {
        query: { ...queryOfFilter(filter), limit: 50, ...after(pageParam) },
        signal,
      }),
    ...paged,
  })
}

/** The kinds of entries there are. */
export const auditKindsQuery = queryOptions({
  queryKey: ['audit', 'kinds'] as const,
  queryFn: async ({ signal }) => (await call('listAuditKinds', { signal })).kinds,
  staleTime: 60_000,
})
