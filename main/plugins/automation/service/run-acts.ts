// What people do with runs: resume, cancel, retry, send a signal (D-159).
import type { RequestContext } from '#main/kernel/context.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { automationError } from '../errors.ts'
import type { RunRow, StepRow } from '../store.ts'
import {
  changeRun,
  getDefinition,
  getRun,
  partChildren,
  signalSteps,
  stepsOf,
  supersedeSteps,
  waitingSteps,
  wakeStep,
} from '../store.ts'
import { belongsTo } from './caller.ts'
import type { Executor } from './engine/execute-run.ts'
import type { StepMemo } from './engine/run-memory.ts'
import { fitsType } from './variables.ts'
import type { RunQueue } from './run-queue.ts'
import type { RunAct, RunRights } from './run-rights.ts'
import type { RunStarter } from './run-starter.ts'

/** What a run is resumed with. */
export interface Resumption {
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
  readonly signal?: string | undefined
  readonly output?: unknown
  readonly branchLabel?: string | undefined
}

/** Acts on runs. */
export interface RunActs {
  /** @throws run_not_resumable, permission_denied, validation_error for inputs that do not fit the form */
  resume(ctx: RequestContext, run: RunRow, resumption: Resumption): Promise<RunRow>
  /** @throws permission_denied, invalid_state_transition for a run that has ended */
  cancel(ctx: RequestContext, run: RunRow, reason: string | undefined): Promise<RunRow>
  /** @throws run_not_resumable, permission_denied, validation_error for a node that has not been passed */
  retry(ctx: RequestContext, run: RunRow, fromNodeId: string | undefined): Promise<RunRow>
  /** Resumes the runs that wait for a signal and that the caller may act on. */
  signal(
    ctx: RequestContext,
    signal: string,
    input: { payload?: unknown; recordId?: string | undefined },
  ): Promise<number>
  /** Lets a waiting step go on, in the caller's transaction; false when it does not wait. */
  wake(tx: Tx, step: Pick<StepRow, 'id' | 'runId'>, resumed: NonNullable<StepMemo['resumed']>): boolean
}

/** What acting needs. */
export interface ActParts extends Pick<PluginHost, 'read' | 'write' | 'clock'> {
  readonly queue: RunQueue
  readonly starter: RunStarter
  readonly executor: Executor
  readonly rights: RunRights
  /** Whether runs are those of one organization (D-41). */
  readonly hasOrganizations: () => boolean
}

/** Makes the service. */
export function createRunActs(parts: ActParts): RunActs {
  const { read, write, queue, starter, executor, rights } = parts
  const wake: RunActs['wake'] = (tx, step, resumed) => {
    if (!wakeStep(tx, step.id, JSON.stringify({ resumed } satisfies StepMemo))) return false
    const run = getRun(tx, step.runId)!
    // Beside other branches that still work, the run is not paused; it looks again when they have come to their end.
    changeRun(tx, step.runId, ['paused'], { status: 'running', resumeAt: null })
    tx.whenOnDisk(() => queue.goOn({ id: run.id, lockKey: run.lockKey }))
    return true
  }

  const notResumable = (run: RunRow, reason: string): Error =>
    automationError('run_not_resumable', { status: run.status, reason })

  /** The step a resumption means; approvals are decided, and subflows end, elsewhere. */
  const stepFor = (run: RunRow, { signal, inputs }: Resumption): StepRow => {
    const all = waitingSteps(read, run.id)
    const waiting = all.filter((step) => !isEndedElsewhere(typeOf(step)))
    const found =
      signal !== undefined
        ? waiting.find((step) => step.signal === signal)
        : inputs !== undefined
          ? (waiting.find((step) => typeOf(step) === 'screen') ?? waiting[0])
          : waiting[0]
    if (found !== undefined) return found
    const [other] = all
    if (signal !== undefined) throw notResumable(run, 'other_signal')
    throw notResumable(run, other === undefined ? 'not_waiting' : `waits_for_${typeOf(other)}`)
  }

  /** @throws permission_denied */
  const requireAct = (ctx: RequestContext, run: RunRow, act: RunAct, step: StepRow | undefined): void => {
    if (rights.mayAct(ctx, run, act, step && typeOf(step))) return
    throw platformError('permission_denied', { permission: 'manage_flows', reason: 'run_as_system' })
  }

  return {
    wake,
    async resume(ctx, run, resumption) {
      if (run.status !== 'paused') throw notResumable(run, 'not_paused')
      const step = stepFor(run, resumption)
      const { inputs, output, branchLabel: label } = resumption
      // Which way a run takes is no answer to a form.
      requireAct(ctx, run, 'resume', label === undefined ? step : undefined)
      const wait = JSON.parse(step.wait ?? '{}') as { type?: string; screen?: { fields: ScreenField[] } }
      const given =
        wait.type === 'screen' ? inputsOf(wait.screen?.fields ?? [], inputs ?? {}) : (output ?? inputs ?? null)
      const resumed = { output: given, ...(label === undefined ? {} : { label }) }
      const isWoken = await write('automation.resume', (tx) => wake(tx, step, resumed))
      if (!isWoken) throw notResumable(getRun(read, run.id) ?? run, 'not_waiting')
      return getRun(read, run.id)!
    },
    async cancel(ctx, run, reason = 'Cancelled.') {
      requireAct(ctx, run, 'cancel', waitingSteps(read, run.id)[0])
      if (await starter.cancel(run.id, reason)) return getRun(read, run.id)!
      const { status } = getRun(read, run.id)!
      throw platformError('invalid_state_transition', { from: status, to: 'cancelled', allowed: [] })
    },
    async retry(ctx, run, fromNodeId) {
      requireAct(ctx, run, 'retry', undefined)
      if (run.status !== 'failed' && run.status !== 'timed_out') throw notResumable(run, 'not_failed')
      if (run.startedAt === null) throw notResumable(run, 'not_started')
      if (getDefinition(read, run.flowUid, run.flowVersion) === undefined) throw notResumable(run, 'version_gone')
      const steps = stepsOf(read, run.id, true)
      if (steps.some(({ status, memo }) => status === 'success' && memo === null)) throw notResumable(run, 'purged')
      const again = fromNodeId === undefined ? failedSteps(run, steps) : stepsFrom(steps, fromNodeId)
      const isBack = await write('automation.retry', (tx) => {
        const change = { attempt: run.attempt + 1, error: null, completedAt: null, activeMs: 0 }
        if (!changeRun(tx, run.id, ['failed', 'timed_out'], { status: 'retrying', ...change })) return false
        supersedeSteps(
          tx,
          again.map(({ id }) => id),
        )
        partChildren(
          tx,
          run.id,
          again.map(({ key }) => key),
          fromNodeId !== undefined,
        )
        executor.tell(tx, run, 'started')
        tx.whenOnDisk(() => queue.goOn({ id: run.id, lockKey: run.lockKey }))
        return true
      })
      if (!isBack) throw notResumable(getRun(read, run.id) ?? run, 'not_failed')
      return getRun(read, run.id)!
    },
    async signal(ctx, signal, { payload, recordId }) {
      const steps = signalSteps(read, signal).filter(({ runId }) => {
        const run = getRun(read, runId)
        if (run === undefined || (recordId !== undefined && run.recordId !== recordId)) return false
        if (parts.hasOrganizations() && !belongsTo(run, ctx)) return false
        return rights.sees(ctx, run) && rights.mayAct(ctx, run, 'signal', 'signal')
      })
      let resumed = 0
      for (const step of steps) {
        if (await write('automation.signal', (tx) => wake(tx, step, { output: payload ?? null }))) resumed += 1
      }
      return resumed
    },
  }
}

