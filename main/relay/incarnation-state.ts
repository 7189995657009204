// What a relay has of each incarnation of a workspace, in memory: read once from the file, and replaced after a commit,
// never before it. Knows numbers, no envelopes.
import type { KeyObject } from 'node:crypto'
import type { Connection } from '#main/database/open.ts'
import { countingRuns } from './row-store.ts'
import type { CounterRow } from './row-store.ts'

/** What the relay has of one incarnation. */
export interface IncarnationState {
  /** Last envelope stored; all before it are stored too. */
  readonly stored: number
  /** Last envelope that a stored head vouches for: what is acknowledged, and passed on. */
  readonly headed: number
  /** Envelopes and bytes stored after the last head. */
  readonly openCount: number
  readonly openBytes: number
  /** Who signed its last head; null where no device that the relay heard of did, undefined before that was looked at. */
  readonly owner?: KeyObject | null
}

/** What the relay has of a workspace. */
export interface WorkspaceState {
  readonly incarnations: ReadonlyMap<number, IncarnationState>
  readonly bytes: number
}

/** Nothing of an incarnation. */
export const nothingStored: IncarnationState = { stored: 0, headed: 0, openCount: 0, openBytes: 0 }

/** The states of all workspaces that were asked for since the start. */
export interface States {
  of(workspace: number): WorkspaceState
  /** Puts what a commit has made true in the place of what was. */
  replace(states: ReadonlyMap<number, WorkspaceState>): void
}

/** Reads states from the file as they are asked for. */
export function createStates(connection: Connection): States {
  const known = new Map<number, WorkspaceState>()
  const counters = connection.prepare<[number], CounterRow>(countingRuns.counters)
  const open = connection.prepare<[number, number, number], { count: number; bytes: number }>(countingRuns.open)
  const total = connection.prepare<[number], number>(countingRuns.total).pluck()

  const load = (workspace: number): WorkspaceState => {
    const incarnations = new Map<number, IncarnationState>()
    for (const { inc, stored, headed } of counters.all(workspace)) {
      const since = stored > headed ? open.get(workspace, inc, headed)! : { count: 0, bytes: 0 }
      incarnations.set(inc, { stored, headed, openCount: since.count, openBytes: since.bytes })
    }
    return { incarnations, bytes: total.get(workspace) ?? 0 }
  }

  return {
    of(workspace) {
      const state = known.get(workspace) ?? load(workspace)
      known.set(workspace, state)
      return state
    },
    replace(states) {
      for (const [workspace, state] of states) known.set(workspace, state)
    },
  }
}
