// Carries out a run from where it stands to its end, or until it waits. Everything it knows is read from rows, and every
// change of its state is one transaction with its event.
import type { RunStatus } from '#shared/contracts/automation.ts'
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import type { RunChange, RunRow } from '../../store.ts'
import {
  changeRun,
  dropMemos,
  dropWaiting,
  getDefinition,
  getRun,
  skipOpenSteps,
  stepsOf,
  waitingSteps,
} from '../../store.ts'
import type { Accounts } from '../caller.ts'
import { contextOf, organizationOf, userOf } from '../caller.ts'
import type { FlowDefinition } from '../flow.ts'
import { readFlow } from '../flow.ts'
import type { StepError } from './failures.ts'
import { NodeFailure, RunEnded, RunInterrupted, RunPaused, stepErrorOf } from './failures.ts'
import type { RunInput, RunMemory } from './run-memory.ts'
import { rememberSteps } from './run-memory.ts'
import { rootFrame } from './scope.ts'
import type { Walk } from './walk.ts'

/** What carrying out runs needs. */
export interface ExecuteParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'> {
  readonly walk: Walk
  readonly accounts: Accounts
  /** Whether a run as the system still may be one. @source D-419 */
  readonly maySystem: (run: RunRow) => boolean
  /** Hears inside the transaction that a run came to an end. */
  readonly ended: (tx: Tx, run: RunRow, status: RunStatus) => void
  /** Hears, when it is stored, that a run waits. */
  readonly paused: (runId: string) => void
  /** Hears, when it is stored, that a run that waited for another one may go on. */
  readonly goOn: (runId: string) => void
}

/** Carries out runs. */
export interface Executor {
  /**
   * Carries a run out until it ends, waits, or is stopped.
   * @throws RunInterrupted when the database took nothing: the run goes on later
   */
  execute(runId: string, stop: AbortSignal): Promise<void>
  /** Ends a run inside a transaction; false when it has ended already. */
  end(tx: Tx, run: RunRow, status: RunStatus, change?: RunChange): boolean
  /** Raises an event of a run. */
  tell(tx: Tx, run: RunRow, status: string): void
}

const open = ['pending', 'running', 'paused', 'retrying'] as const
const begun = ['running', 'retrying'] as const
const going = ['pending', ...begun] as const
/** Versions of flows kept as they were read. */
const maxFlows = 200

