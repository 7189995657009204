// Handlers of the automation routes: request words to service calls and back.
import type { automationRoutes } from '#shared/contracts/automation.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { StartInput } from './api.ts'
import type { AutomationCore } from './service.ts'
import type { RunRow } from './store.ts'
import { describeActions } from './service/catalogue.ts'
import { defaultWaitMs } from './service/triggering.ts'

type Body = Readonly<Record<string, unknown>>
type WaitQuery = { readonly waitMs?: number | undefined; readonly async?: boolean | undefined }

/** Members of a trigger's body that mean something by themselves. */
const inputKeys: ReadonlySet<string> = new Set(['record', 'object', 'event', 'userId', 'params', 'recordId'])
const open: ReadonlySet<string> = new Set(['pending', 'running', 'retrying'])

/** Makes the handlers. */
export function automationHandlers(core: AutomationCore): Handlers<typeof automationRoutes> {
  const { flows, view, acts, triggering, schedules, types } = core

  const runOf = (ctx: RequestContext, { name, runId }: { name: string; runId: string }): RunRow =>
    view.require(ctx, flows.require(ctx, name), runId)

  /** What a trigger by name answers of a run: its output, or why it failed (D-157). */
  const resultOf = (ctx: RequestContext, run: RunRow): unknown => {
    const error = view.cause(ctx, run)
    if (error !== undefined) return { error: { ...error, runId: run.id } }
    return run.output === null ? undefined : (JSON.parse(run.output) as unknown)
  }

  const startNamed = async (ctx: RequestContext, trigger: string, payload: Body, query: WaitQuery) => {
    const runs = await triggering.startNamed(ctx, trigger, inputOf(payload), { waitMs: waitOf(query) })
    const results = runs.map(({ name, run }) => [name, resultOf(ctx, run)] as const)
    const isOne = results.length === 1
    const success = runs.every(
      ({ run }) => open.has(run.status) || run.status === 'completed' || run.status === 'paused',
    )
    const result = isOne ? results[0]![1] : Object.fromEntries(results)
    return { success, jobId: runs[0]!.run.id, ...(result === undefined ? {} : { result }) }
  }

  return {
    listFlows: (ctx, { query }) => flows.list(ctx, query),
    createFlow: (ctx, { body }) => flows.create(ctx, body),
    getFlow: (ctx, { params }) => flows.get(ctx, params.name),
    updateFlow: (ctx, { params, body, headers }) => flows.update(ctx, params.name, body, headers['if-match']),
    deleteFlow: (ctx, { params, headers }) => flows.remove(ctx, params.name, headers['if-match']),
    async toggleFlow(ctx, { params, body }) {
      const toggled = await flows.toggle(ctx, params.name, body.enabled)
      // A schedule that comes back counts from now.
      await core.alarm.ring()
      return toggled
    },
    async triggerFlow(ctx, { params, query, body }) {
      const known = flows.require(ctx, params.name)
      const type = known.flow.type === 'screen' ? 'screen' : 'manual'
      const run = await triggering.start(ctx, known, inputOf(body ?? {}), { waitMs: waitOf(query), type })
      const result = view.result(ctx, run)
      return new Reply(result, { status: open.has(run.status) ? 202 : 200 })
    },
    triggerByName: (ctx, { query, body }) => startNamed(ctx, body.trigger, body.payload ?? {}, query),
    triggerNamed: (ctx, { params, query, body }) => startNamed(ctx, params.trigger, body ?? {}, query),
    async sendSignal(ctx, { params, body }) {
      return { resumed: await acts.signal(ctx, params.signal, body ?? {}) }
    },
    listSchedules: () => ({ schedules: schedules.list() }),
    pauseSchedule: (ctx, { params }) => {
      flows.require(ctx, params.name)
      return schedules.setPaused(params.name, true)
    },
    async resumeSchedule(ctx, { params }) {
      flows.require(ctx, params.name)
      const schedule = await schedules.setPaused(params.name, false)
      core.alarm.set()
      return schedule
    },
    listRuns: (ctx, { params, query }) => view.list(ctx, flows.require(ctx, params.name), query),
    getRun: (ctx, { params }) => view.show(ctx, runOf(ctx, params)),
    resumeRun: async (ctx, { params, body }) => view.show(ctx, await acts.resume(ctx, runOf(ctx, params), body ?? {})),
    cancelRun: async (ctx, { params, body }) =>
      view.show(ctx, await acts.cancel(ctx, runOf(ctx, params), body?.reason)),
    retryRun: async (ctx, { params, body }) =>
      view.show(ctx, await acts.retry(ctx, runOf(ctx, params), body?.fromNodeId)),
    getRunScreen: (ctx, { params }) => view.screen(ctx, runOf(ctx, params)),
    listActions: (_ctx, { query }) => describeActions(types, query),
    listConnectors: () => ({ connectors: [], total: 0 }),
  }
}

/** What a trigger says; keys that mean nothing by themselves are params when there are no params (D-156). */
function inputOf(body: Body): StartInput {
  const { record, object, event, userId, params, recordId } = body
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !inputKeys.has(key)))
  return {
    ...(isJsonMap(record) ? { record } : {}),
    ...(typeof object === 'string' ? { object } : {}),
    ...(typeof event === 'string' ? { event } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(typeof recordId === 'string' ? { recordId } : {}),
    params: isJsonMap(params) ? params : rest,
  }
}

function waitOf({ waitMs, async: isAsync }: WaitQuery): number {
  return isAsync === true ? 0 : (waitMs ?? defaultWaitMs)
}
