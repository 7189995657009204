// All sessions of a machine: one for each peer that is connected, what is known of the others, and what all of them come
// to. Knows sessions and what they tell, not how links are opened.
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Position } from '#main/replication/wire/vector-codec.ts'
import { createBadCount } from './misbehaviour.ts'
import type { BadCount } from './misbehaviour.ts'
import type { AckStore } from './peer-memory.ts'
import { createPeerMemory } from './peer-memory.ts'
import { createPeerSession } from './peer-session.ts'
import { narrowedCode } from './reader.ts'
import { createBell } from './session-times.ts'
import type { SyncSummary } from './session-summary.ts'
import { summarize } from './session-summary.ts'
import type { PeerSession } from './peer-session.ts'
import type { BarrierResult, Proof, SessionParts, SessionStatus, SessionWorld } from './types.ts'

/** How long a peer that sent too much bad is left alone. */
const pausedMs = 600_000

/** How often the state is looked at though nothing happens: being stalled is the absence of events. */
const lookMs = 5_000

/** What became of a barrier with several peers. */
export interface BarriersResult {
  readonly reached: boolean
  readonly durableOn: readonly string[]
  readonly missing: readonly string[]
  readonly waitedMs: number
}

/** All sessions of a machine. */
export type Sessions = ReturnType<typeof createSessions>

/** What all sessions work with. */
export interface SessionsParts extends SessionWorld {
  readonly acks: AckStore
  /** Peers that are paired, connected or not. */
  readonly knownPeers: () => readonly string[]
  /** Whether a device is sent nothing, because its person may not read everything. */
  readonly isNarrowed?: (peer: string) => boolean
}