/** Makes the executor. */
export function createExecutor(parts: ExecuteParts): Executor {
  const { read, write, clock, log } = parts
  const flows = createRecentMap<FlowDefinition>(maxFlows)

  /** The version of a flow a run started with; none of them ever changes. */
  const flowOf = ({ flowUid, flowName, flowVersion }: RunRow): FlowDefinition => {
    const key = `${flowUid} ${flowVersion} ${flowName}`
    const known = flows.get(key)
    if (known !== undefined) return known
    const body = getDefinition(read, flowUid, flowVersion)
    if (body === undefined) throw new Error('The version of the flow is gone.')
    const flow = readFlow(flowName, JSON.parse(body) as Record<string, unknown>)
    flows.set(key, flow)
    return flow
  }

  const tell: Executor['tell'] = (tx, run, status) => {
    const organizationId = organizationOf(run)
    tx.emit(eventContext(run), {
      type: `flow.run.${status}`,
      payload: {
        flow: run.flowName,
        flowName: run.flowName,
        runId: run.id,
        status: status === 'started' ? 'running' : status,
        ...(organizationId === null ? {} : { organizationId }),
      },
    })
  }

  const end: Executor['end'] = (tx, run, status, change = {}) => {
    const at = clock.iso()
    if (!changeRun(tx, run.id, open, { ...change, status, completedAt: at, resumeAt: null })) return false
    if (status !== 'completed') skipOpenSteps(tx, run.id, at)
    // A run that failed may be retried; the others are over.
    if (status === 'completed' || status === 'cancelled') dropMemos(tx, run.id)
    tell(tx, run, status)
    parts.ended(tx, run, status)
    const { parentRunId, parentKey } = run
    if (parentRunId !== null && parentKey !== null && dropWaiting(tx, parentRunId, parentKey)) {
      if (changeRun(tx, parentRunId, ['paused'], { status: 'running', resumeAt: null }))
        tx.whenOnDisk(() => parts.goOn(parentRunId))
    }
    return true
  }

  const begin = (tx: Tx, run: RunRow): void => {
    if (!changeRun(tx, run.id, ['pending'], { status: 'running', startedAt: clock.iso() })) throw new RunEnded()
    tell(tx, run, 'started')
  }

  /** Waits, when everything it waits for still does; else it has to look again. */
  const pause = (run: RunRow, activeMs: number, seen: ReadonlySet<string>): Promise<boolean> =>
    write('automation.pause', (tx) => {
      const waiting = waitingSteps(tx, run.id)
      const isResumed = waiting.length === 0 || [...seen].some((id) => !waiting.some((step) => step.id === id))
      if (isResumed) return false
      const [resumeAt = null] = waiting.flatMap((step) => step.resumeAt ?? []).toSorted()
      if (changeRun(tx, run.id, begun, { status: 'paused', resumeAt, activeMs })) tell(tx, run, 'paused')
      tx.whenOnDisk(() => parts.paused(run.id))
      return true
    })

  const outputOf = ({ flow, variables }: RunMemory, output: unknown): string | null => {
    const named = flow.variables.filter(({ isOutput }) => isOutput).map(({ name }) => [name, variables[name] ?? null])
    const own = typeof output === 'object' && output !== null && !Array.isArray(output) ? output : {}
    const whole = { ...Object.fromEntries(named), ...own }
    return Object.keys(whole).length === 0 ? null : JSON.stringify(whole)
  }

  /** One pass over the graph. True: it has to be passed again, because what it waited for has come. */
  const pass = async (run: RunRow, flow: FlowDefinition, controller: AbortController): Promise<boolean> => {
    const began = performance.now()
    const activeMs = (): number => run.activeMs + Math.round(performance.now() - began)
    const timer = setTimeout(() => controller.abort('timed_out'), Math.max(0, flow.timeoutMs - run.activeMs))
    let memory: RunMemory | undefined
    const ctx = (): RequestContext => {
      if (run.runAs === 'system' && !parts.maySystem(run))
        throw platformError('permission_denied', { reason: 'run_as_system', required: 'administrator' })
      return contextOf(parts.accounts, run, controller.signal)
    }
    try {
      // Of somebody who may not act any more nothing is begun, not even what takes care of failures.
      ctx()
      memory = {
        row: run,
        flow,
        input: JSON.parse(run.input) as RunInput,
        ctx,
        user: userOf(parts.accounts, run.userId),
        variables: JSON.parse(run.variables) as RunMemory['variables'],
        ...rememberSteps(stepsOf(read, run.id, true)),
        opening: run.status === 'pending' ? (tx) => begin(tx, run) : undefined,
        closing: undefined,
      }
      const frame = rootFrame(controller.signal)
      const last = await parts.walk(memory, flow, frame)
      // Only the end of a flow says what it gives back.
      const output = outputOf(memory, frame.last === 'end' ? last : null)
      const { closing } = memory
      await write('automation.end', (tx) => {
        closing?.(tx)
        end(tx, run, 'completed', { output, activeMs: activeMs() })
      })
    } catch (error) {
      if (error instanceof RunInterrupted) throw error
      if (error instanceof RunEnded || controller.signal.aborted) {
        if (controller.signal.reason !== 'timed_out') return false
        const late: StepError = { code: 'execution_timeout', message: 'The run took longer than it may.' }
        await write('automation.end', (tx) => {
          end(tx, run, 'timed_out', { error: JSON.stringify(late), activeMs: activeMs() })
        })
        return false
      }
      if (error instanceof RunPaused) {
        const seen = [...(memory?.steps.values() ?? [])].filter(({ status }) => status === 'waiting')
        return !(await pause(run, activeMs(), new Set(seen.map(({ id }) => id))))
      }
      const { error: told, isForeseen } = stepErrorOf(error, '')
      if (!isForeseen) log.error({ err: error, runId: run.id }, 'A run of a flow failed unforeseen.')
      const { nodeId, ...rest } = told
      const stored = { ...rest, ...(nodeId === undefined || nodeId === '' ? {} : { nodeId }) }
      const keys = error instanceof NodeFailure ? error.keys : []
      const status = told.reason === 'wait_timeout' ? 'timed_out' : 'failed'
      await write('automation.end', (tx) => {
        end(tx, run, status, { error: JSON.stringify({ ...stored, keys }), activeMs: activeMs() })
      })
    } finally {
      clearTimeout(timer)
    }
    return false
  }

  return {
    end,
    tell,
    async execute(runId, stop) {
      const controller = new AbortController()
      const onStop = (): void => controller.abort(stop.reason)
      if (stop.aborted) return
      stop.addEventListener('abort', onStop, { once: true })
      try {
        for (;;) {
          const run = getRun(read, runId)
          if (run === undefined || !going.some((status) => status === run.status)) return
          if (!(await pass(run, flowOf(run), controller))) return
        }
      } finally {
        stop.removeEventListener('abort', onStop)
      }
    },
  }
}

/** Events of a run name its flow as the actor: it is the flow that goes on, whoever started it. */
function eventContext(run: RunRow): RequestContext {
  const caller = JSON.parse(run.caller) as { requestId: string; causeEventId: number | null }
  return {
    ...internalContext(caller.requestId, 'automation'),
    actor: { type: 'automation', id: run.flowName },
    organizationId: organizationOf(run),
    depth: run.depth,
    ...(caller.causeEventId === null ? {} : { causeEventId: caller.causeEventId }),
    ...(run.userId === null ? {} : { onBehalfOf: run.userId }),
  }
}
