// One state for all peers together, as the screens show it. Knows statuses and numbers, no session.
import type { Proof, SessionStatus } from './types.ts'

/** The state of all peers together; `off` and `preparing` are known elsewhere. @source sync.md section 17 */
export type SummaryState = 'local_only' | 'up_to_date' | 'sending' | 'receiving' | 'offline' | 'attention' | 'stalled'

/** What all sessions together come to. */
export interface SyncSummary {
  readonly state: SummaryState
  /** A code: why it is stalled or needs attention, or `checking` while digests are compared. */
  readonly reason?: string
  readonly outgoing: { readonly waiting: number; readonly oldestAt?: string }
  readonly incoming: { readonly remaining: number; readonly total: number; readonly partial: boolean }
  /** The oldest of the proofs that hold, and with whom; only when every connected peer has one. */
  readonly proof?: { readonly at: string; readonly with: readonly string[]; readonly digest: string }
  readonly lastError?: string
}

/** A connected peer, as a summary sees it. */
export interface SummaryPeer {
  readonly status: SessionStatus
  /** Milliseconds since something last moved. */
  readonly stillMs: number
}

/** What a summary is made from. */
export interface SummaryInput {
  /** Connected peers. */
  readonly peers: readonly SummaryPeer[]
  /** Peers there are, connected or not. */
  readonly knownPeers: number
  /** Peers that need somebody, and why. */
  readonly troubles: ReadonlyMap<string, string>
  readonly backlog: { readonly waiting: number; readonly parked: number; readonly quarantined: number }
  /** What is merged and has no place in the data here yet, and whether that is being seen to. */
  readonly unprojected: { readonly waiting: number; readonly isTrying: boolean }
  /** Milliseconds since something was last applied. */
  readonly unappliedMs: number
  /** Own envelopes that no peer has acknowledged, and since when there are any. */
  readonly unsent: number
  readonly unsentSince?: string
}

/** How long without progress is stalled. */
export const stalledMs = 60_000

/** Makes the summary. */
export function summarize(input: SummaryInput): SyncSummary {
  const { peers, backlog, troubles, unsent, unsentSince } = input
  const statuses = peers.map(({ status }) => status)
  const waiting = statuses.reduce((most, { behindUs }) => Math.max(most, behindUs), unsent)
  const incoming = statuses
    .map((status) => status.incoming)
    .reduce((most, one) => (one.remaining > most.remaining ? one : most), { remaining: 0, total: 0 })
  const lastError = statuses.map((status) => status.lastError).findLast((error) => error !== undefined)
  const [state, reason] = judge(input, incoming.remaining, waiting)
  const proof = state === 'up_to_date' ? proofOf(statuses) : undefined
  return {
    state,
    ...(reason !== undefined && { reason }),
    outgoing: { waiting, ...(waiting > 0 && unsentSince !== undefined && { oldestAt: unsentSince }) },
    incoming: { ...incoming, partial: incoming.remaining > 0 || backlog.waiting > 0 },
    ...(proof && { proof }),
    ...((lastError ?? troubles.values().next().value) !== undefined && {
      lastError: lastError ?? troubles.values().next().value!,
    }),
  }
}

function judge(input: SummaryInput, remaining: number, waiting: number): readonly [SummaryState, string?] {
  const { peers, knownPeers, troubles, backlog } = input
  if (knownPeers === 0) return ['local_only']
  const [trouble] = troubles.values()
  if (trouble !== undefined) return ['attention', trouble]
  if (backlog.parked + backlog.quarantined > 0) return ['attention', 'problems']
  if (peers.length === 0) return ['offline']
  const cause = causeOf(input)
  if (cause !== undefined) return ['stalled', cause]
  if (remaining > 0 || backlog.waiting > 0) return ['receiving']
  if (waiting > 0) return ['sending']
  // Equal documents are not enough: what they hold must be where people see it (requirement R4).
  if (input.unprojected.waiting > 0) return input.unprojected.isTrying ? ['receiving'] : ['attention', 'not_projected']
  return peers.every(({ status }) => status.proof !== undefined) ? ['up_to_date'] : ['sending', 'checking']
}

/** Why nothing moves though something should; undefined while it does. */
function causeOf({ peers, backlog, unappliedMs }: SummaryInput): string | undefined {
  for (const { status, stillMs } of peers) {
    if (stillMs < stalledMs) continue
    if (status.state === 'opening') return 'not_answered'
    if (status.behindThem > 0) return status.lastError ?? 'not_received'
    if (status.behindUs > 0) return status.lastError ?? 'not_acknowledged'
    if (status.proof === undefined && backlog.waiting === 0) return status.lastError ?? 'not_proved'
  }
  return backlog.waiting > 0 && unappliedMs >= stalledMs ? 'not_applied' : undefined
}

function proofOf(statuses: readonly SessionStatus[]): SyncSummary['proof'] {
  const proofs = statuses.map(({ proof }) => proof).filter((proof): proof is Proof => proof !== undefined)
  const [oldest] = proofs.toSorted((a, b) => (a.at < b.at ? -1 : 1))
  return oldest && { at: oldest.at, with: proofs.map(({ peer }) => peer), digest: oldest.digest }
}
