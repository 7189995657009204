// The relay as a store: what arrives in one turn is committed together, and nobody is told before it is on the disk.
// Knows no socket, no peer, and nothing of what envelopes hold.
import type { AppendRun, Arrival, ArrivalOutcome, OpenState } from './append-run.ts'
import { createAppendRun, openState } from './append-run.ts'
import type { States } from './incarnation-state.ts'
import { createStates } from './incarnation-state.ts'
import type { RelayDatabase } from './row-store.ts'
import type { StoredRuns } from './stored-runs.ts'
import { createStoredRuns } from './stored-runs.ts'

/** Told after the commit; undefined when it failed and nothing of the turn was stored. */
export type Settled<T> = (outcome: T | undefined) => void

/** The store of a relay. */
export interface RelayStore extends StoredRuns {
  /** Stores an arrival with the others of this turn, and tells what became of it after the commit. */
  append(arrival: Arrival, settled: Settled<ArrivalOutcome>): void
  /** Tells once everything appended before is on the disk, or was not stored. */
  barrier(settled: Settled<true>): void
  /** Commits what has arrived now instead of at the end of the turn. */
  commit(): void
  /** Calls a listener after each commit with the workspaces that have something new to pass on. */
  onCommitted(listener: (workspaces: ReadonlySet<number>) => void): void
  /** Bytes of the envelopes of a workspace. */
  bytesOf(workspace: number): number
}

/** How a store works. */
export interface RelayStoreOptions {
  /** Bytes of envelopes a workspace may have. */
  readonly quotaBytes: number
  /** Runs the commit at the end of the turn. Default: setImmediate. */
  readonly schedule?: (commit: () => void) => void
  /** Told why a commit failed. */
  readonly onFailure: (error: unknown) => void
}

interface Pending {
  readonly arrival: Arrival | undefined
  readonly settled: (outcome: ArrivalOutcome | undefined) => void
}

const nothing: ArrivalOutcome = { refused: [], wants: [], durable: new Map() }

/** Makes the store over an open file. */
export function createRelayStore({ connection }: RelayDatabase, options: RelayStoreOptions): RelayStore {
  const { quotaBytes, schedule = setImmediate, onFailure } = options
  const states = createStates(connection)
  const runs = createStoredRuns(connection, states)
  const appendRun = createAppendRun(connection, quotaBytes)
  const listeners: ((workspaces: ReadonlySet<number>) => void)[] = []
  let pending: Pending[] = []
  let isScheduled = false

  const inTransaction = connection.transaction((batch: readonly Pending[]) => takeAll(batch, states, appendRun))

  const commit = (): void => {
    isScheduled = false
    const batch = pending
    pending = []
    if (batch.length === 0) return
    let taken: Taken | undefined
    try {
      taken = inTransaction.immediate(batch)
      states.replace(taken.states)
    } catch (error) {
      onFailure(error)
    }
    for (const [index, { settled }] of batch.entries()) settled(taken?.outcomes[index])
    if (taken && taken.states.size > 0) for (const listener of listeners) listener(new Set(taken.states.keys()))
  }

  const add = (one: Pending): void => {
    pending.push(one)
    if (isScheduled) return
    isScheduled = true
    schedule(commit)
  }

  return {
    ...runs,
    append: (arrival, settled) => add({ arrival, settled }),
    barrier: (settled) => add({ arrival: undefined, settled: (outcome) => settled(outcome && true) }),
    commit,
    onCommitted: (listener) => void listeners.push(listener),
    bytesOf: (workspace) => states.of(workspace).bytes,
  }
}

interface Taken {
  readonly outcomes: readonly ArrivalOutcome[]
  readonly states: ReadonlyMap<number, OpenState>
}

/** Everything the turn brought, against copies of what is known: memory follows the file only once it is committed. */
function takeAll(batch: readonly Pending[], states: States, appendRun: AppendRun): Taken {
  const open = new Map<number, OpenState>()
  const outcomes = batch.map(({ arrival }) => {
    if (arrival === undefined) return nothing
    const { id } = arrival.workspace
    const state = open.get(id) ?? openState(states.of(id))
    open.set(id, state)
    return appendRun(arrival, state)
  })
  return { outcomes, states: open }
}
