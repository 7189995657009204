// Owns reading flows, their runs and schedules, and the cache keys they live under.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, callTagged } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'
import { isStringKey, t } from '../../lib/strings.ts'

/** A flow in a list. */
export type FlowSummary = CallResult<'listFlows'>['flows'][number]

/** One execution of a flow; lists leave its steps out. */
export type Run = CallResult<'getRun'>

/** How a run stands. */
export type RunStatus = Run['status']

/** One execution of a node. */
export type RunStep = NonNullable<Run['steps']>[number]

/** When a flow starts by itself. */
export type Schedule = CallResult<'listSchedules'>['schedules'][number]

/** What a step can be. */
export type Action = CallResult<'listActions'>['actions'][number]

/** A flow as it is stored, with the version token of what is stored. */
export interface FlowItem {
  item: Readonly<Record<string, unknown>>
  etag: string | undefined
}

/** Everything of automation in the cache. */
export const automationKey = ['automation'] as const

const underWay: ReadonlySet<RunStatus> = new Set(['pending', 'running', 'retrying'])

/** Whether a run changes by itself. */
export function isUnderWay({ status }: Pick<Run, 'status'>): boolean {
  return underWay.has(status)
}

/** All flows by name. */
export const flowsQuery = queryOptions({
  queryKey: [...automationKey, 'flows'] as const,
  queryFn: async ({ signal }): Promise<FlowSummary[]> => {
    const flows: FlowSummary[] = []
    let cursor: string | undefined
    do {
      const page = await call('listFlows', {
        query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) },
        signal,
      })
      flows.push(...page.flows)
      cursor = page.hasMore ? page.nextCursor : undefined
    } while (cursor !== undefined)
    return flows
  },
  refetchInterval: 15_000,
})

/** One flow. @throws ApiError flow_not_found */
export function flowQuery(name: string) {
  return queryOptions({
    queryKey: [...automationKey, 'flow', name] as const,
    queryFn: async ({ signal }) => call('getFlow', { params: { name }, signal }),
  })
}

/** A flow as it is stored, to be changed. @throws ApiError permission_denied, resource_not_found */
export function flowItemQuery(name: string) {
  return queryOptions({
    // Apart from the others: what is being edited is exchanged after a save only, and never under somebody's hands.
    queryKey: ['flow-item', name] as const,
    queryFn: async ({ signal }): Promise<FlowItem> => {
      const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'flow', name }, signal })
      return { item: result.item, etag }
    },
    staleTime: Infinity,
    gcTime: 0,
  })
}

/** What steps can be, by category. */
export const actionsQuery = queryOptions({
  queryKey: [...automationKey, 'actions'] as const,
  queryFn: async ({ signal }) =>
    (await call('listActions', { query: { paradigm: 'flow' }, signal })).actions.map((action) => ({
      ...action,
      name: stepText(action.type, 'name') ?? action.name,
      description: stepText(action.type, 'does') ?? action.description,
    })),
  staleTime: 60_000,
})

/** What a type of step is called, or does, in the person's language; undefined for types that are not of Cairn. */
function stepText(type: string, what: 'name' | 'does'): string | undefined {
  const key = `step.${type}.${what}`
  return isStringKey(key) ? t(key) : undefined
}

/** The key of everything about the runs of a flow. */
export function runsKey(name: string) {
  return [...automationKey, 'runs', name] as const
}

/** Runs of a flow, newest first, page by page. */
export function runsQuery(name: string, status: RunStatus | '') {
  return infiniteQueryOptions({
    queryKey: [...runsKey(name), 'list', status] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listRuns', {
        params: { name },
        query: {
          limit: 25,
          ...(status === '' ? {} : { status }),
          ...after(pageParam),
        },
        signal,
      }),
    ...paged,
  })
}

/** One run with its steps; the host tells of its beginning and end, what is in between is asked for. */
export function runQuery(name: string, runId: string) {
  return queryOptions({
    queryKey: [...runsKey(name), 'one', runId] as const,
    queryFn: async ({ signal }) => call('getRun', { params: { name, runId }, signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 1_000 : false),
  })
}

/** The form a run waits with; once that is sent there is none, so it is not asked for beside the run. */
export function runScreenQuery(name: string, runId: string) {
  return queryOptions({
    queryKey: [...automationKey, 'screen', name, runId] as const,
    queryFn: async ({ signal }) => (await call('getRunScreen', { params: { name, runId }, signal })).screen,
  })
}

/** The machine that runs schedules, and those that could. */
export type Runner = CallResult<'getSyncRunner'>

/** Which machine runs schedules; it has no machines while sync is off. */
export const runnerQuery = queryOptions({
  queryKey: [...automationKey, 'runner'] as const,
  queryFn: async ({ signal }) => call('getSyncRunner', { signal }),
  refetchInterval: 5_000,
})

/** The schedules of active flows. @throws ApiError permission_denied */
export const schedulesQuery = queryOptions({
  queryKey: [...automationKey, 'schedules'] as const,
  queryFn: async ({ signal }) => (await call('listSchedules', { signal })).schedules,
  refetchInterval: 15_000,
})
