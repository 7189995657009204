// The scenes of sync that tests of the screens begin with: a host with two other devices and a relay, and what differs from
// it. Data only.
import type { SyncScene } from './sync-answers.ts'

const fingerprint = (seed: string): string => seed.repeat(64 / seed.length)
const own = fingerprint('3f9a41c07be2d865')
const laptop = fingerprint('b81e07d4c2f5936a')

const traffic = { bytesIn: 4_810_233, bytesOut: 1_204_882 }
const known = { appVersion: '0.1.0', protocol: 1, ...traffic }
const ada = { id: '0197b2f0-0000-7000-8000-00000000000a', name: 'Ada Lovelace' }
const grace = { id: '0197b2f0-0000-7000-8000-00000000000b', name: 'Grace Hopper' }

/** A moment so many minutes ago. */
export const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

/** A host in step with its devices; every call gives a scene of its own. */
export function syncScene(change: Partial<SyncScene> = {}): SyncScene {
  const peers: SyncScene['peers'] = [
    {
      ...known,
      id: 'd1',
      kind: 'device',
      name: 'Laptop',
      user: ada,
      role: 'admin',
      fingerprint: laptop,
      address: '192.168.1.21:7421',
      via: 'direct',
      state: 'connected',
      lastSeenAt: minutesAgo(0),
      behindThem: 0,
      behindUs: 0,
      clockOffsetMs: 120,
    },
    {
      ...known,
      id: 'd2',
      kind: 'device',
      name: 'Workshop',
      user: grace,
      role: 'member',
      fingerprint: fingerprint('c05d'),
      address: '192.168.1.34:7421',
      via: null,
      state: 'unreachable',
      lastSeenAt: minutesAgo(60 * 30),
      behindThem: 0,
      behindUs: 14,
      clockOffsetMs: 3_600_000,
      lastError: { reason: 'unreachable', at: minutesAgo(4) },
    },
    {
      ...known,
      id: 'relay',
      kind: 'relay',
      name: 'Relay',
      user: null,
      role: null,
      fingerprint: fingerprint('77aa'),
      address: 'relay.example.org:7422',
      via: 'direct',
      state: 'connected',
      lastSeenAt: minutesAgo(0),
      behindThem: 0,
      behindUs: 0,
      clockOffsetMs: 40,
    },
  ]
  return {
    status: {
      state: 'up_to_date',
      workspaceId: fingerprint('9d').slice(0, 32),
      epoch: 1,
      device: { id: 'd0', name: 'Desk', fingerprint: own, inc: 2_841_337_104, role: 'admin' },
      outgoing: { waiting: 0 },
      incoming: { remaining: 0, total: 0, partial: false },
      proof: {
        at: minutesAgo(2),
        with: [
          { id: 'd1', name: 'Laptop' },
          { id: 'relay', name: 'Relay' },
        ],
        without: [],
        digest: fingerprint('e4'),
      },
      counts: { conflicts: 0, refused: 0, keptHere: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 },
      logBytes: 18_400_000,
    },
    settings: {
      settings: {
        relayUrl: 'wss://relay.example.org:7422',
        relayFingerprint: fingerprint('77aa'),
        relayToken: '********',
        listen: true,
        port: 7_421,
        interfaces: ['192.168.1.20'],
        discovery: false,
        paused: false,
        keepFiles: false,
      },
      addresses: [
        { address: '192.168.1.20', interface: 'eth0', loopback: false },
        { address: '127.0.0.1', interface: 'lo', loopback: true },
      ],
      listening: ['192.168.1.20:7421'],
    },
    peers,
    problems: [],
    invite: {
      pairingId: 'p1',
      code: '4093127',
      link: `cairn://pair?a=192.168.1.20%3A7421#c=4093127&f=${own}`,
      addresses: ['192.168.1.20:7421', '[fd12::20]:7421'],
      relay: 'relay.example.org:7422',
      fingerprint: own,
      expiresAt: new Date(Date.now() + 5 * 60_000).toISOString(),
      triesLeft: 3,
    },
    pairing: {
      pairingId: 'p1',
      side: 'inviter',
      state: 'waiting',
      triesLeft: 3,
      expiresAt: new Date(Date.now() + 5 * 60_000).toISOString(),
    },
    record: { state: 'everywhere', missingOn: [], refusedBy: [], conflicts: 0 },
    refusals: {},
    asked: [],
    ...change,
  }
}

/** A scene whose status differs. */
export function syncSceneWith(status: Partial<SyncScene['status']>, change: Partial<SyncScene> = {}): SyncScene {
  const scene = syncScene(change)
  return { ...scene, status: { ...scene.status, ...status } }
}

/** A host on which sync was never turned on. */
export function syncOffScene(change: Partial<SyncScene> = {}): SyncScene {
  return syncSceneWith(
    { state: 'off', device: null, workspaceId: null, epoch: null, proof: undefined, logBytes: 0 },
    { peers: [], ...change },
  )
}

/** The other device once both have met: what both people compare. */
export function comparing(side: 'inviter' | 'joiner'): SyncScene['pairing'] {
  return {
    ...syncScene().pairing,
    side,
    state: 'comparing',
    comparison: '482913',
    peer: { name: side === 'inviter' ? 'Workshop' : 'Desk', fingerprint: side === 'inviter' ? laptop : own },
  }
}

/** Changes that are not in their place. */
export const someProblems: SyncScene['problems'] = [
  {
    inc: 1_204_998_311,
    seq: 882,
    device: { id: 'd1', name: 'Laptop' },
    kind: 'parked',
    reason: 'newer_schema',
    detail: 'object invoice',
    since: minutesAgo(12),
  },
  {
    inc: 771_002_455,
    seq: 17,
    device: { id: 'd2', name: 'Workshop' },
    kind: 'quarantine',
    reason: 'forbidden',
    detail: '',
    since: minutesAgo(60 * 26),
  },
]

/** What a device held before it joined. */
export const someAside: SyncScene['aside'] = [
  { object: 'album', label: 'Albums', records: 12, isDefined: false, mayAdopt: true },
  { object: 'parts_item', label: 'Parts', records: 1_204, isDefined: true, mayAdopt: true },
  { object: 'task_2', label: 'Tasks', records: 3, isDefined: false, mayAdopt: false },
]
