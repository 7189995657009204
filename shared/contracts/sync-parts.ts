// Shapes the contracts of sync share: status, settings, peers, pairing, conflicts and problems (design of sync,
// section 17). Bare bodies; times are ISO 8601 (D-10).
import { z } from 'zod'
import { PlainName } from './common.ts'

/** What the machine's data is to that of its peers. @source design of sync, section 17 */
export const syncStates = [
  'off',
  'preparing',
  'local_only',
  'up_to_date',
  'sending',
  'receiving',
  'offline',
  'attention',
  'stalled',
] as const

/** A part of something countable. */
export const SyncProgress = z.object({ done: z.int(), total: z.int() }).meta({ id: 'SyncProgress' })

/** Something that went wrong, in a word a person can be told the meaning of. */
export const SyncFailure = z.object({ reason: z.string(), at: z.string() }).meta({ id: 'SyncFailure' })

/** How this machine stands to its peers. Without a workspace the state is `off` and there is nothing to name. */
export const SyncStatus = z
  .object({
    state: z.enum(syncStates),
    reason: z.string().optional().meta({ description: 'Why the state is `attention`, `stalled` or `offline`.' }),
    progress: SyncProgress.optional().meta({ description: 'Records prepared or taken over; only while that goes on.' }),
    workspaceId: z.string().nullable().meta({ description: '32 hexadecimal digits.' }),
    epoch: z.int().nullable(),
    device: z
      .object({
        id: z.string(),
        name: z.string(),
        fingerprint: z.string().meta({ description: 'SHA-256 of the certificate, 64 hexadecimal digits.' }),
        inc: z.int().meta({ description: 'The number this start of the machine writes under.' }),
        role: z.enum(['admin', 'member']),
      })
      .nullable(),
    outgoing: z.object({ waiting: z.int(), oldestAt: z.string().optional() }),
    incoming: z.object({
      remaining: z.int(),
      total: z.int(),
      partial: z.boolean().meta({ description: 'One call of another machine is applied in part so far.' }),
    }),
    proof: z
      .object({
        at: z.string(),
        with: z.array(z.object({ id: z.string(), name: z.string() })),
        without: z.array(z.object({ id: z.string(), name: z.string(), lastSeenAt: z.string().nullable() })).meta({
          description: 'Machines of the workspace that it says nothing of, and when they were last heard of.',
        }),
        digest: z.string().meta({ description: 'Of all documents, hexadecimal digits.' }),
      })
      .optional()
      .meta({ description: 'When this machine and those peers last had equal documents.' }),
    counts: z.object({
      conflicts: z.int().meta({ description: 'Open ones, without what was refused.' }),
      refused: z.int().meta({ description: 'What other machines did not accept of this one, and nobody has decided.' }),
      keptHere: z.int().meta({ description: 'What they did not accept and stays on this machine on purpose.' }),
      parked: z.int(),
      quarantined: z.int(),
      waiting: z.int().meta({ description: 'Definitions and documents that are here and not in their place yet.' }),
      repairs: z.int(),
    }),
    logBytes: z.int(),
    putBackAt: z.string().optional().meta({
      description:
        'When a copy of the data folder was last found in its place; what the copy lacks comes from the other machines.',
    }),
    lastError: SyncFailure.optional(),
  })
  .meta({ id: 'SyncStatus' })

/** How this machine takes part. */
export const SyncSettings = z
  .object({
    relayUrl: z.string().nullable().meta({ description: '`wss://host:port` of the relay.' }),
    relayFingerprint: z.string().nullable().meta({ description: 'Which certificate the relay must show.' }),
    relayToken: z
      .string()
      .nullable()
      .meta({ description: 'Admin token that registers the workspace at the relay; reads back masked.' }),
    listen: z.boolean().meta({ description: 'Whether other machines may connect to this one.' }),
    port: z.int().meta({ description: '0 lets the system choose one at each start.' }),
    interfaces: z
      .array(z.string())
      .meta({ description: 'Addresses of this machine to listen on; none means every one but loopback.' }),
    discovery: z.boolean(),
    paused: z.boolean().meta({ description: 'No connection to any peer is kept; changes wait.' }),
    keepFiles: z.boolean().meta({
      description:
        'Whether the bytes of every file are kept on this machine; otherwise they come when a file is opened.',
    }),
  })
  .meta({ id: 'SyncSettings' })

/** What a machine is called. */
export const DeviceName = PlainName.max(100)

/** Settings to change. */
export const SyncSettingsPatch = z
  .strictObject({
    deviceName: DeviceName.optional().meta({ description: 'What the other machines call this one from now on.' }),
    relayUrl: z.string().max(300).nullable().optional(),
    relayFingerprint: z.string().max(200).nullable().optional(),
    relayToken: z.string().max(500).nullable().optional(),
    listen: z.boolean().optional(),
    port: z.int().min(0).max(65_535).optional(),
    interfaces: z.array(z.string().max(100)).max(32).optional(),
    discovery: z.boolean().optional(),
    paused: z.boolean().optional(),
    keepFiles: z.boolean().optional(),
  })
  .meta({ id: 'SyncSettingsPatch' })

