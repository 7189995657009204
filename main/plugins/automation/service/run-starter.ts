// Starts runs: the row a run begins with, and what happens when too many are under way (D-154). A run is stored before
// anybody hears of it.
import type { TriggerType } from '#shared/contracts/automation.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { automationError } from '../errors.ts'
import type { RunRow } from '../store.ts'
import { getDefinition, getRun, insertRun, keepDefinition } from '../store.ts'
import type { Caller } from './caller.ts'
import type { Executor } from './engine/execute-run.ts'
import type { RunInput } from './engine/run-memory.ts'
import type { FlowDefinition } from './flow.ts'
import type { KnownFlow } from './flow-book.ts'
import type { RunQueue } from './run-queue.ts'
import { hostLimits } from './run-queue.ts'
import { defaultVariables, initialVariables } from './variables.ts'

/** What a run is made of, beside its flow. */
export interface RunDraft {
  readonly type: TriggerType
  readonly input: RunInput
  readonly object?: string | null
  readonly recordId?: string | null
  readonly event?: string | null
  /** Who it speaks for. */
  readonly userId: string | null
  readonly caller: Caller
  /** How many causes lie before it. */
  readonly depth: number
  readonly eventId?: number | null
  readonly parent?: { readonly runId: string; readonly key: string }
}

/** Starts runs. */
export interface RunStarter {
  /** The row of a run; of one whose inputs do not fit there is none. @throws validation_error */
  draft(known: KnownFlow, draft: RunDraft): RunRow
  /** Stores a run; false when its event started the flow before. */
  insert(tx: Tx, known: KnownFlow, run: RunRow): boolean
  /** Stores a run that failed before it began. */
  insertFailed(tx: Tx, known: KnownFlow, run: RunRow, error: Readonly<Record<string, unknown>>): void
  /** Takes a stored run into the queue. */
  enqueue(run: RunRow, flow: FlowDefinition): void
  /**
   * Stores a run for somebody who waits for it, as the flow's concurrency says.
   * @throws concurrent_execution_limit
   */
  startAsked(known: KnownFlow, run: RunRow): Promise<void>
  /** Takes stored runs that started by themselves into the queue, as the flow's concurrency says. */
  startOwn(known: KnownFlow, run: RunRow): Promise<void>
  /** Resolves once there is room for so many runs that start by themselves, or nothing waits; at once, nearly always. */
  room(count: number): Promise<void>
  /** Ends a run and all it started. @returns false when it has ended already */
  cancel(runId: string, reason: string): Promise<boolean>
}

/** What starting needs. */
export interface StarterParts extends Pick<PluginHost, 'write' | 'clock' | 'ids'> {
  readonly queue: RunQueue
  readonly executor: Executor
  readonly openChildren: (runId: string) => readonly string[]
}

/** Kinds of start that have no inputs. */
const startsItself: ReadonlySet<TriggerType> = new Set(['record_change', 'schedule'])

