// Runs that nodes of other runs start (D-151, `subflow`). A child has a row of its own, found by its place in the parent:
// a parent that goes on after a restart meets the child it started.
import type { PlatformError } from '#shared/errors.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { automationError } from '../errors.ts'
import type { NodeCall, NodeOutcome } from '../api.ts'
import type { RunRow } from '../store.ts'
import { getChild, getRun } from '../store.ts'
import type { Caller } from './caller.ts'
import type { Executor } from './engine/execute-run.ts'
import { RunInterrupted } from './engine/failures.ts'
import type { FlowBook, KnownFlow } from './flow-book.ts'
import type { SubflowInput } from './nodes/other-services.ts'
import { tooDeep } from './nodes/other-services.ts'
import { maxDepth } from './record-trigger.ts'
import type { RunQueue } from './run-queue.ts'
import type { RunStarter } from './run-starter.ts'

/** What subflows work with. */
export interface SubflowParts extends Pick<PluginHost, 'read' | 'write' | 'clock'> {
  readonly book: FlowBook
  readonly starter: RunStarter
  readonly executor: Executor
  readonly queue: RunQueue
}

const open: ReadonlySet<string> = new Set(['pending', 'running', 'retrying'])

/** Makes what a subflow node does. */
export function createSubflows(parts: SubflowParts): (call: NodeCall, input: SubflowInput) => Promise<NodeOutcome> {
  const { read, write, clock, book, starter, executor, queue } = parts

  const requireFlow = (name: string): KnownFlow => {
    const known = book.get(name)
    if (known === undefined) throw automationError('flow_not_found', { name })
    if (known.state.isEnabled && known.status === 'active') return known
    throw automationError('flow_disabled', { name, enabled: known.state.isEnabled, status: known.status })
  }

  /** The row of a child; it has its turn already, because its parent has. */
  const childOf = (call: NodeCall, parent: RunRow, input: SubflowInput): { known: KnownFlow; child: RunRow } => {
    const known = requireFlow(input.flow)
    const depth = parent.depth + 1
    if (depth >= maxDepth) throw tooDeep()
    const child = starter.draft(known, {
      type: 'subflow',
      input: { params: input.inputs, record: null, previous: null, event: { type: 'subflow' } },
      userId: parent.userId,
      caller: JSON.parse(parent.caller) as Caller,
      depth,
      parent: { runId: parent.id, key: call.key },
    })
    return { known, child: { ...child, status: 'running', startedAt: clock.iso() } }
  }

  /** Waits while the child is being carried out. */
  const settled = async (id: string, signal: AbortSignal): Promise<RunRow> => {
    for (;;) {
      await queue.settled(id)
      const child = getRun(read, id)
      if (child === undefined) throw automationError('execution_not_found', { runId: id })
      if (!open.has(child.status)) return child
      if (signal.aborted) throw new RunInterrupted()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  return async (call, input) => {
    const parent = getRun(read, call.run.id)!
    const before = getChild(read, parent.id, call.key)
    const start = before === undefined ? childOf(call, parent, input) : undefined
    const child = before ?? start!.child
    const launch = (): void => queue.goOn({ id: child.id, lockKey: child.lockKey })
    if (!input.wait) {
      return {
        output: { runId: child.id },
        commit(tx) {
          if (start === undefined || !starter.insert(tx, start.known, child)) return
          executor.tell(tx, child, 'started')
          tx.whenOnDisk(launch)
        },
      }
    }
    if (start !== undefined) {
      await write('automation.subflow', (tx) => {
        if (starter.insert(tx, start.known, child)) executor.tell(tx, child, 'started')
      })
      launch()
    }
    const end = await settled(child.id, call.ctx.signal)
    if (end.status === 'completed') return { output: end.output === null ? {} : (JSON.parse(end.output) as unknown) }
    if (end.status !== 'paused') throw failureOf(end)
    return {
      pause: { type: 'subflow', details: { runId: child.id } },
      commit(tx) {
        // It went on while this was being stored: the parent looks again.
        if (getRun(tx, child.id)?.status !== 'paused') throw new RunInterrupted()
      },
    }
  }
}

function failureOf(child: RunRow): PlatformError {
  const { code = 'execution_failed', message = '' } = JSON.parse(child.error ?? '{}') as {
    code?: string
    message?: string
  }
  return automationError('execution_failed', {
    reason: child.status === 'failed' ? code : child.status,
    message: `The subflow ${child.status === 'failed' ? `failed: ${message}` : `ended as ${child.status}.`}`,
  })
}
