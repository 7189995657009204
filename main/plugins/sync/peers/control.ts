// Everything people do with sync: turn it on and off, set it, pair, look at peers. Loaded with the first such call, or at
// the start of a host whose sync is on. Knows no HTTP.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { BackupService } from '#main/plugins/backup/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { secretMask } from '#shared/contracts/settings.ts'
import { validationError } from '#shared/errors.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { syncError } from '../errors.ts'
import { ownAddresses } from './addresses.ts'
import type { Announcer } from './announcer.ts'
import { createAnnouncer } from './announcer.ts'
import { beginToWrite, loadKeys } from './begin.ts'
import type { EngineStart, OpenEngine } from './engine-port.ts'
import { offStatus } from './off-status.ts'
import type { PairPayload } from './pair-payload.ts'
import type { Pairings } from './pairings.ts'
import { createPairings, JoinRefused } from './pairings.ts'
import { isEmptyHere } from './rights.ts'
import type { RosterDevice } from './roster-entries.ts'
import type { Running } from './running.ts'
import type { Sessions } from '../session/sessions.ts'
import type { SessionHooks } from '../session/types.ts'
import { createSafetyCopies } from './safety-copy.ts'
import type { SettingsPatch } from './settings.ts'
import { changedSettings } from './settings.ts'
import type { StatusView } from './status.ts'
import { untoldNames } from './told-names.ts'
import type { LocalSettings, StoredWorkspace } from './workspace-store.ts'
import { forgetWorkspace, putOn, putSettings, putWorkspace, readSettings, readWorkspace } from './workspace-store.ts'

/** What control works with. */
export interface ControlParts {
  readonly host: Pick<PluginHost, 'read' | 'write' | 'database' | 'clock' | 'log' | 'options' | 'ids' | 'secrets'>
  readonly metadata: MetadataService
  auth(): AuthService | undefined
  backup(): BackupService | undefined
  readonly openEngine: OpenEngine
  readonly hooks: SessionHooks
  /** Told of the sessions there are from now on; answers how to say that they have ended. */
  sessionsOpened(sessions: Sessions): () => void
}

/** Sync as people steer it. */
export interface Control {
  /** What is going on; null while sync is off. */
  running(): Running | null
  /** @throws sync_disabled */
  requireRunning(): Running
  readonly pairings: Pairings
  status(): StatusView
  settings(): LocalSettings
  /** Goes on where sync was on when the host stopped. A failure is told in the status; the host starts all the same. */
  resume(): Promise<void>
  /** @throws DeviceKeysUnreadable, Error of the engine; sync is as before then */
  enable(ctx: RequestContext, deviceName: string | undefined): Promise<StatusView>
  /** @throws sync_disabled */
  disable(): Promise<StatusView>
  /** @throws validation_error */
  change(patch: SettingsPatch): Promise<LocalSettings>
  /**
   * Makes a backup unless nothing was written since the one before (requirement R3). Where there are others in the
   * workspace already, an invite makes none while there is one of the last hour.
   */
  backUp(before: 'enable' | 'invite' | 'join'): Promise<void>
  /** Writes a device's entry and lets its machine in. */
  admit(ctx: RequestContext, device: Omit<RosterDevice, 'addedAt' | 'revokedAt'>): Promise<void>
  /** Changes what a device is called, or unpairs it. */
  changeDevice(
    ctx: RequestContext,
    device: string,
    change: { readonly name?: string; readonly revokedAt?: string },
  ): Promise<void>
  /**
   * Tells the other machines the names of the people of this one, where they may be told by it: those that nobody told,
   * and with `renamed` those that are called otherwise here by now. A failure is only logged.
   */
  tellNames(options?: { readonly renamed?: boolean }): Promise<void>
  /** Gives this machine another name, here and on the others: for an administrator's machine, or while sync is off. */
  rename(ctx: RequestContext, name: string): Promise<void>
  /** What a new machine is handed. */
  payload(): PairPayload
  /**
   * Joins the workspace that was handed over.
   * @param from where the inviting machine was reached; undefined through a relay
   * @throws JoinRefused
   */
  join(ctx: RequestContext, payload: PairPayload, from: string | undefined, device: string, name: string): Promise<void>
  /** Whether this machine may join another workspace. */
  mayJoin(): boolean
  /** The keys of this machine, made where there are none. @throws DeviceKeysUnreadable */
  keys(): Promise<DeviceKeys>
  /** What this machine calls itself. */
  ownName(): string
  nameOfUser(id: string): string
  stop(): Promise<void>
}