function typeOf(step: StepRow): string | undefined {
  return (JSON.parse(step.wait ?? '{}') as { type?: string }).type
}

function isEndedElsewhere(type: string | undefined): boolean {
  return type === 'subflow' || type === 'approval'
}

interface ScreenField {
  readonly name: string
  readonly type: string
  readonly required?: boolean
  readonly options?: readonly unknown[]
  readonly defaultValue?: unknown
}

/** The inputs of a form. @throws validation_error naming each that is missing or does not fit */
function inputsOf(fields: readonly ScreenField[], inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const problems: FieldError[] = []
  const values = fields.map(({ name, type, required = false, options, defaultValue = null }): [string, unknown] => {
    const value = Object.hasOwn(inputs, name) ? (inputs[name] ?? null) : defaultValue
    const field = `inputs.${name}`
    const isEmpty = value === null || value === ''
    if (isEmpty && required) problems.push({ field, code: 'required', message: 'The form needs this input.' })
    else if (!isEmpty && !fitsInput(value, type))
      problems.push({ field, code: 'invalid_type', message: `The input is of type ${type}.`, value })
    else if (!isEmpty && options !== undefined && !areOptions(value, options))
      problems.push({ field, code: 'invalid_option', message: 'The value is none of the options.', value })
    return [name, value]
  })
  if (problems.length > 0) throw validationError(problems)
  return Object.fromEntries(values)
}

function fitsInput(value: unknown, type: string): boolean {
  switch (type) {
    case 'number':
    case 'boolean':
    case 'date':
    case 'datetime':
      return fitsType(value, type)
    case 'multiselect':
      return Array.isArray(value)
    case 'select':
      return true
    default:
      return typeof value === 'string'
  }
}

function areOptions(value: unknown, options: readonly unknown[]): boolean {
  const values = options.map((option) =>
    typeof option === 'object' && option !== null ? (option as { value?: unknown }).value : option,
  )
  return (Array.isArray(value) ? value : [value]).every((one) => values.includes(one))
}

/** The failed steps, those around them too. */
function failedSteps(run: RunRow, steps: readonly StepRow[]): StepRow[] {
  const { keys = [] } = JSON.parse(run.error ?? '{}') as { keys?: string[] }
  return steps.filter(
    ({ key, status }) => keys.includes(key) || status === 'waiting' || status === 'running' || status === 'skipped',
  )
}

/** The steps of a node of the flow itself and all that came after. @throws validation_error */
function stepsFrom(steps: readonly StepRow[], nodeId: string): StepRow[] {
  const first = steps.find((step) => step.nodeId === nodeId && step.key === nodeId)
  if (first === undefined)
    throw validationError([
      { field: 'fromNodeId', code: 'invalid_reference', message: 'The run has not passed this node.', value: nodeId },
    ])
  return steps.filter(
    ({ seq, key }) => seq >= first.seq || key.startsWith(`${nodeId}.`) || key.startsWith(`${nodeId}[`),
  )
}
