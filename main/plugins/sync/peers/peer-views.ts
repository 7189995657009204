// Peers as they are shown: the roster, what is known of each between connections, and what its session says, put together.
// Pure; knows no link.
import type { z } from 'zod'
import type { SyncPeer } from '#shared/contracts/sync-parts.ts'
import type { DialStatus } from '#main/replication/channel/peer-dialler.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { countMissing } from '#main/replication/wire/vector-codec.ts'
import type { SessionStatus } from '../session/types.ts'
import type { StoredPeer } from './peer-store.ts'
import { relayId } from './peer-store.ts'
import type { RosterDevice } from './roster-entries.ts'
import type { LocalSettings } from './workspace-store.ts'

/** A peer as it is answered. */
export type PeerView = z.output<typeof SyncPeer>

/** What views are made of. */
export interface PeerFacts {
  readonly settings: LocalSettings
  readonly vector: Vector
  stored(peer: string): StoredPeer
  session(peer: string): SessionStatus | undefined
  dial(peer: string): DialStatus | undefined
  /** Why nothing is taken from a peer for a while: it sent too much that cannot be used. */
  pausedFor(peer: string): string | undefined
  errorOf(peer: string): { readonly reason: string; readonly at: string } | undefined
}

/** Another machine. */
export function deviceView(device: RosterDevice, facts: PeerFacts): PeerView {
  const { device: id, name, user, userName, role, fingerprint, revokedAt } = device
  const isConnected = facts.session(id) !== undefined
  const isViaRelay = facts.session(relayId)?.state === 'open'
  return {
    ...common(id, facts, revokedAt !== null),
    kind: 'device',
    name,
    user: { id: user, name: userName },
    role,
    fingerprint,
    via: revokedAt !== null ? null : isConnected ? 'direct' : isViaRelay ? 'relay' : null,
  }
}

/** The relay; null while none is set. */
export function relayView(facts: PeerFacts): PeerView | null {
  const { relayUrl, relayFingerprint } = facts.settings
  if (relayUrl === null) return null
  return {
    ...common(relayId, facts, false),
    kind: 'relay',
    name: 'Relay',
    user: null,
    role: null,
    fingerprint: relayFingerprint ?? '',
    address: relayUrl.replace(/^wss:\/\//, ''),
    via: facts.session(relayId) === undefined ? null : 'direct',
  }
}

type Common = Omit<PeerView, 'kind' | 'name' | 'user' | 'role' | 'fingerprint' | 'via'>

function common(id: string, facts: PeerFacts, isUnpaired: boolean): Common {
  const stored = facts.stored(id)
  const session = facts.session(id)
  const dial = facts.dial(id)
  const pausedFor = facts.pausedFor(id)
  const error = pausedFor === undefined ? facts.errorOf(id) : { reason: pausedFor, at: stored.lastSeenAt ?? '' }
  return {
    id,
    appVersion: session?.appVersion ?? null,
    protocol: session?.protocol ?? null,
    address: stored.addresses[0] ?? null,
    state: stateOf(stored, session, dial, isUnpaired, facts.settings.paused || pausedFor !== undefined),
    lastSeenAt: session?.lastSeenAt ?? stored.lastSeenAt,
    behindThem: session?.behindThem ?? null,
    behindUs: isUnpaired ? null : (session?.behindUs ?? countMissing(stored.acked, facts.vector)),
    clockOffsetMs: session?.clockOffsetMs === undefined ? null : Math.round(session.clockOffsetMs),
    bytesIn: session?.bytesIn ?? 0,
    bytesOut: session?.bytesOut ?? 0,
    ...(error === undefined ? {} : { lastError: error }),
  }
}

function stateOf(
  stored: StoredPeer,
  session: SessionStatus | undefined,
  dial: DialStatus | undefined,
  isUnpaired: boolean,
  isPaused: boolean,
): PeerView['state'] {
  if (isUnpaired) return 'unpaired'
  if (isPaused || stored.paused) return 'paused'
  if (session?.state === 'open' || session?.state === 'catching_up') return 'connected'
  if (session?.state === 'opening' || dial?.state === 'connecting') return 'connecting'
  return 'unreachable'
}