/** Makes the control of a host. */
export function createControl(parts: ControlParts): Control {
  const { host, metadata } = parts
  const { read, write, clock, log, ids } = host
  let running: Running | null = null
  let statusNow: (() => StatusView) | undefined
  let failure: string | undefined
  let relayToken: string | null = null
  let queue: Promise<unknown> = Promise.resolve()
  const copySafely = createSafetyCopies(parts)

  /** One after the other: turning on, turning off, setting and joining. */
  const serially = <T>(job: () => Promise<T>): Promise<T> => {
    const next = queue.then(job, job)
    queue = next.catch(() => undefined)
    return next
  }

  const status = (): StatusView => statusNow?.() ?? offStatus(failure)
  const announcer: Announcer = createAnnouncer({ host, status, peers: () => running?.peers() ?? [] })
  const pairings = createPairings({
    clock,
    newId: () => ids.uuid(),
    changed: (id, answer) => announcer.pairing(id, answer),
    catchUp() {
      if (running === null) return undefined
      const { incoming, state } = status()
      const isConnected = running.sessions.all().some((session) => session.status().state === 'open')
      if (isConnected && incoming.remaining === 0 && state !== 'preparing') return undefined
      return { done: incoming.total - incoming.remaining, total: incoming.total }
    },
  })
  const changed = (): void => {
    announcer.look()
    pairings.look()
  }

  const nameOfUser = (id: string): string => parts.auth()?.user(id)?.name ?? running?.roster.nameOfUser(id) ?? id
  const ownName = (): string =>
    readSettings(read).deviceName ??
    (hostname()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      .slice(0, 100) ||
      'Cairn')

  async function unsealToken({ relayToken: sealed }: LocalSettings): Promise<string | null> {
    if (sealed === null) return null
    try {
      return await host.secrets.open(sealed)
    } catch (error) {
      log.warn({ err: error }, 'The token of the relay cannot be read.')
      return null
    }
  }

  async function open(
    kind: EngineStart['kind'],
    keys: DeviceKeys,
    given: Omit<StoredWorkspace, 'device' | 'inc' | 'bootCounter'>,
    before: StoredWorkspace | null,
  ): Promise<Running> {
    const { incarnation, workspace } = await beginToWrite(host, keys, given, before)
    const settings = readSettings(read)
    relayToken = await unsealToken(settings)
    // Only here: a host that does not take part carries neither documents nor connections in memory.
    const [{ openRunning }, { createStatusSource }] = await Promise.all([
      import('./running.ts'),
      import('./status-source.ts'),
    ])
    const opened = await openRunning(
      {
        host,
        keys,
        incarnation,
        workspace,
        settings,
        relayToken,
        openEngine: parts.openEngine,
        hooks: parts.hooks,
        sessionsOpened: (sessions) => parts.sessionsOpened(sessions),
        schemaRev: () => metadata.epoch(),
        mayVisit: () => pairings.mayVisit(),
        onVisitor: (link) => pairings.visit(link),
        changed,
      },
      kind,
    )
    running = opened
    statusNow = createStatusSource({ read, clock, running: opened })
    failure = undefined
    changed()
    return opened
  }

  async function close(): Promise<void> {
    const open = running
    running = null
    statusNow = undefined
    await open?.stop()
  }

  async function found(ctx: RequestContext): Promise<void> {
    const keys = await loadKeys(host)
    const founder: RosterDevice = {
      device: keys.device,
      name: ownName(),
      user: ctx.actor.id,
      userName: nameOfUser(ctx.actor.id),
      signKey: Buffer.from(keys.signKey).toString('base64'),
      fingerprint: keys.fingerprint,
      role: 'admin',
      addedAt: clock.iso(),
      revokedAt: null,
    }
    const workspace = new Uint8Array(randomBytes(16))
    const given = { workspace, epoch: 1, isOn: true, isFounder: true, known: [founder] }
    const { roster, engine } = await open('found', keys, given, null)
    const users = new Map((parts.auth()?.users() ?? []).map(({ id, name }) => [id, name]))
    await write('sync.found', (tx) => {
      roster.putDevice(tx, ctx, engine.docs, founder)
      roster.put(tx, ctx, engine.docs, { users, issuer: keys.device, runner: keys.device })
    })
  }

  const self: Control = {
    running: () => running,
    requireRunning() {
      if (running === null) throw syncError('sync_disabled')
      return running
    },
    pairings,
    status,
    settings: () => readSettings(read),
    resume: () =>
      serially(async () => {
        const stored = readWorkspace(read)
        if (stored === null || !stored.isOn || running !== null) return
        try {
          await open('open', await loadKeys(host), stored, stored)
          await self.tellNames()
        } catch (error) {
          log.error({ err: error }, 'Sync could not be started.')
          failure = error instanceof Error && error.name === 'DeviceKeysUnreadable' ? 'keys_unreadable' : 'not_started'
        }
      }),
    enable: (ctx, deviceName) =>
      serially(async () => {
        if (running !== null) return status()
        if (deviceName !== undefined) {
          const settings = { ...readSettings(read), deviceName }
          await write('sync.settings', (tx) => putSettings(tx, settings))
        }
        await self.backUp('enable')
        const stored = readWorkspace(read)
        try {
          if (stored === null) await found(ctx)
          else {
            await open('again', await loadKeys(host), { ...stored, isOn: true }, stored)
            await self.tellNames()
          }
        } catch (error) {
          await close().catch(() => undefined)
          await write('sync.enable-failed', (tx) => {
            if (stored === null) forgetWorkspace(tx)
            else putWorkspace(tx, stored)
          })
          throw error
        }
        return status()
      }),
    disable: () =>
      serially(async () => {
        // What could not be started is turned off all the same.
        if (running === null && readWorkspace(read)?.isOn !== true) throw syncError('sync_disabled')
        await close()
        failure = undefined
        await write('sync.disable', (tx) => putOn(tx, false))
        announcer.look()
        return status()
      }),
    change: (patch) =>
      serially(async () => {
        const before = readSettings(read)
        let next = changedSettings(before, patch, ownAddresses())
        if (patch.relayToken !== undefined && patch.relayToken !== secretMask) {
          const sealed = patch.relayToken === null ? null : await host.secrets.seal(patch.relayToken)
          next = { ...next, relayToken: sealed }
          relayToken = patch.relayToken
        }
        try {
          await running?.apply(next, relayToken)
        } catch (error) {
          log.warn({ err: error }, 'The port for other machines cannot be bound.')
          const message = 'Nothing can be listened on there: another program may have the port.'
          throw validationError([{ field: 'port', code: 'not_allowed', message, value: next.port }])
        }
        await write('sync.settings', (tx) => putSettings(tx, next))
        return next
      }),
    backUp: (before) => copySafely(before === 'invite' && self.requireRunning().roster.devices().length > 1),
    async admit(ctx, device) {
      const entry: RosterDevice = { ...device, addedAt: clock.iso(), revokedAt: null }
      const { roster, engine } = self.requireRunning()
      const users = new Map([[device.user, device.userName]])
      await write('sync.admit', (tx) => {
        roster.putDevice(tx, ctx, engine.docs, entry)
        roster.put(tx, ctx, engine.docs, { users })
      })
    },
    async changeDevice(ctx, device, change) {
      const { roster, engine } = self.requireRunning()
      await write('sync.device', (tx) => roster.changeDevice(tx, ctx, engine.docs, device, change))
    },
    async tellNames({ renamed = false } = {}) {
      if (running === null || !running.roster.isAdmin(running.keys.device)) return
      const { roster, engine } = running
      const users = untoldNames(parts.auth()?.users() ?? [], roster, renamed)
      if (users.size === 0) return
      try {
        await write('sync.names', (tx) => roster.put(tx, internalContext(ids.uuid()), engine.docs, { users }))
      } catch (error) {
        log.warn({ err: error }, 'The names of people could not be told to other machines.')
      }
    },
    rename: (ctx, name) =>
      serially(async () => {
        const settings = { ...readSettings(read), deviceName: name }
        const open = running
        await write('sync.rename', (tx) => {
          putSettings(tx, settings)
          open?.roster.changeDevice(tx, ctx, open.engine.docs, open.keys.device, { name })
        })
      }),
    payload() {
      const { workspace, roster, addresses } = self.requireRunning()
      const { relayUrl, relayFingerprint } = readSettings(read)
      const issuer = roster.issuer()
      const devices = [...roster.devices()].toSorted(
        (a, b) => Number(b.device === issuer) - Number(a.device === issuer),
      )
      const relay =
        relayUrl === null || relayFingerprint === null ? null : { url: relayUrl, fingerprint: relayFingerprint }
      const { workspace: ws, epoch } = workspace
      return { workspace: ws, epoch, devices, addresses: addresses(), relay }
    },
    mayJoin() {
      const isAlone = running === null ? readWorkspace(read) === null : running.roster.devices().length <= 1
      return isAlone && isEmptyHere(read, metadata)
    },
    join: (_ctx, payload, from, inviter, name) =>
      serially(async () => {
        if (!self.mayJoin()) throw new JoinRefused('workspace_not_empty')
        const keys = await loadKeys(host)
        if (!payload.devices.some(({ device, revokedAt }) => device === keys.device && revokedAt === null))
          throw new JoinRefused('payload')
        // A workspace of this machine alone, with nothing in it, gives way.
        await close()
        const { relayUrl, relayFingerprint } = readSettings(read)
        await write('sync.join', (tx) => {
          forgetWorkspace(tx)
          putSettings(tx, {
            ...readSettings(tx),
            deviceName: name,
            relayUrl: payload.relay?.url ?? relayUrl,
            relayFingerprint: payload.relay?.fingerprint ?? relayFingerprint,
          })
        })
        const { workspace, epoch, devices: known } = payload
        try {
          const opened = await open('join', keys, { workspace, epoch, isOn: true, isFounder: false, known }, null)
          const addresses = [...new Set([...(from === undefined ? [] : [from]), ...payload.addresses])]
          await opened.book.set(inviter, { addresses })
          opened.refresh()
        } catch (error) {
          await close().catch(() => undefined)
          await write('sync.join-failed', (tx) => forgetWorkspace(tx))
          throw error
        }
      }),
    keys: () => loadKeys(host),
    ownName,
    nameOfUser,
    async stop() {
      pairings.stop()
      await queue
      await announcer.stop()
      await close()
    },
  }
  return self
}
