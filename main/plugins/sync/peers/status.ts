// How this machine stands to its peers: the one place where what is known here becomes the status that is answered. Pure, and
// small enough for a host that does not take part.
import type { z } from 'zod'
import type { SyncStatus } from '#shared/contracts/sync-parts.ts'
import type { SyncSummary } from '../session/session-summary.ts'
import type { LifeState } from './lifecycle.ts'
import type { PeerView } from './peer-list.ts'

/** The status as it is answered. */
export type StatusView = z.output<typeof SyncStatus>

type Verdict = Pick<StatusView, 'state' | 'reason'>

/** What a machine that takes part knows; some of it is shown as it is. */
export interface StatusFacts extends Pick<
  StatusView,
  'workspaceId' | 'epoch' | 'device' | 'counts' | 'logBytes' | 'putBackAt' | 'lastError'
> {
  /** How far documents are made of what existed before. */
  readonly progress: { readonly done: number; readonly total: number }
  /** Nobody can connect to this machine, although it should listen. */
  readonly isDeaf: boolean
  readonly isPaused: boolean
  /** The disk is full: nothing that comes can be stored. */
  readonly isFull: boolean
  /** Definitions that could not be stored as they are. */
  readonly stuck: number
  readonly sessions: SyncSummary
  readonly peers: readonly Pick<PeerView, 'id' | 'kind' | 'name' | 'state' | 'lastSeenAt' | 'lastError'>[]
}

/**
 * The status.
 * @param why sync should be on and is not
 * @param facts undefined while this machine does not take part
 */
export function statusOf(life: LifeState, why: string | undefined, facts: StatusFacts | undefined): StatusView {
  if (facts === undefined)
    return {
      ...(why === undefined ? { state: 'off' } : { state: 'attention', reason: why }),
      workspaceId: null,
      epoch: null,
      device: null,
      outgoing: { waiting: 0 },
      incoming: { remaining: 0, total: 0, partial: false },
      counts: { conflicts: 0, refused: 0, keptHere: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 },
      logBytes: 0,
    }
  const { progress, isDeaf: _deaf, isPaused: _paused, isFull: _full, stuck: _stuck, sessions, peers, ...shown } = facts
  const together = verdictOfSessions(facts)
  const verdict = verdictOf(life, together, facts)
  const { proof } = sessions
  return {
    ...shown,
    ...verdict,
    ...(verdict.state === 'preparing' ? { progress } : {}),
    outgoing: { ...sessions.outgoing },
    incoming: { ...sessions.incoming },
    ...(together.state === 'up_to_date' && proof !== undefined ? { proof: shownProof(proof, peers) } : {}),
  }
}

/**
 * What the machine itself knows comes first. Conflicts are for people and wait until nothing moves any more; whether all is
 * equal is for the sessions alone to say (requirement R4).
 */
function verdictOf(life: LifeState, together: Verdict, { isDeaf, isFull, counts, stuck }: StatusFacts): Verdict {
  if (life === 'unpaired') return { state: 'attention', reason: 'unpaired' }
  if (isFull) return { state: 'attention', reason: 'disk_full' }
  if (isDeaf) return { state: 'attention', reason: 'listen_failed' }
  if (life === 'preparing') return { state: 'preparing' }
  // Whatever else goes on: what others did not accept has not arrived, and nothing but a person brings it there.
  if (counts.refused > 0) return { state: 'attention', reason: 'not_accepted' }
  const { state, reason } = together
  // What stays here on purpose keeps the others from proving that they have the same.
  if (counts.keptHere > 0 && (state === 'up_to_date' || isUnproved(together)))
    return { state: 'attention', reason: 'kept_here' }
  if (state === 'up_to_date' && counts.conflicts > 0) return { state: 'attention', reason: 'conflicts' }
  // A definition that cannot be stored says more than that something waits for it.
  if ((state === 'up_to_date' || reason === 'not_projected') && stuck > 0)
    return { state: 'attention', reason: 'waiting' }
  return together
}

function isUnproved({ state, reason }: Verdict): boolean {
  return (state === 'sending' && reason === 'checking') || (state === 'stalled' && reason === 'not_proved')
}

function verdictOfSessions({ isPaused, sessions, peers }: StatusFacts): Verdict {
  const { knownPeers, connectedPeers, trouble, stalled, backlog, unprojected, outgoing, incoming, proof } = sessions
  if (knownPeers === 0) return { state: 'local_only' }
  if (trouble !== undefined) return { state: 'attention', reason: trouble }
  if (backlog.parked + backlog.quarantined > 0) return { state: 'attention', reason: 'problems' }
  if (connectedPeers === 0) {
    // Of the peer: with a full disk of its own this machine needs attention.
    const isFull = peers.some(({ lastError }) => lastError?.reason === 'disk_full')
    return { state: 'offline', reason: isPaused ? 'paused' : isFull ? 'disk_full' : 'unreachable' }
  }
  if (stalled !== undefined) return { state: 'stalled', reason: stalled }
  if (incoming.partial) return { state: 'receiving' }
  if (outgoing.waiting > 0) return { state: 'sending' }
  // Equal documents are not enough: what they hold must be where people see it (requirement R4).
  if (unprojected.waiting > 0)
    return unprojected.isTrying ? { state: 'receiving' } : { state: 'attention', reason: 'not_projected' }
  return proof === undefined ? { state: 'sending', reason: 'checking' } : { state: 'up_to_date' }
}

/** A proof with names, and the machines of the workspace it says nothing of. */
function shownProof(
  { at, digest, with: proved }: NonNullable<SyncSummary['proof']>,
  peers: StatusFacts['peers'],
): StatusView['proof'] {
  return {
    at,
    digest,
    with: proved.map((id) => ({ id, name: peers.find((peer) => peer.id === id)?.name ?? id })),
    without: peers
      .filter(({ id, kind, state }) => kind === 'device' && state !== 'unpaired' && !proved.includes(id))
      .map(({ id, name, lastSeenAt }) => ({ id, name, lastSeenAt })),
  }
}
