// Runs as their endpoints show them (D-158): which of them a caller sees, and how much of each.
import type { z } from 'zod'
import type { Run, RunStatus, RunStep, TriggerResult } from '#shared/contracts/automation.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import { cutPage, readPage } from '#main/kernel/list-page.ts'
import { PlatformError } from '#shared/errors.ts'
import { automationError, automationErrors } from '../errors.ts'
import type { RunFilter, RunRow, StepRow } from '../store.ts'
import { countRuns, getRun, listRuns, stepsOf, waitingSteps } from '../store.ts'
import type { Caller } from './caller.ts'
import { belongsTo } from './caller.ts'
import { masked } from './engine/masks.ts'
import type { KnownFlow } from './flow-book.ts'
import type { RunRights } from './run-rights.ts'

type ShownRun = z.input<typeof Run>
type ShownStep = z.input<typeof RunStep>

/** Runs for their endpoints. */
export interface RunView {
  list(
    ctx: RequestContext,
    known: KnownFlow,
    query: { status?: RunStatus | undefined; limit?: number | undefined; cursor?: string | undefined },
  ): { runs: ShownRun[]; total: number; nextCursor?: string; hasMore: boolean }
  /** A run the caller may see. @throws execution_not_found */
  require(ctx: RequestContext, known: KnownFlow, runId: string): RunRow
  /** A run the caller may act on: its own, or any for those who manage flows. @throws execution_not_found */
  show(ctx: RequestContext, run: RunRow): ShownRun
  /** The form a run waits with. @throws run_not_resumable */
  screen(ctx: RequestContext, run: RunRow): { runId: string; nodeId: string; screen: Screen }
  /** What a trigger answers. @throws execution_failed, execution_timeout, node_executor_not_found */
  result(ctx: RequestContext, run: RunRow): z.input<typeof TriggerResult>
  /** Why a run failed, as far as the caller may know; undefined of one that did not. */
  cause(ctx: RequestContext, run: RunRow): Cause | undefined
}

type Screen = { title?: string; fields: Record<string, unknown>[]; submitLabel?: string }

/** What showing runs needs. */
export interface RunViewParts {
  readonly read: Reads
  readonly authorizer: () => Authorizer
  readonly rights: RunRights
  readonly isAdministrator: (ctx: RequestContext) => boolean
  /** Whether runs are those of one organization (D-41). */
  readonly hasOrganizations: () => boolean
  readonly now: () => number
}

const pageBounds = { usual: 20, most: 100 }

