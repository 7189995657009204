// How this machine stands to its peers: what the sessions come to, and what only the machine itself knows of. Pure.
import type { z } from 'zod'
import type { SyncStatus } from '#shared/contracts/sync-parts.ts'
import type { SyncSummary } from '../session/session-summary.ts'

/** The status as it is answered. */
export type StatusView = z.output<typeof SyncStatus>

/** What the machine knows beside its sessions. */
export interface StatusFacts {
  readonly isPreparing: boolean
  /** What stops this machine from taking part; undefined when nothing does. */
  readonly trouble: string | undefined
  readonly isPaused: boolean
  readonly conflicts: number
  /** Definitions that could not be stored as they are. */
  readonly stuck: number
}

/**
 * The state, and why where that is not plain. Conflicts are for people and wait until nothing moves any more; whether all
 * is equal is for the sessions alone to say (requirement R4).
 */
export function stateOf(summary: SyncSummary, facts: StatusFacts): Pick<StatusView, 'state' | 'reason'> {
  const { isPreparing, trouble, isPaused, conflicts, stuck } = facts
  if (trouble !== undefined) return { state: 'attention', reason: trouble }
  if (isPreparing) return { state: 'preparing' }
  const { state, reason } = summary
  if (state === 'offline') return { state, reason: isPaused ? 'paused' : 'unreachable' }
  if (state === 'up_to_date' && conflicts > 0) return { state: 'attention', reason: 'conflicts' }
  // A definition that cannot be stored says more than that something waits for it.
  if ((state === 'up_to_date' || reason === 'not_projected') && stuck > 0)
    return { state: 'attention', reason: 'waiting' }
  return reason === undefined ? { state } : { state, reason }
}
