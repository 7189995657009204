// Handlers of this machine among its peers: status, settings, peers, pairing, barrier and the state of records.
import type { z } from 'zod'
import type { syncPeerRoutes } from '#shared/contracts/sync.ts'
import type { SyncSettingsAnswer } from '#shared/contracts/sync-parts.ts'
import { platformError, notFound, validationError } from '#shared/errors.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { syncError } from '../errors.ts'
import type { Control } from './control.ts'
import type { PeerView } from './peer-list.ts'
import type { Running } from './running.ts'
import type { Peers, WingParts } from './service.ts'

/** How long a comparison of all documents may take. */
const verifyMs = 10 * 60_000

/** Makes the handlers. What is heavy is loaded by the calls that need it. */
export function syncPeerHandlers(peers: Peers, parts: WingParts): Handlers<typeof syncPeerRoutes> {
  const { host } = parts

  /** Everything of a machine that takes part. @throws sync_disabled */
  const on = (): { control: Control; running: Running } => {
    const control = peers.loaded()
    if (control === undefined) throw syncError('sync_disabled')
    return { control, running: control.requireRunning() }
  }

  const settingsAnswer = async (control: Control): Promise<z.input<typeof SyncSettingsAnswer>> => {
    const [{ ownAddresses }, { shownSettings }] = await Promise.all([import('./addresses.ts'), import('./settings.ts')])
    return {
      settings: shownSettings(control.settings()),
      addresses: ownAddresses(),
      listening: [...(control.running()?.addresses() ?? [])],
    }
  }

  const peerOf = (running: Running, id: string): PeerView => {
    const peer = running.peer(id)
    if (peer === undefined) throw notFound('peer', id)
    return peer
  }

  /** Only a machine of an administrator may write into the roster: its entries count nowhere otherwise. */
  const requireAdmin = ({ roster, keys }: Running): void => {
    if (!roster.isAdmin(keys.device)) throw platformError('permission_denied', { reason: 'member_device' })
  }

  return {
    getSyncStatus: () => peers.status(),
    async enableSync(ctx, { body }) {
      return (await peers.control()).enable(ctx, body?.deviceName)
    },
    async disableSync(ctx) {
      return (await peers.control()).disable(ctx)
    },
    getSyncSettings: async () => settingsAnswer(await peers.control()),
    async updateSyncSettings(ctx, { body: { deviceName, ...patch } }) {
      const control = await peers.control()
      const running = control.running()
      if (deviceName !== undefined && running !== null) requireAdmin(running)
      await control.change(ctx, patch)
      if (deviceName !== undefined) await control.rename(ctx, deviceName)
      return settingsAnswer(control)
    },
    listSyncPeers(ctx) {
      const found = on().running.peers()
      const isTold = host.authorizer.hasSystemPermission(ctx, 'manage_settings')
      return { peers: isTold ? found : found.map((peer) => ({ ...peer, address: null })) }
    },
    async updateSyncPeer(ctx, { params: { id }, body }) {
      const { control, running } = on()
      const peer = peerOf(running, id)
      if (peer.state === 'unpaired') throw notFound('peer', id)
      if (peer.kind === 'relay' && (body.name !== undefined || body.address !== undefined))
        throw validationError([
          { field: body.name === undefined ? 'address' : 'name', code: 'not_allowed', message: 'Set in the settings.' },
        ])
      const { formatAddress, parseAddress } = await import('./addresses.ts')
      const address = typeof body.address === 'string' ? parseAddress(body.address) : undefined
      if (typeof body.address === 'string' && address === undefined)
        throw validationError([
          { field: 'address', code: 'invalid_format', message: 'Expected host:port.', value: body.address },
        ])
      if (body.name !== undefined) {
        requireAdmin(running)
        await control.changeDevice(ctx, id, { name: body.name })
      }
      await running.store.set(id, {
        ...(body.address === undefined ? {} : { addresses: address === undefined ? [] : [formatAddress(address)] }),
        ...(body.paused === undefined ? {} : { paused: body.paused }),
      })
      if (body.paused === false) running.sessions.resume(id)
      running.refresh()
      return { peer: peerOf(running, id) }
    },
    async removeSyncPeer(ctx, { params: { id } }) {
      const { control, running } = on()
      const device = running.roster.device(id)
      if (device === undefined || device.device === running.keys.device || device.revokedAt !== null)
        throw notFound('peer', id)
      requireAdmin(running)
      await control.changeDevice(ctx, id, { revokedAt: host.clock.iso() })
      return { id, success: true as const }
    },
    getSyncRunner() {
      const running = peers.running()
      return running === null ? { holder: null, wanted: null, machines: [] } : runnerView(running)
    },
    async setSyncRunner(ctx, { body: { deviceId, takeOver = false } }) {
      const { control, running } = on()
      requireAdmin(running)
      if (!running.roster.isAdmin(deviceId)) {
        const message = 'No machine of an administrator that takes part has this id.'
        throw validationError([{ field: 'deviceId', code: 'invalid_reference', message, value: deviceId }])
      }
      if (takeOver && deviceId !== running.keys.device) {
        const message = 'A machine takes over for itself; ask it there.'
        throw validationError([{ field: 'takeOver', code: 'not_allowed', message }])
      }
      await control.nameRunner(ctx, deviceId, takeOver)
      return runnerView(running)
    },
    reconnectSyncPeer(_ctx, { params: { id } }) {
      const { running } = on()
      if (peerOf(running, id).state === 'unpaired') throw notFound('peer', id)
      running.reconnect(id)
      return { peer: peerOf(running, id) }
    },
    async invitePairing(ctx, { body }) {
      const { control } = on()
      const { inviteMachine } = await import('./pair-service.ts')
      return inviteMachine(ctx, control, parts, body ?? {})
    },
    async joinPairing(ctx, { body }) {
      const { joinMachine } = await import('./pair-service.ts')
      const { pairingId, state } = await joinMachine(ctx, await peers.control(), parts, body)
      return { pairingId, state }
    },
    async listSyncAside() {
      const { running } = on()
      const { listAside } = await import('./adoption.ts')
      return listAside(running, parts)
    },
    async adoptSyncAside(ctx, { body }) {
      const { running } = on()
      const { adoptAside } = await import('./adoption.ts')
      return adoptAside(ctx, running, parts, body?.objects)
    },
    getPairing: (_ctx, { params }) => pairings(peers).get(params.id),
    confirmPairing(_ctx, { params, body }) {
      const { pairingId, state } = pairings(peers).confirm(params.id, body.matches)
      return { pairingId, state }
    },
    cancelPairing(_ctx, { params }) {
      const { pairingId, state } = pairings(peers).cancel(params.id)
      return { pairingId, state }
    },
    async waitForSync(_ctx, { body }) {
      const { running } = on()
      const { waitForPeers } = await import('./delivery.ts')
      const { on: where = 'any', devices, timeoutMs = 10_000 } = body ?? {}
      return waitForPeers(running, { on: where, devices, timeoutMs })
    },
    verifySync(_ctx, { body }) {
      const { running } = on()
      if (body?.peerId !== undefined) peerOf(running, body.peerId)
      // Equal documents are worth nothing to people where a row is not what they say.
      running.engine
        .checkRows()
        .then(async () => running.sessions.verify(verifyMs, body?.peerId))
        .catch((error: unknown) => host.log.warn({ err: error }, 'Documents could not be compared.'))
      return { verificationId: host.ids.uuid() }
    },
    async getSyncRecord(ctx, { params }) {
      const { running } = on()
      const schema = readable(ctx, params)
      const { placeOfRecord } = await import('./delivery.ts')
      const place = { object: schema.uid, recordId: params.id }
      const conflicts = parts.conflicts.countOpen(ctx, place)
      const refusedBy = parts.conflicts.refusedBy(place)
      const { state, missingOn } = placeOfRecord(running, schema.uid, params.id)
      const isRefused = state === 'everywhere' && refusedBy.length > 0
      return { ...params, state: isRefused ? 'sent' : state, missingOn, refusedBy, conflicts }
    },
    async getSyncDiagnostics() {
      const { running } = on()
      const { collectDiagnostics } = await import('./diagnostics.ts')
      const report = collectDiagnostics(host, running, peers.status())
      const fileName = `sync-diagnostics-${report.at.slice(0, 19).replaceAll(':', '-')}.json`
      return new Reply(report, {
        headers: { 'Content-Disposition': `attachment; filename="${fileName}"`, 'Cache-Control': 'no-store' },
      })
    },
  }

  function readable(ctx: RequestContext, { object, id }: { object: string; id: string }) {
    const schema = parts.metadata.objectSchema(object)
    if (schema === undefined || parts.data.reach(ctx, { object, id, action: 'read' }) !== 'open')
      throw notFound('record', id, object)
    return schema
  }
}

/** Which machine does what only one may do, which is to, and which could. */
function runnerView({ roster, keys, leases, sessions }: Running) {
  const shown = (id: string | null) => {
    const device = id === null ? undefined : roster.device(id)
    if (device === undefined) return null
    const isThis = device.device === keys.device
    const isConnected = isThis || sessions.of(device.device)?.status().state === 'open'
    return { id: device.device, name: device.name, isThis, isConnected }
  }
  return {
    holder: shown(leases.holder('')),
    wanted: shown(roster.runner()),
    machines: roster
      .devices()
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ device, role }) => ({ ...shown(device)!, mayHold: role === 'admin' })),
  }
}

/** Pairings exist with the control: before it is loaded there is none. */
function pairings(peers: Peers): Control['pairings'] {
  const control = peers.loaded()
  if (control === undefined) throw syncError('pairing_not_found')
  return control.pairings
}
