// Carries out one node: attempts, time limit, what happens when it fails, and its end in one transaction with what it
// wrote. A step that is stored already is not done again.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import { compileOpenExpression } from '#shared/expression/compile-expression.ts'
import { createTextFiller, fillTemplates } from '#shared/expression/templates.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { NodeCall, NodeOutcome, NodePause, NodeType } from '../../api.ts'
import { automationError } from '../../errors.ts'
import type { NewStep, StepRow } from '../../store.ts'
import { changeRun, isRunning, mentionRecords, putStep, storedVariables } from '../../store.ts'
import type { ErrorPolicy, FlowGraph, FlowNode } from '../flow.ts'
import type { NodeTypes } from '../node-types.ts'
import { nextAfter, nextAfterFault } from './choose-edge.ts'
import type { StepError } from './failures.ts'
import { NodeFailure, RunEnded, RunInterrupted, RunPaused, stepErrorOf } from './failures.ts'
import { shownText } from './masks.ts'
import { fillConfig } from './fill-config.ts'
import type { RunMemory, StepMemo } from './run-memory.ts'
import { memoOf } from './run-memory.ts'
import type { Frame } from './scope.ts'
import { scopeOf } from './scope.ts'

/** What carrying out nodes needs. */
export interface StepParts extends Pick<PluginHost, 'write' | 'clock' | 'ids' | 'log'> {
  readonly types: Pick<NodeTypes, 'get' | 'isDeclared'>
  readonly timeZone: () => string
  /** Whether the host stops: what has not begun does not begin. */
  readonly isStopping: () => boolean
  readonly openSecret: NodeCall['open']
}

/** A node at one place of a run. */
export interface Place {
  readonly graph: FlowGraph
  readonly node: FlowNode
  readonly key: string
  readonly frame: Frame
}

/** How a step ended: its output, and the node that follows. */
export interface StepEnd {
  readonly output: unknown
  readonly next: string | null
  /** Why it failed, where something takes care of it. */
  readonly error?: StepError
}

/** Runs the nodes inside of a node. */
export type RunBody = (
  memory: RunMemory,
  place: Place,
  signal: AbortSignal,
  ...body: Parameters<NodeCall['body']>
) => Promise<unknown>

/** Carries out nodes. */
export type RunStep = (memory: RunMemory, place: Place) => Promise<StepEnd>

/** What a step changes of its run. */
interface Change {
  readonly variables?: string
  readonly status?: 'retrying'
}