/** The settings, and what may be chosen among. */
export const SyncSettingsAnswer = z
  .object({
    settings: SyncSettings,
    addresses: z
      .array(z.object({ address: z.string(), interface: z.string(), loopback: z.boolean() }))
      .meta({ description: 'Addresses of this machine that may be listened on.' }),
    listening: z.array(z.string()).meta({ description: '`host:port` where this machine can be reached now.' }),
  })
  .meta({ id: 'SyncSettingsAnswer' })

/** Another machine, or the relay. */
export const SyncPeer = z
  .object({
    id: z.string().meta({ description: 'Id of the device; `relay` for the relay.' }),
    kind: z.enum(['device', 'relay', 'hub']),
    name: z.string(),
    user: z.object({ id: z.string(), name: z.string() }).nullable(),
    role: z.enum(['admin', 'member']).nullable(),
    fingerprint: z.string(),
    appVersion: z.string().nullable(),
    protocol: z.int().nullable(),
    address: z.string().nullable().meta({
      description: '`host:port` it is tried at; null when none is known, and for callers who may not manage settings.',
    }),
    via: z.enum(['direct', 'relay']).nullable().meta({ description: 'How it is connected now.' }),
    state: z.enum(['connected', 'connecting', 'unreachable', 'paused', 'unpaired']),
    lastSeenAt: z.string().nullable(),
    behindThem: z.int().nullable().meta({ description: 'Changes the peer has and this machine has not.' }),
    behindUs: z.int().nullable().meta({ description: 'Changes of this machine the peer has not.' }),
    clockOffsetMs: z.int().nullable().meta({ description: 'How far its clock is ahead of the one here.' }),
    bytesIn: z.int(),
    bytesOut: z.int(),
    lastError: SyncFailure.optional(),
  })
  .meta({ id: 'SyncPeer' })

/** Where a pairing stands. */
export const PairingState = z.enum(['waiting', 'comparing', 'confirmed', 'transferring', 'done', 'failed', 'expired'])

/** An invite as the one who invites sees it; the code is told once. */
export const SyncInvite = z
  .object({
    pairingId: z.string(),
    code: z.string().meta({ description: 'Seven digits.' }),
    link: z.string().meta({ description: '`cairn://pair?...` with code and fingerprint behind the #.' }),
    addresses: z
      .array(z.string())
      .meta({ description: '`host:port`; empty while nobody may connect to this machine.' }),
    relay: z
      .string()
      .optional()
      .meta({ description: '`wss://host:port/name`: the relay and the mailbox where both machines can meet.' }),
    fingerprint: z.string(),
    expiresAt: z.string(),
    triesLeft: z.int(),
  })
  .meta({ id: 'SyncInvite' })

/** A pairing as both sides see it. */
export const SyncPairing = z
  .object({
    pairingId: z.string(),
    side: z.enum(['inviter', 'joiner']),
    state: PairingState,
    comparison: z.string().optional().meta({ description: 'Six digits that both screens must show.' }),
    peer: z.object({ name: z.string(), fingerprint: z.string() }).optional(),
    progress: SyncProgress.optional(),
    reason: z.string().optional(),
    triesLeft: z.int().optional(),
    expiresAt: z.string(),
  })
  .meta({ id: 'SyncPairing' })

/** What this machine held before it joined the workspace, and nobody has brought in yet. */
export const SyncAside = z
  .object({
    objects: z.array(
      z.object({
        object: z.string(),
        label: z.string().meta({ description: 'Of many of its records.' }),
        records: z
          .int()
          .meta({ description: 'How many of its records are on this machine alone, the trash included.' }),
        isDefined: z.boolean().meta({ description: 'Whether the workspace has the object.' }),
        mayAdopt: z
          .boolean()
          .meta({ description: 'False for an object the workspace lacks, on a machine of no administrator.' }),
      }),
    ),
  })
  .meta({ id: 'SyncAside' })

/** How far a record has come. */
export const SyncRecordState = z
  .object({
    object: z.string(),
    id: z.string(),
    state: z.enum(['here', 'sent', 'everywhere']),
    missingOn: z.array(z.string()).meta({ description: 'Ids of peers that lack the newest change of it.' }),
    refusedBy: z
      .array(z.string())
      .meta({ description: 'Ids of peers that did not accept a change of it; then it is not `everywhere`.' }),
    conflicts: z.int(),
  })
  .meta({ id: 'SyncRecordState' })

/** Who has what so far. */
export const SyncBarrier = z
  .object({
    reached: z.boolean(),
    position: z.object({ inc: z.int(), seq: z.int() }),
    durableOn: z.array(z.string()),
    missing: z.array(z.string()),
    waitedMs: z.int(),
  })
  .meta({ id: 'SyncBarrier' })

/** What a report of a fault needs, and no content. */
export const SyncDiagnostics = z
  .object({
    at: z.string(),
    appVersion: z.string(),
    protocol: z.int(),
    status: SyncStatus,
    vector: z.array(z.object({ inc: z.int(), seq: z.int(), device: z.string().nullable() })),
    digest: z.string().nullable(),
    peers: z.array(SyncPeer),
    problems: z.array(
      z.object({ inc: z.int(), seq: z.int(), kind: z.string(), reason: z.string(), since: z.string() }),
    ),
    waiting: z
      .array(
        z.object({
          kind: z.string(),
          type: z.string(),
          count: z.int(),
          reason: z.string(),
          since: z.string().nullable(),
        }),
      )
      .meta({ description: 'What is here and not in its place yet, without names.' }),
  })
  .meta({ id: 'SyncDiagnostics' })