/** Makes the starter. */
export function createRunStarter(parts: StarterParts): RunStarter {
  const { write, clock, ids, queue, executor } = parts

  const insert: RunStarter['insert'] = (tx, { item }, run) => {
    if (!insertRun(tx, run)) return false
    if (getDefinition(tx, item.uid, item.version) === undefined)
      keepDefinition(tx, { uid: item.uid, version: item.version, body: JSON.stringify(item.item) })
    return true
  }

  const insertFailed: RunStarter['insertFailed'] = (tx, known, run, error) => {
    if (insert(tx, known, run)) executor.end(tx, run, 'failed', { error: JSON.stringify(error) })
  }

  const enqueue: RunStarter['enqueue'] = (run, { concurrency }) => {
    const { maxConcurrent, queueTimeoutMs } = concurrency
    const until = Date.parse(run.createdAt) + queueTimeoutMs
    queue.add({ id: run.id, lockKey: run.lockKey, maxConcurrent, until })
  }

  const cancel: RunStarter['cancel'] = async (runId, reason) => {
    const done = await write('automation.cancel', (tx) => {
      const run = getRun(tx, runId)
      return run !== undefined && executor.end(tx, run, 'cancelled', { error: JSON.stringify(cancelled(reason)) })
    })
    if (done) queue.drop(runId, 'cancelled')
    for (const child of parts.openChildren(runId)) await cancel(child, reason)
    return done
  }

  const cancelActive = async (lockKey: string): Promise<void> => {
    for (const other of queue.active(lockKey)) await cancel(other, 'A newer run took its place.')
  }

  return {
    insert,
    insertFailed,
    enqueue,
    cancel,
    draft({ item, flow }, draft) {
      const lock = { global: '', per_record: `:${draft.recordId ?? ''}`, per_user: `:${draft.userId ?? ''}` }
      return {
        id: ids.uuid(),
        flowUid: item.uid,
        flowName: item.name,
        flowVersion: item.version,
        status: 'pending',
        triggerType: draft.type,
        object: draft.object ?? null,
        recordId: draft.recordId ?? null,
        event: draft.event ?? null,
        userId: draft.userId,
        eventId: draft.eventId ?? null,
        runAs: flow.runAs,
        caller: JSON.stringify(draft.caller),
        input: JSON.stringify(draft.input),
        variables: JSON.stringify(
          startsItself.has(draft.type)
            ? defaultVariables(flow.variables)
            : initialVariables(flow.variables, draft.input.params),
        ),
        output: null,
        error: null,
        attempt: 1,
        parentRunId: draft.parent?.runId ?? null,
        parentKey: draft.parent?.key ?? null,
        lockKey: `${item.uid}${lock[flow.concurrency.lockScope]}`,
        depth: draft.depth,
        createdAt: clock.iso(),
        startedAt: null,
        completedAt: null,
        activeMs: 0,
        resumeAt: null,
      }
    },
    async startAsked(known, run) {
      const { flow } = known
      const { maxConcurrent, onConflict } = flow.concurrency
      const lock = { lockKey: run.lockKey, maxConcurrent }
      let release = queue.reserve(lock)
      if (release === undefined && onConflict === 'cancel_existing') {
        await cancelActive(run.lockKey)
        await Promise.all(queue.active(run.lockKey).map((id) => queue.settled(id)))
        release = queue.reserve(lock)
      }
      const mayWait = onConflict !== null && onConflict !== 'reject' && queue.waiting() < hostLimits.waiting
      if (release === undefined && !mayWait) throw automationError('concurrent_execution_limit', { maxConcurrent })
      try {
        await write('automation.start', (tx) => {
          insert(tx, known, run)
        })
      } finally {
        release?.()
      }
      enqueue(run, flow)
    },
    async startOwn({ flow }, run) {
      const { maxConcurrent, onConflict } = flow.concurrency
      const isFull = queue.active(run.lockKey).length >= maxConcurrent
      if (isFull && onConflict === 'cancel_existing') await cancelActive(run.lockKey)
      if (isFull && onConflict === 'reject') {
        const limit = automationError('concurrent_execution_limit')
        const error = JSON.stringify({ code: limit.code, message: limit.message })
        await write('automation.start', (tx) => {
          executor.end(tx, run, 'failed', { error })
        })
        return
      }
      enqueue(run, flow)
    },
    async room(count) {
      const isFull = (): boolean => queue.waiting() > 0 && queue.waiting() + count > hostLimits.waiting
      while (isFull() && !queue.isStopping()) await new Promise((resolve) => setTimeout(resolve, 100).unref())
    },
  }
}

/** What is kept of the request that starts a run. */
export function callerOf(ctx: RequestContext, rights: string | null): Caller {
  const keyId = ctx.key?.id ?? (ctx.credential === 'api-key' ? ctx.credentialId : undefined)
  return {
    organizationId: ctx.organizationId,
    scope: ctx.key === undefined ? (ctx.scope ?? null) : { permissionSets: ctx.key.permissionSets, readOnly: false },
    ...(keyId === undefined ? {} : { keyId }),
    locale: ctx.locale,
    requestId: ctx.requestId,
    causeEventId: ctx.causeEventId ?? null,
    rights,
  }
}

function cancelled(reason: string): Readonly<Record<string, unknown>> {
  return { code: 'cancelled', message: reason }
}