/** Makes the view. */
export function createRunView(parts: RunViewParts): RunView {
  const { read, authorizer, rights: judge, isAdministrator, hasOrganizations, now } = parts

  /** What a run holds was read with its user's rights: it is shown while these are the same, and to administrators. */
  const seesContent = (ctx: RequestContext, run: RunRow): boolean => {
    const { organizationId, rights } = JSON.parse(run.caller) as Caller
    if (organizationId !== ctx.organizationId) return false
    if (isAdministrator(ctx)) return true
    const isOwn = run.runAs === 'user' && run.userId === ctx.actor.id
    return isOwn && rights !== null && rights === authorizer().fingerprint(ctx)
  }

  const cause: RunView['cause'] = (ctx, run) => {
    if (run.error === null) return undefined
    const error = withoutKeys(run.error)
    // What calls for the host passes on what it is told.
    return ctx.credential !== 'internal' && seesContent(ctx, run) ? error : bareError(error)
  }

  const head = (run: RunRow, isOpen: boolean): ShownRun => {
    const error = run.error === null ? undefined : withoutKeys(run.error)
    return {
      id: run.id,
      flowName: run.flowName,
      flowVersion: run.flowVersion,
      status: run.status,
      trigger: {
        type: run.triggerType,
        ...(run.object === null ? {} : { object: run.object }),
        ...(run.recordId === null || !isOpen ? {} : { recordId: run.recordId }),
        ...(run.event === null ? {} : { event: run.event }),
        ...(run.userId === null ? {} : { userId: run.userId }),
      },
      runAs: run.runAs,
      params: isOpen ? (masked((JSON.parse(run.input) as { params: unknown }).params) as Record<string, unknown>) : {},
      ...(isOpen && run.output !== null ? { output: masked(JSON.parse(run.output)) } : {}),
      ...(error === undefined ? {} : { error: isOpen ? error : bareError(error) }),
      attempt: run.attempt,
      ...(run.parentRunId === null ? {} : { parentRunId: run.parentRunId }),
      createdAt: run.createdAt,
      ...(run.startedAt === null ? {} : { startedAt: run.startedAt }),
      ...(run.completedAt === null
        ? {}
        : { completedAt: run.completedAt, durationMs: between(run.startedAt ?? run.createdAt, run.completedAt) }),
      ...(run.resumeAt === null ? {} : { resumeAt: run.resumeAt }),
      ...(isOpen ? {} : { withheld: true as const }),
    }
  }

  const screenOf = (run: RunRow): { nodeId: string; screen: Screen } | undefined => {
    for (const { nodeId, wait } of waitingSteps(read, run.id)) {
      const { type, screen } = JSON.parse(wait ?? '{}') as { type?: string; screen?: Screen }
      if (type === 'screen' && screen !== undefined) return { nodeId, screen }
    }
    return undefined
  }

  const require: RunView['require'] = (ctx, { item }, runId) => {
    const run = getRun(read, runId.toLowerCase())
    const isSeen =
      run !== undefined &&
      run.flowUid === item.uid &&
      judge.sees(ctx, run) &&
      (!hasOrganizations() || belongsTo(run, ctx))
    if (!isSeen) throw automationError('execution_not_found', { runId })
    return run
  }

  return {
    require,
    cause,
    list(ctx, { item }, { status, ...query }) {
      const isOwn = !judge.managesFlows(ctx)
      const organizationId = hasOrganizations() ? ctx.organizationId : undefined
      const key = isOwn ? narrowedKey(ctx) : null
      const filter: RunFilter = {
        flowUid: item.uid,
        status,
        userId: isOwn ? ctx.actor.id : undefined,
        keyId: key ?? undefined,
        organizationId,
      }
      const binding = ['runs', ctx.actor.id, key, organizationId ?? null, item.uid, status ?? null]
      const start = readPage(query, pageBounds, binding)
      const rows = listRuns(read, filter, start.after ?? undefined, start.limit + 1)
      const { shown, ...page } = cutPage(rows, start, ({ id }) => id, binding)
      return {
        runs: shown.map((run) => head(run, seesContent(ctx, run))),
        total: countRuns(read, filter),
        ...page,
      }
    },
    show(ctx, run) {
      const isOpen = seesContent(ctx, run)
      const waiting = run.status === 'paused' ? waitingSteps(read, run.id)[0] : undefined
      const wait =
        waiting?.wait === null || waiting === undefined
          ? undefined
          : (JSON.parse(waiting.wait) as Record<string, unknown>)
      return {
        ...head(run, isOpen),
        ...(isOpen ? { variables: masked(JSON.parse(run.variables)) as Record<string, unknown> } : {}),
        ...(wait === undefined
          ? {}
          : { waitingFor: { nodeId: waiting!.nodeId, ...(isOpen ? wait : { type: wait['type'] }) } }),
        steps: stepsOf(read, run.id, false).map((step) => showStep(step, isOpen)),
      }
    },
    screen(ctx, run) {
      const found = run.status === 'paused' && seesContent(ctx, run) ? screenOf(run) : undefined
      if (found === undefined) throw automationError('run_not_resumable', { reason: 'no_screen', status: run.status })
      return { runId: run.id, ...found }
    },
    result(ctx, run) {
      const from = Date.parse(run.startedAt ?? run.createdAt)
      const durationMs = Math.max(0, (run.completedAt === null ? now() : Date.parse(run.completedAt)) - from)
      if (run.status === 'failed' || run.status === 'timed_out' || run.status === 'cancelled')
        throw failure(run, cause(ctx, run) ?? { code: 'execution_failed', message: '' })
      const screen = run.status === 'paused' ? screenOf(run)?.screen : undefined
      return {
        runId: run.id,
        status: run.status,
        success: true,
        ...(run.output === null ? {} : { output: JSON.parse(run.output) as unknown }),
        ...(screen === undefined ? {} : { screen }),
        durationMs,
      }
    },
  }
}

/** The error a trigger answers for a run that did not end well. */
function failure(run: RunRow, cause: Cause): PlatformError {
  const code =
    run.status === 'timed_out'
      ? 'execution_timeout'
      : cause.code === 'node_executor_not_found' || cause.code === 'concurrent_execution_limit'
        ? cause.code
        : 'execution_failed'
  const details = { runId: run.id, ...(cause.nodeId === undefined ? {} : { nodeId: cause.nodeId }), cause }
  return new PlatformError(code, automationErrors[code], details)
}

/** Why a run failed. */
export type Cause = { code: string; message: string; nodeId?: string } & Record<string, unknown>

/** The keys of the failed steps are for the retry alone. */
function withoutKeys(text: string): Cause {
  const { keys: _keys, ...error } = JSON.parse(text) as Cause & { keys?: unknown }
  return error as Cause
}

/** What of an error quotes nothing. */
function bareError({ code, nodeId }: Cause): Cause {
  return { code, message: '', ...(nodeId === undefined ? {} : { nodeId }) }
}

function showStep(step: StepRow, isOpen: boolean): ShownStep {
  const error = step.error === null ? undefined : (JSON.parse(step.error) as Cause)
  return {
    id: step.id,
    nodeId: step.nodeId,
    nodeType: step.nodeType,
    nodeLabel: step.nodeLabel,
    status: step.status,
    startedAt: step.startedAt,
    ...(step.completedAt === null
      ? {}
      : { completedAt: step.completedAt, durationMs: between(step.startedAt, step.completedAt) }),
    ...(isOpen && step.input !== null ? { input: JSON.parse(step.input) as unknown } : {}),
    ...(isOpen && step.output !== null ? { output: JSON.parse(step.output) as unknown } : {}),
    ...(error === undefined ? {} : { error: isOpen ? error : bareError(error) }),
    retryAttempt: step.retryAttempt,
    ...(step.iteration === null ? {} : { iteration: step.iteration }),
  }
}

function between(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from))
}
