// Contracts of sync: texts that several people edit at once, and this machine among its peers. Bare bodies. Messages of
// the WebSocket of a text are those of Yjs and the notes of `shared/live-text.ts`. Conflicts and problems are in
// `sync-conflicts.ts`.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { RecordParams } from './common.ts'
import {
  DeviceName,
  PairingState,
  SyncAside,
  SyncBarrier,
  SyncDiagnostics,
  SyncInvite,
  SyncPairing,
  SyncPeer,
  SyncRecordState,
  SyncSettingsAnswer,
  SyncSettingsPatch,
  SyncStatus,
} from './sync-parts.ts'

/** The routes of texts edited live. @source design of sync, sections 8 and 17 */
export const syncRoutes = defineRoutes({
  openLiveText: defineRoute({
    operationId: 'openLiveText',
    method: 'POST',
    mount: 'versioned',
    path: '/sync/docs/open',
    body: z.object({
      object: z.string().min(1).max(100),
      recordId: z.string().min(1).max(100),
      field: z.string().min(1).max(100),
      clientId: z.int().min(1).optional().meta({
        description:
          'The client id of an earlier answer, by a window that comes back; answered again where it still holds.',
      }),
      lease: z.string().max(200).optional().meta({ description: 'What that answer gave with the client id.' }),
    }),
    response: z
      .object({
        room: z.string(),
        url: z.string().meta({ description: 'Address of the WebSocket without the room.' }),
        ticket: z.string(),
        ticketExpiresInSeconds: z.int(),
        clientId: z.int().meta({ description: 'The Yjs client id to write with.' }),
        epoch: z
          .int()
          .meta({ description: 'Another one: what the client holds belongs to a document that is no more.' }),
        readOnly: z.boolean(),
        lease: z.string().optional().meta({
          description: 'Of a text that other machines have too: proves the client id after the host was started anew.',
        }),
      })
      .meta({ id: 'LiveText' }),
    permission: 'session',
    rateLimit: 'write',
    mutates: false,
    keepsCredential: true,
    errors: [
      'resource_not_found',
      'permission_denied',
      'method_not_allowed',
      'sync_document_not_found',
      'sync_update_too_large',
    ],
    channel: 'documents',
    tag: 'sync',
    summary:
      'Open a long text for editing with others: a room, and a ticket that opens its socket once within 30 seconds.',
  }),
})

const common = { mount: 'versioned', tag: 'sync', channel: 'sync' } as const
const manage = { ...common, permission: { system: 'manage_settings' } } as const
const look = { ...common, permission: 'session', rateLimit: 'read' } as const
const longMs = 10 * 60_000

const PeerParams = z.object({ id: z.string() })
const RunnerMachine = z.object({ id: z.string(), name: z.string(), isThis: z.boolean(), isConnected: z.boolean() })
const SyncRunner = z
  .object({
    holder: RunnerMachine.nullable().meta({ description: 'The machine that does it now.' }),
    wanted: RunnerMachine.nullable().meta({ description: 'The machine that is to do it.' }),
    machines: z.array(RunnerMachine.extend({ mayHold: z.boolean() })),
  })
  .meta({ id: 'SyncRunner' })
const PeerAnswer = z.object({ peer: SyncPeer }).meta({ id: 'SyncPeerAnswer' })
const isGiven =
  (field: 'code' | 'address') =>
  (wish: unknown): boolean => {
    const given: Readonly<Record<string, unknown>> = { ...(wish as object) }
    return given['link'] !== undefined || given[field] !== undefined
  }
/** Asked also where something else is wrong, so that all of it is told at once. */
const missing = (field: 'code' | 'address') => ({
  path: [field],
  message: 'A value is required without a link.',
  params: { fieldCode: 'required' },
  when: () => true,
})
const PairingWish = z
  .object({
    code: z.string().max(20).optional().meta({ description: 'Seven digits; needed without a link.' }),
    address: z
      .string()
      .max(300)
      .optional()
      .meta({ description: '`host:port` of the inviting machine, or `relay` of its answer.' }),
    link: z.string().max(2_000).optional(),
    deviceName: DeviceName,
    keepOwn: z
      .boolean()
      .optional()
      .meta({ description: 'What this machine holds stays on it alone; without it the machine must be empty.' }),
  })
  .refine(isGiven('code'), missing('code'))
  .refine(isGiven('address'), missing('address'))
const PairingStep = z.object({ pairingId: z.string(), state: PairingState }).meta({ id: 'SyncPairingStep' })