const defaultTimeoutMs = 30_000
/** Characters of what one step leaves for the run. */
const maxMemo = 5_000_000
const maxMentions = 500
const uuids = /[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g
const going = ['running', 'retrying'] as const

/** Made once: a new one for each node would take its stack. */
const ended = new DOMException('The node has ended.', 'AbortError')

/** Makes the runner. */
export function createStepRunner(parts: StepParts, runBody: RunBody): RunStep {
  const { clock, ids, write } = parts

  const scopeAt = (memory: RunMemory, frame: Frame, variables = memory.variables) =>
    scopeOf(memory, frame, { now: clock.now(), timeZone: parts.timeZone() }, variables)

  const evaluator =
    (memory: RunMemory, frame: Frame, variables = memory.variables) =>
    (source: unknown): unknown =>
      compileOpenExpression(source).evaluate(scopeAt(memory, frame, variables))

  /** The row of a step that begins. */
  const newStep = (memory: RunMemory, { node, key, frame }: Place, attempt: number): NewStep => ({
    id: ids.uuid(),
    runId: memory.row.id,
    key,
    nodeId: node.id,
    nodeType: node.type,
    nodeLabel: node.label,
    status: 'running',
    startedAt: clock.iso(),
    completedAt: null,
    input: null,
    output: null,
    error: null,
    retryAttempt: attempt,
    iteration: frame.iteration,
    memo: null,
    wait: null,
    resumeAt: null,
    signal: null,
  })

  /** Stores a step while its run goes on; the run is running again, whatever it waited for. @throws RunEnded */
  const store = (tx: Tx, memory: RunMemory, { signal }: Frame, step: NewStep, change: Change): void => {
    if (signal.aborted) throw new RunEnded()
    memory.opening?.(tx)
    // Most steps change nothing of their run, and an update would write its indexes anew.
    const isAsStored = Object.keys(change).length === 0 && isRunning(tx, memory.row.id)
    if (!isAsStored && !changeRun(tx, memory.row.id, going, { status: 'running', ...change })) throw new RunEnded()
    putStep(tx, step)
    const text = `${step.input ?? ''}${step.memo ?? ''}`.slice(0, 1_000_000)
    mentionRecords(tx, memory.row.id, [...new Set(text.match(uuids) ?? [])].slice(0, maxMentions))
  }

  /** Stores a step and takes it into memory once it is stored. */
  const keep = async (
    memory: RunMemory,
    frame: Frame,
    step: NewStep,
    change: Change = {},
    also?: (tx: Tx) => void,
  ): Promise<void> => {
    try {
      await write('automation.step', (tx) => {
        store(tx, memory, frame, step, change)
        also?.(tx)
      })
    } catch (error) {
      throw isDatabaseAway(error) ? new RunInterrupted() : error
    }
    memory.opening = undefined
    memory.steps.set(step.key, step as StepRow)
  }

  /** What one attempt stores at its end, and whether that has happened. */
  const ending = (memory: RunMemory, place: Place, step: NewStep, input: unknown) => {
    let stored: { end: StepEnd; step: NewStep; changes: RunMemory['variables'] } | undefined
    const prepare = (outcome: NodeOutcome): NonNullable<typeof stored> => {
      const output = outcome.output ?? null
      const changes = {
        ...outcome.variables,
        ...(place.node.outputVariable === null ? {} : { [place.node.outputVariable]: output }),
      }
      const variables = { ...memory.variables, ...changes }
      // The edges of a node see its own output.
      const seen: Frame = { ...place.frame, outputs: new Map([...place.frame.outputs, [place.node.id, output]]) }
      const next = nextAfter(place.graph, place.node, outcome.label, evaluator(memory, seen, variables))
      const memo: StepMemo = { output, next }
      const text = JSON.stringify(memo)
      if (text.length > maxMemo) throw tooLarge()
      const done: NewStep = {
        ...step,
        status: 'success',
        completedAt: clock.iso(),
        input: shownText(input),
        output: shownText(output),
        memo: text,
        wait: null,
        resumeAt: null,
        signal: null,
      }
      return { end: { output, next }, step: done, changes }
    }
    const put = (tx: Tx, prepared: NonNullable<typeof stored>, outcome: NodeOutcome): void => {
      store(tx, memory, place.frame, prepared.step, variablesWith(tx, memory, place.frame, prepared.changes))
      outcome.commit?.(tx)
      stored = prepared
    }
    const remember = (): StepEnd => {
      const { step: done, changes, end } = stored!
      memory.opening = undefined
      memory.steps.set(done.key, done as StepRow)
      memory.variables = { ...memory.variables, ...changes }
      return end
    }
    return {
      inside(tx: Tx, outcome: NodeOutcome): void {
        put(tx, prepare(outcome), outcome)
      },
      hasStored: () => stored !== undefined,
      /** What a rolled-back transaction had stored is not. */
      undo(): void {
        stored = undefined
      },
      async done(outcome: NodeOutcome): Promise<StepEnd> {
        if (stored === undefined) {
          const prepared = prepare(outcome)
          if (isLast(place) && outcome.commit === undefined) {
            memory.closing = (tx) => put(tx, prepared, outcome)
            return prepared.end
          }
          await write('automation.step', (tx) => put(tx, prepared, outcome))
        }
        return remember()
      },
    }
  }

  /** @throws validation_error naming the members that do not fit */
  const parseConfig = (type: NodeType, filled: unknown): Readonly<Record<string, unknown>> => {
    const parsed = type.configSchema.safeParse(filled)
    if (parsed.success) return parsed.data
    throw validationError(
      parsed.error.issues.map(({ path, message, code }): FieldError => ({
        field: ['config', ...path].join('.'),
        code: code === 'invalid_type' ? 'invalid_type' : 'invalid_format',
        message,
      })),
    )
  }

  /** One attempt. @throws whatever the node throws; RunPaused when it waits */
  const attempt = async (memory: RunMemory, place: Place, type: NodeType, step: NewStep): Promise<StepEnd> => {
    const { node, frame } = place
    const filled = fillConfig(node.config, type, createTextFiller(scopeAt(memory, frame), compileOpenExpression))
    const config = parseConfig(type, filled)
    const input = Object.fromEntries(Object.entries(filled).filter(([name]) => !isBody(type, name)))
    const isMarked = type.effect === 'external'
    if (isMarked) await keep(memory, frame, { ...step, input: shownText(input) })
    // Composite signals of the runtime are collected late, and this is one per node.
    const own = new AbortController()
    const { signal } = own
    const onOuterEnd = (): void => own.abort(frame.signal.reason)
    frame.signal.addEventListener('abort', onOuterEnd, { once: true })
    if (frame.signal.aborted) onOuterEnd()
    const end = ending(memory, place, step, input)
    let isOver = false
    const call: NodeCall = {
      ctx: { ...memory.ctx(), signal },
      run: { id: memory.row.id, flowName: memory.row.flowName, userId: memory.row.userId },
      node: { id: node.id, label: node.label },
      key: place.key,
      config,
      subject: { object: memory.row.object, recordId: memory.row.recordId },
      variables: memory.variables,
      evaluate: evaluator(memory, frame),
      fill: (value, locals = {}, write) =>
        fillTemplates(
          value,
          scopeAt(memory, { ...frame, locals: { ...frame.locals, ...locals } }),
          compileOpenExpression,
          write,
        ),
      finish(tx, outcome) {
        if (isOver) throw new RunEnded()
        end.inside(tx, outcome)
      },
      body: (graph, at) => runBody(memory, place, signal, graph, at),
      open: parts.openSecret,
    }
    const limitMs = node.timeoutMs ?? (type.timeoutMs === undefined ? defaultTimeoutMs : type.timeoutMs)
    try {
      const outcome = await limited(() => type.execute(call), limitMs, frame.signal, end.hasStored)
      if (outcome.pause !== undefined) {
        await keep(memory, frame, waitingStep(step, input, outcome.pause), {}, outcome.commit)
        throw new RunPaused()
      }
      return await end.done(outcome)
    } catch (error) {
      if (end.hasStored() && isDatabaseAway(error)) throw new RunInterrupted()
      end.undo()
      throw error
    } finally {
      isOver = true
      frame.signal.removeEventListener('abort', onOuterEnd)
      own.abort(ended)
    }
  }

  /** What a node that was resumed goes on with. @throws the error it was resumed with */
  const resumed = async (memory: RunMemory, place: Place, row: StepRow, memo: StepMemo): Promise<StepEnd> => {
    const { output, label, error } = memo.resumed!
    if (error !== undefined) throw new NodeFailure(error as StepError, [place.key])
    const shown: unknown = row.input === null ? null : JSON.parse(row.input)
    return ending(memory, place, row, shown).done({ output, ...(label === undefined ? {} : { label }) })
  }

  /** Stores a failure, with what takes care of it. @throws NodeFailure when nothing does */
  const failed = async (memory: RunMemory, place: Place, step: NewStep, thrown: unknown): Promise<StepEnd> => {
    const { graph, node, frame, key } = place
    const { error, isForeseen } = stepErrorOf(thrown, node.id)
    if (!isForeseen) parts.log.error({ err: thrown, nodeType: node.type }, 'A node of a flow failed unforeseen.')
    const { locals } = frame
    const seen: Frame = { ...frame, locals: { ...locals, error } }
    let next: string | null | undefined = nextAfterFault(graph, node, (source) =>
      isHeld(evaluator(memory, seen), source),
    )
    for (const policy of [node.retry, memory.flow.errorHandling]) {
      if (next !== undefined || policy === null) continue
      next = afterPolicy(graph, node, policy, evaluator(memory, seen))
    }
    const keys = thrown instanceof NodeFailure ? [...thrown.keys.filter((one) => one !== key), key] : [key]
    const memo: StepMemo = next === undefined ? { keys } : { output: null, next, keys }
    await keep(memory, frame, {
      ...step,
      status: 'failure',
      completedAt: clock.iso(),
      error: JSON.stringify(error),
      memo: JSON.stringify(memo),
      resumeAt: null,
      signal: null,
    })
    if (next === undefined) throw new NodeFailure(error, keys)
    return { output: null, next, error }
  }

  /** Stores a failed attempt and waits for the next. */
  const again = async (
    memory: RunMemory,
    frame: Frame,
    step: NewStep,
    thrown: unknown,
    policy: ErrorPolicy,
  ): Promise<void> => {
    const { error } = stepErrorOf(thrown, step.nodeId)
    const row: NewStep = { ...step, status: 'failure', completedAt: clock.iso(), error: JSON.stringify(error) }
    await keep(memory, frame, row, { status: 'retrying' })
    memory.steps.delete(step.key)
    memory.attempts.set(step.key, step.retryAttempt + 1)
    const grown = policy.retryDelayMs * policy.backoffMultiplier ** step.retryAttempt
    const delayMs = Math.min(grown, policy.maxRetryDelayMs) * (policy.jitter ? 0.5 + chance(ids.uuid()) / 2 : 1)
    await limited(() => new Promise<void>((resolve) => setTimeout(resolve, delayMs)), null, frame.signal)
  }

  return async (memory, place) => {
    const { node, key, frame } = place
    const row = memory.steps.get(key)
    if (row !== undefined && row.status !== 'running') return storedEnd(row)
    if (frame.signal.aborted) throw new RunEnded()
    if (parts.isStopping()) throw new RunInterrupted()
    const type = parts.types.get(node.type)
    const memo = row === undefined ? {} : memoOf(row)
    if (row !== undefined && memo.resumed !== undefined) {
      try {
        return await resumed(memory, place, row, memo)
      } catch (error) {
        if (isEnding(error)) throw error
        return failed(memory, place, row, error)
      }
    }
    if (type === undefined) {
      const missing = automationError('node_executor_not_found', { reason: node.type })
      return failed(memory, place, newStep(memory, place, 0), missing)
    }
    // It had begun when the process ended, and nobody knows how far it came.
    if (row !== undefined && type.effect === 'external' && !isIdempotent(node)) {
      return failed(memory, place, row, automationError('execution_failed', { reason: 'interrupted' }))
    }
    const policy = node.retry ?? memory.flow.errorHandling
    const retries = policy.strategy === 'retry' && type.supportsRetry !== false ? policy.maxRetries : 0
    for (let at = memory.attempts.get(key) ?? 0; ; at += 1) {
      const step = newStep(memory, place, at)
      try {
        return await attempt(memory, place, type, step)
      } catch (error) {
        if (isEnding(error)) throw error
        if (frame.signal.aborted) throw new RunEnded()
        if (at >= retries) return await failed(memory, place, withInput(memory, step), error)
        await again(memory, frame, withInput(memory, step), error, policy)
      }
    }
  }
}

/** A number from 0 to 1 out of the random end of an id. */
function chance(id: string): number {
  return Number.parseInt(id.slice(-8), 16) / 2 ** 32
}

/** Where a policy leads; undefined when it lets the failure through. @throws ExpressionError */
function afterPolicy(
  graph: FlowGraph,
  node: FlowNode,
  { fallbackNodeId, strategy }: ErrorPolicy,
  evaluate: (source: unknown) => unknown,
): string | null | undefined {
  if (fallbackNodeId !== null && fallbackNodeId !== node.id && graph.nodes.some(({ id }) => id === fallbackNodeId))
    return fallbackNodeId
  return strategy === 'continue' ? nextAfter(graph, node, undefined, evaluate) : undefined
}

/** A condition of a fault edge that fails itself does not hold: the failure it should take care of is told. */
function isHeld(evaluate: (source: unknown) => unknown, source: unknown): boolean {
  try {
    return evaluate(source) === true
  } catch {
    return false
  }
}

/** Others beside it may have set theirs in the same moment: what is stored counts then, and only what changed is new. */
function variablesWith(
  tx: Tx,
  { row, variables }: RunMemory,
  { isBeside }: Frame,
  changes: RunMemory['variables'],
): Change {
  if (Object.keys(changes).length === 0) return {}
  const present = isBeside ? storedVariables(tx, row.id) : variables
  return { variables: JSON.stringify({ ...present, ...changes }) }
}

/** An end node of the flow itself: nothing comes between it and the end of the run. */
function isLast({ node, frame }: Place): boolean {
  return node.type === 'end' && frame.parent === null
}

/** What was stored when the attempt began. */
function withInput(memory: RunMemory, step: NewStep): NewStep {
  return memory.steps.get(step.key)?.id === step.id ? { ...step, input: memory.steps.get(step.key)!.input } : step
}

/** How a stored step ended. @throws NodeFailure, RunPaused */
function storedEnd(row: StepRow): StepEnd {
  if (row.status === 'waiting') throw new RunPaused()
  const { output = null, next, keys = [row.key] } = memoOf(row)
  const error = row.error === null ? undefined : (JSON.parse(row.error) as StepError)
  if (next === undefined) throw new NodeFailure(error ?? purged, keys)
  return { output, next, ...(error === undefined ? {} : { error }) }
}

const purged: StepError = {
  code: 'execution_failed',
  message: 'What the run went on with was purged.',
  reason: 'purged',
}

function waitingStep(step: NewStep, input: unknown, pause: NodePause): NewStep {
  const { type, details = {}, signal = null, resumeAt = null, onTimeout = 'continue' } = pause
  return {
    ...step,
    status: 'waiting',
    input: shownText(input),
    wait: JSON.stringify({ type, onTimeout, ...details }),
    resumeAt,
    signal,
  }
}

/** A node that may be done again: it says so, or it only asks. */
function isIdempotent(node: FlowNode): boolean {
  if (node.isIdempotent) return true
  return (node.type === 'http_request' || node.type === 'http') && (node.config['method'] ?? 'GET') === 'GET'
}

function isBody(type: NodeType, name: string): boolean {
  return type.bodies !== undefined && ['body', 'branches', 'try', 'catch'].includes(name)
}

function isEnding(error: unknown): boolean {
  return error instanceof RunPaused || error instanceof RunEnded || error instanceof RunInterrupted
}

/** The database took nothing, for whatever reason. */
function isDatabaseAway(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    error.code === 'service_unavailable' &&
    databaseReasons.has(error.details['reason'] as string | undefined)
  )
}

const databaseReasons: ReadonlySet<string | undefined> = new Set([
  undefined,
  'disk_full',
  'read_only',
  'database_damaged',
])

function tooLarge(): PlatformError {
  return validationError([
    { field: 'output', code: 'max_length', message: `The output has over ${maxMemo} characters.` },
  ])
}

/**
 * Waits for work, at most so long, and no longer than the run lives.
 * @param hasStored whether what it does is written already: that ends with the write, not with the time
 * @throws execution_timeout, RunEnded
 */
async function limited<T>(
  work: () => T | Promise<T>,
  limitMs: number | null,
  signal: AbortSignal,
  hasStored: () => boolean = () => false,
): Promise<T> {
  const out = Promise.withResolvers<never>()
  out.promise.catch(() => undefined)
  const onAbort = (): void => out.reject(new RunEnded())
  const onTime = (): void => {
    if (!hasStored()) out.reject(automationError('execution_timeout', { reason: 'node_timeout', limitMs }))
  }
  if (signal.aborted) throw new RunEnded()
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = limitMs === null ? undefined : setTimeout(onTime, limitMs)
  try {
    const running = Promise.resolve(work())
    running.catch(() => undefined)
    return await Promise.race([running, out.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
