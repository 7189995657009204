// Everything people do with sync: turn it on and off, set it, join a workspace, name and unpair devices. Loaded with the first
// such call, or at the start of a host whose sync is on. Knows no HTTP.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { secretMask } from '#shared/contracts/settings.ts'
import { validationError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { syncError } from '../errors.ts'
import { ownAddresses } from './addresses.ts'
import { createAnnouncer } from './announcer.ts'
import type { LifeState } from './lifecycle.ts'
import { createLifecycle, loadKeys } from './lifecycle.ts'
import type { PairPayload } from './pair-payload.ts'
import { createPairings, JoinRefused } from './pairings.ts'
import { isEmptyHere } from './rights.ts'
import type { RosterDevice } from './roster-entries.ts'
import type { Running } from './running.ts'
import type { PeerSession } from '../session/peer-session.ts'
import type { WingParts } from './service.ts'
import type { SettingsPatch } from './settings.ts'
import { changedSettings } from './settings.ts'
import type { StatusView } from './status.ts'
import { statusOf } from './status.ts'
import type { LocalSettings } from './workspace-store.ts'
import { forgetWorkspace, putOn, putSettings, putWorkspace, readSettings, readWorkspace } from './workspace-store.ts'

/** Sync as people steer it. */
export type Control = ReturnType<typeof createControl>

/** How a machine joins. */
export interface JoinGiven {
  readonly from: string | undefined
  /** The device that invites. */
  readonly inviter: string
  readonly deviceName: string
  /** Whether what is here stays on this machine alone; else there must be nothing. */
  readonly keepsOwn: boolean
}

/** On the way from one state to another. */
const isMoving: ReadonlySet<LifeState> = new Set(['starting', 'stopping'])

/** How old a backup may be before an invite to a workspace that has others already. */
const youngBackupMs = 60 * 60_000

/** Makes the control of a host. */
export function createControl(parts: WingParts) {
  const { host, metadata, auth } = parts
  const { read, write, clock, log, ids } = host
  let lastBackup: { readonly id: string; readonly version: number } | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** One after the other: turning on, turning off, setting and joining. */
  const serially = <T>(job: () => Promise<T>): Promise<T> => {
    const next = queue.then(job, job)
    queue = next.catch(() => undefined)
    return next
  }

  const changed = (): void => {
    parts.machinesChanged()
    announcer.look()
    pairings.look()
  }
  const pairings = createPairings({
    clock,
    newId: () => ids.uuid(),
    changed: (id, answer) => announcer.pairing(id, answer),
    catchUp() {
      const running = life.running()
      // While it is started again nothing is known.
      if (running === null) return isMoving.has(life.state()) ? { done: 0, total: 0 } : undefined
      const { incoming, backlog, unprojected } = running.sessions.summary()
      const aside = unprojected.waiting + backlog.parked + backlog.quarantined
      // What cannot have its place here is listed, and is no reason to wait.
      const isInPlace = incoming.remaining === 0 && !incoming.partial && (aside === 0 || !unprojected.isTrying)
      const isConnected = running.sessions.all().some((session) => session.status().state === 'open')
      if (isConnected && isInPlace && status().state !== 'preparing') return undefined
      return { done: incoming.total - incoming.remaining, total: incoming.total }
    },
  })
  const life = createLifecycle(parts, {
    mayVisit: () => pairings.mayVisit(),
    onVisitor: (link) => pairings.visit(link),
    changed,
  })
  const status = (): StatusView => statusOf(life.state(), life.reason(), life.running()?.facts())
  const announcer = createAnnouncer({ host, status, peers: () => life.running()?.peers() ?? [] })

  const requireRunning = (): Running => {
    const running = life.running()
    if (running === null) throw syncError('sync_disabled')
    return running
  }
  const nameOfUser = (id: string): string => auth()?.user(id)?.name ?? life.running()?.roster.nameOf(id) ?? id
  const ownName = (): string =>
    readSettings(read).deviceName ??
    (hostname()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      .slice(0, 100) ||
      'Cairn')

  const founderOf = (ctx: RequestContext, keys: DeviceKeys): RosterDevice => ({
    device: keys.device,
    name: ownName(),
    user: ctx.actor.id,
    userName: nameOfUser(ctx.actor.id),
    signKey: Buffer.from(keys.signKey).toString('base64'),
    fingerprint: keys.fingerprint,
    role: 'admin',
    addedAt: clock.iso(),
    revokedAt: null,
  })

  async function found(ctx: RequestContext): Promise<void> {
    const workspace = new Uint8Array(randomBytes(16))
    await life.start(
      'found',
      (keys) => ({ workspace, epoch: 1, isOn: true, isFounder: true, known: [founderOf(ctx, keys)] }),
      null,
      async ({ roster, engine, keys, workspace: { known } }) => {
        const users = new Map((auth()?.users() ?? []).map(({ id, name }) => [id, name]))
        await write('sync.found', (tx) => {
          roster.putDevice(tx, ctx, engine.docs, known[0]!)
          roster.put(tx, ctx, engine.docs, { users, issuer: keys.device, runner: keys.device })
          roster.putLease(tx, ctx, engine.docs, '', { device: keys.device, term: 1, after: 0 })
        })
      },
      (tx) => tellSwitch(tx, ctx, { enabled: true }),
    )
  }

  /**
   * Tells the other machines the names of the people of this one, where they may be told by it: those that nobody told,
   * and with `renamed` those that are called otherwise here by now. A failure is only logged.
   */
  async function tellNames({ renamed = false } = {}): Promise<void> {
    const running = life.running()
    if (running === null || !running.roster.isAdmin(running.keys.device)) return
    const { roster, engine } = running
    const users = roster.untoldNames(auth()?.users() ?? [], renamed)
    if (users.size === 0) return
    try {
      await write('sync.names', (tx) => roster.put(tx, internalContext(ids.uuid()), engine.docs, { users }))
    } catch (error) {
      log.warn({ err: error }, 'The names of people could not be told to other machines.')
    }
  }

  /**
   * Makes a backup unless nothing was written since the one before (requirement R3). Where there are others in the
   * workspace already, an invite makes none while there is one of the last hour.
   */
  async function backUp(before: 'enable' | 'invite' | 'join'): Promise<void> {
    const mayBeOlder = before === 'invite' && requireRunning().roster.devices().length > 1
    const service = parts.backup()
    if (service === undefined) return
    const made = service.list().filter(({ kind }) => kind === 'pairing')
    const version = host.database.version()
    const isSame = lastBackup?.version === version && made.some(({ id }) => id === lastBackup?.id)
    const isYoung = mayBeOlder && made.some(({ createdAt }) => clock.now() - Date.parse(createdAt) < youngBackupMs)
    if (isSame || isYoung) return
    const { id } = await service.create('pairing', 'Before other machines take part')
    lastBackup = { id, version }
  }

  /** Whether it is the workspace this machine has: it was unpaired and goes on, with all it wrote. */
  function comesBack({ workspace, epoch }: PairPayload): boolean {
    const stored = readWorkspace(read)
    return stored !== null && stored.epoch === epoch && Buffer.from(stored.workspace).equals(workspace)
  }

  /**
   * Whether this machine may join a workspace: its own anew, or another one where nobody else is in its own, and it is empty or
   * keeps what it has.
   * @param given the workspace; before that is known, a machine that reaches none of the others may have been unpaired
   */
  function mayJoin(keepsOwn: boolean, given?: PairPayload): boolean {
    const running = life.running()
    const others = running?.roster.devices().length ?? 0
    const isCutOff = running === null || (others > 1 && !running.sessions.all().some(isOpenToDevice))
    if (given === undefined ? readWorkspace(read) !== null && isCutOff : comesBack(given)) return true
    const isAlone = running === null ? readWorkspace(read) === null : others <= 1
    return isAlone && (keepsOwn || isEmptyHere(read, metadata))
  }

  return {
    running: life.running,
    requireRunning,
    pairings,
    status,
    tellNames,
    backUp,
    mayJoin,
    ownName,
    nameOfUser,
    sharedId: life.sharedId,
    settings: () => readSettings(read),
    /** The keys of this machine, made where there are none. @throws DeviceKeysUnreadable */
    keys: () => loadKeys(host),
    /** Goes on where sync was on when the host stopped. A failure is told in the status; the host starts all the same. */
    resume: () =>
      serially(async () => {
        const stored = readWorkspace(read)
        if (stored === null || !stored.isOn || life.running() !== null) return
        await life
          .start(
            'open',
            () => stored,
            stored,
            () => tellNames(),
          )
          .catch((error: unknown) => log.error({ err: error }, 'Sync could not be started.'))
      }),
    /** @throws DeviceKeysUnreadable, Error of the engine; sync is as before then */
    enable: (ctx: RequestContext, deviceName: string | undefined) =>
      serially(async () => {
        if (life.running() !== null) return status()
        if (deviceName !== undefined) {
          const settings = { ...readSettings(read), deviceName }
          await write('sync.settings', (tx) => changeSettings(tx, ctx, settings))
        }
        await backUp('enable')
        const stored = readWorkspace(read)
        try {
          if (stored === null) await found(ctx)
          else
            await life.start(
              'again',
              () => ({ ...stored, isOn: true }),
              stored,
              () => tellNames(),
              (tx) => tellSwitch(tx, ctx, { enabled: true }),
            )
        } catch (error) {
          await write('sync.enable-failed', (tx) => {
            if (stored === null) forgetWorkspace(tx)
            else putWorkspace(tx, stored)
            tellSwitch(tx, ctx, { enabled: true, outcome: 'failed' })
          })
          throw error
        }
        return status()
      }),
    /** Also what could not be started is turned off. @throws sync_disabled */
    disable: (ctx: RequestContext) =>
      serially(async () => {
        if (life.state() === 'off') throw syncError('sync_disabled')
        await life.stop()
        life.giveUp()
        await write('sync.disable', (tx) => {
          putOn(tx, false)
          tellSwitch(tx, ctx, { enabled: false })
        })
        announcer.look()
        return status()
      }),
    /** @throws validation_error */
    change: (ctx: RequestContext, patch: SettingsPatch) =>
      serially(async () => {
        let next = changedSettings(readSettings(read), patch, ownAddresses())
        const isTokenNew = patch.relayToken !== undefined && patch.relayToken !== secretMask
        if (isTokenNew) {
          const sealed = patch.relayToken === null ? null : await host.secrets.seal(patch.relayToken!)
          next = { ...next, relayToken: sealed }
        }
        try {
          await life.running()?.apply(next, isTokenNew ? patch.relayToken! : undefined)
        } catch (error) {
          log.warn({ err: error }, 'The port for other machines cannot be bound.')
          const message = 'Nothing can be listened on there: another program may have the port.'
          throw validationError([{ field: 'port', code: 'not_allowed', message, value: next.port }])
        }
        await write('sync.settings', (tx) => changeSettings(tx, ctx, next))
      }),
    /** Changes what a device is called, or unpairs it. */
    async changeDevice(
      ctx: RequestContext,
      device: string,
      change: { readonly name?: string; readonly revokedAt?: string },
    ) {
      const { roster, engine } = requireRunning()
      await write('sync.device', (tx) => {
        roster.changeDevice(tx, ctx, engine.docs, device, change)
        if (change.revokedAt !== undefined) tx.emit(ctx, { type: 'machine.unpaired', payload: { device } })
      })
    },
    /**
     * Names the machine that is to do what only one may do, and hands that over where this machine has it.
     * @param takeOver takes it from the machine that has it if that is not connected; only for this machine itself
     */
    async nameRunner(ctx: RequestContext, device: string, takeOver: boolean) {
      const { roster, engine, leases, keys } = requireRunning()
      if (roster.runner() !== device)
        await write('sync.runner', (tx) => roster.put(tx, ctx, engine.docs, { users: new Map(), runner: device }))
      if (takeOver && device === keys.device) await leases.takeOver(ctx)
      else await leases.handOn(ctx, '', device)
    },
    /** Gives this machine another name, here and on the others: for an administrator's machine, or while sync is off. */
    rename: (ctx: RequestContext, name: string) =>
      serially(async () => {
        const settings = { ...readSettings(read), deviceName: name }
        const open = life.running()
        await write('sync.rename', (tx) => {
          changeSettings(tx, ctx, settings)
          open?.roster.changeDevice(tx, ctx, open.engine.docs, open.keys.device, { name })
        })
      }),
    /** Writes the entry of a machine that comes, and lets it in. */
    async admit(ctx: RequestContext, device: Omit<RosterDevice, 'addedAt' | 'revokedAt'>) {
      const { roster, engine } = requireRunning()
      await write('sync.admit', (tx) => {
        roster.putDevice(tx, ctx, engine.docs, { ...device, addedAt: clock.iso(), revokedAt: null })
        roster.put(tx, ctx, engine.docs, { users: new Map([[device.user, device.userName]]) })
        const { device: id, name, user, role } = device
        tx.emit(ctx, { type: 'machine.paired', payload: { device: id, name, user, role } })
      })
    },
    /**
     * Joins the workspace that was handed over.
     * @param given.from where the inviting machine was reached; undefined through a relay
     * @throws JoinRefused
     */
    join: (ctx: RequestContext, payload: PairPayload, { from, inviter, deviceName, keepsOwn }: JoinGiven) =>
      serially(async () => {
        if (!mayJoin(keepsOwn, payload)) throw new JoinRefused('workspace_not_empty')
        const { device: own } = await loadKeys(host)
        if (!payload.devices.some(({ device, revokedAt }) => device === own && revokedAt === null))
          throw new JoinRefused('payload')
        const before = comesBack(payload) ? readWorkspace(read) : null
        const kind = before === null ? 'join' : life.running() === null ? 'again' : 'open'
        const backFrom = life.running()?.roster.device(own)?.revokedAt ?? null
        // A workspace of this machine alone, with nothing in it, gives way.
        await life.stop()
        const { relayUrl, relayFingerprint, ...settings } = readSettings(read)
        const next: LocalSettings = {
          ...settings,
          deviceName,
          relayUrl: payload.relay?.url ?? relayUrl,
          relayFingerprint: payload.relay?.fingerprint ?? relayFingerprint,
        }
        await write('sync.join', (tx) => {
          if (before === null) forgetWorkspace(tx)
          changeSettings(tx, ctx, next)
        })
        const { workspace, epoch } = payload
        const known = payload.devices.map((one) => (one.device === own ? { ...one, backFrom } : one))
        const given = { workspace, epoch, isOn: true, isFounder: before?.isFounder ?? false, known }
        try {
          await life.start(
            kind,
            () => given,
            before,
            async ({ store, letIn, refresh }) => {
              letIn()
              const addresses = [...new Set([...(from === undefined ? [] : [from]), ...payload.addresses])]
              await store.set(inviter, { addresses })
              refresh()
            },
            (tx) => tellSwitch(tx, ctx, { enabled: true }),
          )
        } catch (error) {
          if (before === null)
            await write('sync.join-failed', (tx) => {
              forgetWorkspace(tx)
              tellSwitch(tx, ctx, { enabled: true, outcome: 'failed' })
            })
          throw error
        }
      }),
    async stop() {
      pairings.stop()
      await queue
      await announcer.stop()
      await life.stop(true)
    },
  }
}

/** Stores how this machine takes part, and tells by name what of it is otherwise now. @source D-230 */
function changeSettings(tx: Tx, ctx: RequestContext, next: LocalSettings): void {
  const before = readSettings(tx)
  putSettings(tx, next)
  const names = (Object.keys(next) as (keyof LocalSettings)[]).filter((name) => !isSameJson(before[name], next[name]))
  if (names.length === 0) return
  tx.emit(ctx, { type: 'settings.changed', payload: { options: names.map((name) => `sync.${name}`) } })
}

/** Tells that this machine takes part from now on, does not any more, or could not. */
function tellSwitch(
  tx: Tx,
  ctx: RequestContext,
  how: { readonly enabled: boolean; readonly outcome?: 'failed' },
): void {
  tx.emit(ctx, { type: 'settings.changed', payload: { options: ['sync.enabled'], ...how } })
}

function isOpenToDevice({ kind, status }: PeerSession): boolean {
  return kind === 'device' && ['open', 'catching_up'].includes(status().state)
}