/** The routes of this machine among its peers. @source design of sync, section 17 */
export const syncPeerRoutes = defineRoutes({
  getSyncStatus: defineRoute({
    ...look,
    operationId: 'getSyncStatus',
    method: 'GET',
    path: '/sync/status',
    response: SyncStatus,
    errors: [],
    summary: 'Say how this machine stands to its peers.',
  }),
  enableSync: defineRoute({
    ...manage,
    operationId: 'enableSync',
    method: 'POST',
    path: '/sync/enable',
    body: z.object({ deviceName: DeviceName.optional() }).optional(),
    response: SyncStatus,
    status: 202,
    rateLimit: 'heavy',
    timeoutMs: longMs,
    errors: [],
    summary: 'Make a backup, then found a workspace others can be paired with; its documents are made meanwhile.',
  }),
  disableSync: defineRoute({
    ...manage,
    operationId: 'disableSync',
    method: 'POST',
    path: '/sync/disable',
    response: SyncStatus,
    rateLimit: 'heavy',
    timeoutMs: longMs,
    errors: ['sync_disabled'],
    summary: 'Stop taking part; all data stays, and enabling goes on from here.',
  }),
  getSyncSettings: defineRoute({
    ...manage,
    operationId: 'getSyncSettings',
    method: 'GET',
    path: '/sync/settings',
    response: SyncSettingsAnswer,
    rateLimit: 'read',
    errors: [],
    summary: 'Read how this machine takes part.',
  }),
  updateSyncSettings: defineRoute({
    ...manage,
    operationId: 'updateSyncSettings',
    method: 'PATCH',
    path: '/sync/settings',
    body: SyncSettingsPatch,
    response: SyncSettingsAnswer,
    rateLimit: 'write',
    errors: [],
    summary: 'Change how this machine takes part.',
  }),
  listSyncPeers: defineRoute({
    ...look,
    operationId: 'listSyncPeers',
    method: 'GET',
    path: '/sync/peers',
    response: z.object({ peers: z.array(SyncPeer) }).meta({ id: 'SyncPeerList' }),
    errors: ['sync_disabled'],
    summary: 'List the other machines and the relay.',
  }),
  updateSyncPeer: defineRoute({
    ...manage,
    operationId: 'updateSyncPeer',
    method: 'PATCH',
    path: '/sync/peers/:id',
    params: PeerParams,
    body: z.object({
      name: DeviceName.optional(),
      address: z.string().max(300).nullable().optional().meta({ description: '`host:port`; null forgets it.' }),
      paused: z.boolean().optional(),
    }),
    response: PeerAnswer,
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Rename, move or pause a peer.',
  }),
  removeSyncPeer: defineRoute({
    ...manage,
    operationId: 'removeSyncPeer',
    method: 'DELETE',
    path: '/sync/peers/:id',
    params: PeerParams,
    response: z.object({ id: z.string(), success: z.literal(true) }).meta({ id: 'SyncPeerRemoval' }),
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Unpair a machine: nobody in the workspace talks to it any more. What it holds stays there.',
  }),
  getSyncRunner: defineRoute({
    ...look,
    operationId: 'getSyncRunner',
    method: 'GET',
    path: '/sync/runner',
    response: SyncRunner,
    errors: [],
    summary: 'Say which machine does what only one may do, such as schedules (D-340); none while sync is off.',
  }),
  setSyncRunner: defineRoute({
    ...manage,
    operationId: 'setSyncRunner',
    method: 'PUT',
    path: '/sync/runner',
    body: z.object({
      deviceId: z.string(),
      takeOver: z.boolean().optional().meta({
        description: 'Take it from a machine that is not connected; for this machine itself alone.',
      }),
    }),
    response: SyncRunner,
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Name the machine that does what only one may do; the one before hands it over when it hears of this.',
  }),
  reconnectSyncPeer: defineRoute({
    ...manage,
    operationId: 'reconnectSyncPeer',
    method: 'POST',
    path: '/sync/peers/:id/reconnect',
    params: PeerParams,
    response: PeerAnswer,
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Try to reach a peer at once.',
  }),
  invitePairing: defineRoute({
    ...manage,
    operationId: 'invitePairing',
    method: 'POST',
    path: '/sync/pairing',
    body: z
      .object({
        user: z.string().max(100).optional().meta({ description: 'Whose machine it is; the caller without it.' }),
        role: z
          .enum(['admin', 'member'])
          .optional()
          .meta({ description: 'Default admin for an administrator, else member.' }),
      })
      .optional(),
    response: SyncInvite,
    status: 201,
    rateLimit: 'heavy',
    keepsAnswer: false,
    timeoutMs: longMs,
    errors: ['sync_disabled', 'pairing_refused'],
    summary: 'Make a backup, then a code that lets one other machine in within five minutes.',
  }),
  joinPairing: defineRoute({
    ...manage,
    operationId: 'joinPairing',
    method: 'POST',
    path: '/sync/pairing/join',
    body: PairingWish,
    response: PairingStep,
    status: 202,
    rateLimit: 'heavy',
    timeoutMs: longMs,
    errors: ['pairing_code_invalid', 'pairing_expired', 'pairing_refused'],
    summary: 'Join the workspace of another machine; what this one holds is not mixed with it.',
  }),
  listSyncAside: defineRoute({
    ...manage,
    operationId: 'listSyncAside',
    method: 'GET',
    path: '/sync/aside',
    response: SyncAside,
    rateLimit: 'read',
    errors: ['sync_disabled'],
    summary: 'List what this machine held before it joined, and keeps to itself.',
  }),
  adoptSyncAside: defineRoute({
    ...manage,
    operationId: 'adoptSyncAside',
    method: 'POST',
    path: '/sync/aside/adopt',
    body: z
      .object({
        objects: z
          .array(z.string().max(100))
          .max(1_000)
          .optional()
          .meta({ description: 'Names; all that may be adopted without it. What they refer to comes along.' }),
      })
      .optional(),
    response: SyncAside,
    rateLimit: 'heavy',
    errors: ['sync_disabled'],
    summary: 'Bring what this machine keeps to itself into the workspace, as that of its person.',
  }),
  getPairing: defineRoute({
    ...manage,
    operationId: 'getPairing',
    method: 'GET',
    path: '/sync/pairing/:id',
    params: PeerParams,
    response: SyncPairing,
    rateLimit: 'read',
    errors: ['pairing_not_found'],
    summary: 'Say where a pairing stands.',
  }),
  confirmPairing: defineRoute({
    ...manage,
    operationId: 'confirmPairing',
    method: 'POST',
    path: '/sync/pairing/:id/confirm',
    params: PeerParams,
    body: z.object({ matches: z.boolean() }),
    response: PairingStep,
    rateLimit: 'write',
    errors: ['pairing_not_found', 'pairing_expired', 'pairing_refused'],
    summary: 'Say whether both screens show the same digits.',
  }),
  cancelPairing: defineRoute({
    ...manage,
    operationId: 'cancelPairing',
    method: 'DELETE',
    path: '/sync/pairing/:id',
    params: PeerParams,
    response: PairingStep,
    rateLimit: 'write',
    errors: ['pairing_not_found'],
    summary: 'Give a pairing up.',
  }),
  waitForSync: defineRoute({
    ...common,
    permission: 'session',
    operationId: 'waitForSync',
    method: 'POST',
    path: '/sync/barrier',
    body: z
      .object({
        on: z.enum(['relay', 'any', 'all']).optional().meta({ description: 'Default any.' }),
        devices: z.int().min(1).max(100).optional().meta({ description: 'On how many of them; default one, or all.' }),
        timeoutMs: z.int().min(0).max(60_000).optional().meta({ description: 'Default 10,000.' }),
      })
      .optional(),
    response: SyncBarrier,
    rateLimit: 'write',
    mutates: false,
    endsWithHost: true,
    timeoutMs: 70_000,
    errors: ['sync_disabled'],
    summary: 'Wait until what was written before is on disk elsewhere; not in time is an answer, not an error.',
  }),
  verifySync: defineRoute({
    ...manage,
    operationId: 'verifySync',
    method: 'POST',
    path: '/sync/verify',
    body: z.object({ peerId: z.string().max(100).optional() }).optional(),
    response: z.object({ verificationId: z.string() }).meta({ id: 'SyncVerification' }),
    status: 202,
    rateLimit: 'heavy',
    mutates: false,
    errors: ['sync_disabled', 'resource_not_found'],
    summary: 'Compare all documents with connected peers; the result is the proof in the status.',
  }),
  getSyncRecord: defineRoute({
    ...common,
    operationId: 'getSyncRecord',
    method: 'GET',
    path: '/sync/records/:object/:id',
    params: RecordParams,
    response: SyncRecordState,
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    errors: ['sync_disabled'],
    summary: 'Say whether the newest change of a record is on the other machines.',
  }),
  getSyncDiagnostics: defineRoute({
    ...manage,
    operationId: 'getSyncDiagnostics',
    method: 'GET',
    path: '/sync/diagnostics',
    response: SyncDiagnostics,
    rateLimit: 'read',
    errors: ['sync_disabled'],
    sends: ['Content-Disposition'],
    summary: 'Collect what a report of a fault needs: positions, digests, versions and reasons, no content.',
  }),
})