/** Makes the sessions of a machine; none at first. */
export function createSessions(parts: SessionsParts) {
  const { replica, timers, clock, log } = parts
  const memory = createPeerMemory(parts.acks, timers)
  const bell = createBell(timers, 20)
  const sessions = new Map<string, PeerSession>()
  const ended = new Map<string, SessionStatus>()
  const paused = new Map<string, { readonly reason: string; readonly until: number }>()
  /** What is held against peers, over their links: connecting anew forgives nothing. */
  const bad = new Map<string, BadCount>()
  /** What each peer had, by its own word, before the first link since both last had heard each other out. */
  const ackedBefore = new Map<string, Vector>()
  const heardOut = new Set<string>()
  /** When each device was last found to have the same, since this machine began. */
  const proved = new Map<string, string>()
  /** Links that have not ended yet. */
  const closing = new Set<Promise<void>>()
  let unsentSince: string | undefined
  let appliedAt = timers.now()
  let told = ''
  let isStopped = false

  const unsent = (): number => {
    const { inc } = replica.identity()
    const known = parts.knownPeers()
    const most = known.reduce((best, peer) => Math.max(best, memory.peers().get(peer)?.acked.get(inc) ?? 0), 0)
    const count = Math.max(0, (replica.vector().get(inc) ?? 0) - most)
    if (count === 0 || known.length === 0) unsentSince = undefined
    else unsentSince ??= clock.iso()
    return count
  }

  const pausedFor = (peer: string): string | undefined => {
    const found = paused.get(peer)
    if (found !== undefined && found.until <= timers.now()) paused.delete(peer)
    return paused.get(peer)?.reason
  }

  /** Peers that need somebody: what stopped their last session does not pass by itself. */
  function troubles(): Map<string, string> {
    const found = new Map<string, string>()
    for (const peer of parts.knownPeers()) {
      const status = sessions.get(peer)?.status() ?? ended.get(peer)
      const isLasting =
        status?.lastError !== undefined &&
        ['collision', 'fork', 'documents_differ', narrowedCode].includes(status.lastError)
      // As long as nothing is sent there, whether or not it is connected.
      const narrowed = parts.isNarrowed?.(peer) === true ? narrowedCode : undefined
      const reason =
        pausedFor(peer) ?? narrowed ?? (status?.state === 'refused' || isLasting ? status?.lastError : undefined)
      if (reason !== undefined) found.set(peer, reason)
    }
    return found
  }

  function summary(): SyncSummary {
    const count = unsent()
    const now = timers.now()
    return summarize({
      peers: [...sessions.values()].map((one) => ({ status: one.status(), stillMs: now - one.lastProgress() })),
      knownPeers: parts.knownPeers().length,
      troubles: troubles(),
      backlog: replica.backlog(),
      unprojected: replica.unprojected(),
      unappliedMs: now - appliedAt,
      unsent: count,
      ...(unsentSince !== undefined && { unsentSince }),
    })
  }

  /** Takes what a session knows into what is remembered. */
  function keep(session: PeerSession): void {
    const { protocol, lastSeenAt, proof } = session.status()
    if (protocol !== undefined) memory.note(session.peer, session.acked(), lastSeenAt)
    if (proof?.compared === 'digest') proved.set(session.peer, proof.at)
  }

  function end(session: PeerSession): void {
    const { peer } = session
    ended.set(peer, session.status())
    if (sessions.get(peer) === session) keep(session)
    if (sessions.get(peer) === session) sessions.delete(peer)
    bell.pull()
  }

  function look(): void {
    if (isStopped) return
    const now = JSON.stringify(summary())
    if (now !== told) bell.pull()
    told = now
    cancelLook = timers.after(lookMs, look)
  }

  const stopGrown = replica.onGrown(() => {
    unsent()
    bell.pull()
  })
  const stopApplied = replica.onApplied(() => {
    appliedAt = timers.now()
    bell.pull()
  })
  let cancelLook = timers.after(lookMs, look)

  return {
    /**
     * Begins a session over an open link; an earlier one of the same peer ends.
     * @returns undefined: the peer is paused or everything has stopped, and the link was closed
     */
    add(link: PeerLink, { peer, kind, token }: Pick<SessionParts, 'peer' | 'kind' | 'token'>): PeerSession | undefined {
      if (isStopped || pausedFor(peer) !== undefined) {
        link.close(isStopped ? 'stopping' : 'done')
        return undefined
      }
      sessions.get(peer)?.close('replaced')
      // A link that ended early may have told of another log under the number of this machine.
      if (heardOut.delete(peer) || !ackedBefore.has(peer))
        ackedBefore.set(peer, memory.peers().get(peer)?.acked ?? new Map())
      const held = bad.get(peer) ?? createBadCount(timers)
      bad.set(peer, held)
      const session = createPeerSession({
        ...parts,
        link,
        peer,
        kind,
        bad: held,
        hadOwn: ackedBefore.get(peer)!.get(replica.identity().inc) ?? 0,
        // Not when the link has ended: whoever is let in again meanwhile would be shut out after all.
        onPaused: (reason) => paused.set(peer, { reason, until: timers.now() + pausedMs }),
        ...(token !== undefined && { token }),
      })
      sessions.set(peer, session)
      let isMeasured = false
      session.onChange(() => {
        keep(session)
        const { clockOffsetMs, state } = session.status()
        if (state === 'open') heardOut.add(peer)
        if (!isMeasured && clockOffsetMs !== undefined) {
          isMeasured = true
          memory.measured(peer, clockOffsetMs)
        }
        bell.pull()
      })
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      closing.add(closed)
      // At once when the link ended while it was being taken.
      link.onClose(() => {
        end(session)
        closing.delete(closed)
        resolve()
      })
      bell.pull()
      return session
    },
    /** The session of a connected peer. */
    of: (peer: string): PeerSession | undefined => sessions.get(peer),
    all: (): readonly PeerSession[] => [...sessions.values()],
    /** What a peer had, by its own word, before it may have spoken of another log under the number of this machine. */
    ackedBefore: (peer: string): Vector => ackedBefore.get(peer) ?? new Map(),
    /** Status of a peer as of now, or as of its last session. */
    status: (peer: string): SessionStatus | undefined => sessions.get(peer)?.status() ?? ended.get(peer),
    /** Milliseconds a peer's clock is ahead, by its last five handshakes. */
    clockOffset: memory.clockOffset,
    /** Peers that have not acknowledged an envelope: none of them means it is everywhere. */
    missingOn: (position: Position): readonly string[] => {
      const known = new Set(parts.knownPeers())
      const never = [...known].filter((peer) => !memory.peers().has(peer))
      return [...memory.missingOn(position).filter((peer) => known.has(peer)), ...never]
    },
    /** Notes that a device was found to have the same documents by another way than a link to it. */
    noteProved: (peer: string): void => void proved.set(peer, clock.iso()),
    /** When a device was last found to have the same documents, since this machine began; ISO 8601. */
    provedAt: (peer: string): string | undefined => proved.get(peer),
    summary,
    /** Why a peer is paused; undefined when it is not. */
    pausedFor,
    /** Speaks to a paused peer again. */
    resume(peer: string): void {
      paused.delete(peer)
      bad.delete(peer)
    },
    /** Ends with a peer and forgets it. */
    forget(peer: string): void {
      sessions.get(peer)?.close('unpaired')
      sessions.delete(peer)
      memory.forget(peer)
      ended.delete(peer)
      paused.delete(peer)
      bad.delete(peer)
      ackedBefore.delete(peer)
    },
    /** Compares digests with one peer or all connected ones; the proofs there were in time. */
    async verify(timeoutMs: number, peer?: string): Promise<readonly Proof[]> {
      const asked = [...sessions.values()].filter((one) => peer === undefined || one.peer === peer)
      const proofs = await Promise.all(asked.map((one) => one.verify(timeoutMs)))
      return proofs.filter((proof) => proof !== null)
    },
    /**
     * Waits until everything written so far is durable on so many peers of those named.
     * @param needed peers that must have it; all of them when left out
     */
    async barrier(timeoutMs: number, on: readonly string[], needed = on.length): Promise<BarriersResult> {
      const from = timers.now()
      const durableOn: string[] = []
      const target = Math.min(needed, on.length)
      let release = (): void => undefined
      const enough = new Promise<void>((resolve) => {
        release = resolve
      })
      const one = async (peer: string): Promise<void> => {
        const result: BarrierResult | undefined = await sessions.get(peer)?.barrier(timeoutMs)
        if (result?.reached) durableOn.push(peer)
        if (durableOn.length >= target) release()
      }
      await Promise.race([enough, Promise.all(on.map(one))])
      return {
        reached: on.length > 0 && durableOn.length >= target,
        durableOn: [...durableOn],
        missing: on.filter((peer) => !durableOn.includes(peer)),
        waitedMs: Math.round(timers.now() - from),
      }
    },
    onChange: bell.onRing,
    /** Ends all sessions; resolves when the last one has said its last word. */
    async stop(): Promise<void> {
      isStopped = true
      cancelLook()
      stopGrown()
      stopApplied()
      for (const session of sessions.values()) {
        keep(session)
        session.close('stopping')
      }
      memory.flush()
      log.debug('All sessions with peers are ending.')
      await Promise.all(closing)
    },
  }
}
