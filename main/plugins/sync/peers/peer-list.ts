// Peers as they are shown: the roster, what is known of each between connections, and what its session says, put together.
// Pure; knows no link.
import type { z } from 'zod'
import type { SyncPeer } from '#shared/contracts/sync-parts.ts'
import type { DialStatus } from '#main/replication/channel/peer-dialler.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { countMissing } from '#main/replication/wire/vector-codec.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionStatus } from '../session/types.ts'
import type { PeerStore, StoredPeer } from './peer-store.ts'
import { relayId } from './peer-store.ts'
import type { RosterDevice } from './roster-entries.ts'
import type { LocalSettings } from './workspace-store.ts'

/** A peer as it is answered. */
export type PeerView = z.output<typeof SyncPeer>

/** What the list is made of. */
export interface PeerFacts {
  /** The other machines, unpaired ones included. */
  readonly devices: readonly RosterDevice[]
  readonly settings: LocalSettings
  readonly vector: Vector
  readonly store: Pick<PeerStore, 'of' | 'errorOf'>
  readonly sessions: Pick<Sessions, 'of' | 'pausedFor'>
  dial(peer: string): DialStatus | undefined
}

/** The other machines, and the relay where one is set. */
export function listPeers(facts: PeerFacts): PeerView[] {
  const { relayUrl, relayFingerprint } = facts.settings
  const relay = facts.sessions.of(relayId)
  const devices = facts.devices.map((device): PeerView => {
    const { device: id, name, user, userName, role, fingerprint, revokedAt } = device
    const isUnpaired = revokedAt !== null
    const isConnected = facts.sessions.of(id) !== undefined
    const isViaRelay = relay?.status().state === 'open'
    return {
      ...common(id, facts, isUnpaired),
      kind: 'device',
      name,
      user: { id: user, name: userName },
      role,
      fingerprint,
      via: isUnpaired ? null : isConnected ? 'direct' : isViaRelay ? 'relay' : null,
    }
  })
  if (relayUrl === null) return devices
  const shown: PeerView = {
    ...common(relayId, facts, false),
    kind: 'relay',
    name: 'Relay',
    user: null,
    role: null,
    fingerprint: relayFingerprint ?? '',
    address: relayUrl.replace(/^wss:\/\//, ''),
    via: relay === undefined ? null : 'direct',
  }
  return [...devices, shown]
}

function common(
  id: string,
  { store, sessions, settings, vector, dial }: PeerFacts,
  isUnpaired: boolean,
): Omit<PeerView, 'kind' | 'name' | 'user' | 'role' | 'fingerprint' | 'via'> {
  const stored = store.of(id)
  const session = sessions.of(id)?.status()
  // Nothing is taken for a while from a peer that sent too much that cannot be used.
  const pausedFor = sessions.pausedFor(id)
  const error = pausedFor === undefined ? store.errorOf(id) : { reason: pausedFor, at: stored.lastSeenAt ?? '' }
  return {
    id,
    appVersion: session?.appVersion ?? null,
    protocol: session?.protocol ?? null,
    address: stored.addresses[0] ?? null,
    state: isUnpaired ? 'unpaired' : stateOf(stored, session, dial(id), settings.paused || pausedFor !== undefined),
    lastSeenAt: session?.lastSeenAt ?? stored.lastSeenAt,
    behindThem: session?.behindThem ?? null,
    behindUs: isUnpaired ? null : (session?.behindUs ?? countMissing(stored.acked, vector)),
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
  isPaused: boolean,
): PeerView['state'] {
  if (isPaused || stored.paused) return 'paused'
  if (session?.state === 'open' || session?.state === 'catching_up') return 'connected'
  if (session?.state === 'opening' || dial?.state === 'connecting') return 'connecting'
  return 'unreachable'
}
