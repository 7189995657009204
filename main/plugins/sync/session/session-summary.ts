// What all sessions come to, as facts: how many peers, what waits, what stands still. What that means for people is judged
// where the status is made (`peers/status.ts`). Knows statuses and numbers, no session.
import type { Proof, SessionStatus } from './types.ts'

/** What all sessions together come to. */
export interface SyncSummary {
  /** Peers there are, connected or not. */
  readonly knownPeers: number
  readonly connectedPeers: number
  /** Why a peer needs somebody. */
  readonly trouble?: string
  /** Why nothing moves though something should. */
  readonly stalled?: string
  readonly backlog: { readonly waiting: number; readonly parked: number; readonly quarantined: number }
  /** What is merged and has no place in the data here yet, and whether that is being seen to. */
  readonly unprojected: { readonly waiting: number; readonly isTrying: boolean }
  readonly outgoing: { readonly waiting: number; readonly oldestAt?: string }
  readonly incoming: { readonly remaining: number; readonly total: number; readonly partial: boolean }
  /** The oldest of the proofs that hold, and with whom; only when every connected peer has one. */
  readonly proof?: { readonly at: string; readonly with: readonly string[]; readonly digest: string }
}

/** A connected peer, as a summary sees it. */
export interface SummaryPeer {
  readonly status: SessionStatus
  /** Milliseconds since something last moved. */
  readonly stillMs: number
}

/** What a summary is made from. */
export interface SummaryInput extends Pick<SyncSummary, 'knownPeers' | 'backlog' | 'unprojected'> {
  /** Connected peers. */
  readonly peers: readonly SummaryPeer[]
  /** Peers that need somebody, and why. */
  readonly troubles: ReadonlyMap<string, string>
  /** Milliseconds since something was last applied. */
  readonly unappliedMs: number
  /** Own envelopes that no peer has acknowledged, and since when there are any. */
  readonly unsent: number
  readonly unsentSince?: string
}

/** How long without progress is stalled. */
const stalledMs = 60_000

/** Makes the summary. */
export function summarize(input: SummaryInput): SyncSummary {
  const { peers, knownPeers, backlog, unprojected, unsent, unsentSince } = input
  const statuses = peers.map(({ status }) => status)
  const waiting = statuses.reduce((most, { behindUs }) => Math.max(most, behindUs), unsent)
  const incoming = statuses
    .map((status) => status.incoming)
    .reduce((most, one) => (one.remaining > most.remaining ? one : most), { remaining: 0, total: 0 })
  const [trouble] = input.troubles.values()
  const stalled = causeOf(input)
  const proof = proofOf(statuses)
  return {
    knownPeers,
    connectedPeers: peers.length,
    backlog,
    unprojected,
    outgoing: { waiting, ...(waiting > 0 && unsentSince !== undefined && { oldestAt: unsentSince }) },
    incoming: { ...incoming, partial: incoming.remaining > 0 || backlog.waiting > 0 },
    ...(trouble !== undefined && { trouble }),
    ...(stalled !== undefined && { stalled }),
    ...(proof && { proof }),
  }
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
  if (proofs.length < statuses.length) return undefined
  const [oldest] = proofs.toSorted((a, b) => (a.at < b.at ? -1 : 1))
  return oldest && { at: oldest.at, with: proofs.map(({ peer }) => peer), digest: oldest.digest }
}
