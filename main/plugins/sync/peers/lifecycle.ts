// The life of sync on this machine: which states there are, which may follow which, and the work of going from one to the
// other. Whatever else asks whether this machine takes part asks here.
import { join } from 'node:path'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import type { Incarnation } from '#main/replication/channel/incarnation-file.ts'
import { openIncarnation } from '#main/replication/channel/incarnation-file.ts'
import type { DocKinds } from '../engine/doc-kinds.ts'
import type { EngineStart } from '../engine/open-engine.ts'
import type { Disputed } from '../engine/replica.ts'
import { readStoredSeq } from '../store/log-store.ts'
import { keepAllAside } from './adoption.ts'
import type { Running, RunningStart } from './running.ts'
import type { WingParts } from './service.ts'
import type { StoredWorkspace } from './workspace-store.ts'
import { putWorkspace, readSettings, readWorkspace, sidecarName } from './workspace-store.ts'

/** What may follow each state. */
const moves = {
  off: ['starting'],
  /** It is on in the settings and could not be started: the reason says why. */
  not_started: ['starting', 'off'],
  /** Keys, then the sidecar, then the row, then the engine and the connections. */
  starting: ['running', 'off', 'not_started'],
  running: ['preparing', 'unpaired', 'stopping'],
  /** As running, while documents are made of what existed before. */
  preparing: ['running', 'unpaired', 'stopping'],
  /** As running, but the others have shut this machine out. */
  unpaired: ['running', 'preparing', 'stopping'],
  stopping: ['off'],
} as const

/** Where the life of sync on this machine stands. */
export type LifeState = keyof typeof moves

/** A workspace as it is begun: who writes in it is found out while starting. */
export type GivenWorkspace = Omit<StoredWorkspace, 'device' | 'inc' | 'bootCounter'>

/** What a beginning may have beside the workspace: why it begins anew, and what is told with it. */
interface Beginning {
  readonly disputed?: Disputed | undefined
  readonly tell?: ((tx: Tx) => void) | undefined
}

/** How long another log under the number of this machine is a reason to begin anew once only. */
const disputedMs = 600_000

/** Makes the life of a machine that is off. */
export function createLifecycle(parts: WingParts, around: Pick<RunningStart, 'mayVisit' | 'onVisitor' | 'changed'>) {
  const { host } = parts
  let state: LifeState = 'off'
  let reason: string | undefined
  /** There in `running`, `preparing` and `unpaired`. */
  let machine: Running | null = null
  let kinds: DocKinds | undefined

  function move(to: LifeState, why?: string): void {
    const allowed: readonly LifeState[] = moves[state]
    if (!allowed.includes(to)) throw new Error(`Sync cannot become ${to} while it is ${state}.`)
    state = to
    reason = why
  }

  /** Which of its states a machine that is up is in follows from what its engine and its roster say. */
  function look(): LifeState {
    if (machine === null) return state
    const now = machine.isUnpaired() ? 'unpaired' : machine.engine.state() === 'preparing' ? 'preparing' : 'running'
    if (now !== state) move(now)
    return state
  }

  async function open(
    kind: EngineStart,
    given: (keys: DeviceKeys) => GivenWorkspace,
    before: StoredWorkspace | null,
    { disputed, tell }: Beginning,
  ): Promise<Running> {
    const keys = await loadKeys(host)
    const how = { kind, collides: disputed !== undefined, tell }
    const { incarnation, workspace } = await beginToWrite(parts, keys, given(keys), before, how)
    const settings = readSettings(host.read)
    const relayToken = await unsealToken(host, settings.relayToken)
    // Only here: a host that does not take part carries neither documents nor connections in memory.
    const { openRunning } = await import('./running.ts')
    const { createDocKinds, numberProvisionally } = await import('../engine/doc-kinds.ts')
    if (kinds === undefined) {
      kinds = createDocKinds(parts)
      numberProvisionally(parts, kinds)
    }
    const start = { ...around, kind, keys, incarnation, workspace, settings, relayToken, disputed, again }
    return openRunning(parts, kinds, start)
  }

  /** What begins and ends sync, one after the other. */
  let queue: Promise<unknown> = Promise.resolve()
  const serially = <T>(job: () => Promise<T>): Promise<T> => {
    const next = queue.then(job, job)
    queue = next.catch(() => undefined)
    return next
  }

  let isAgainAsked = false
  let disputedAt = -Infinity
  /** Stops and starts this machine; what is written meanwhile is found by the start. */
  function again(disputed?: Disputed): void {
    const now = performance.now()
    // A peer that says so without end must not make its host begin without end.
    if (isAgainAsked || (disputed !== undefined && now - disputedAt < disputedMs)) return
    if (disputed !== undefined) disputedAt = now
    isAgainAsked = true
    void serially(async () => {
      isAgainAsked = false
      if (machine === null) return
      await stop()
      const stored = readWorkspace(host.read)!
      await begin('again', () => stored, stored, { disputed })
      around.changed()
    }).catch((error: unknown) => host.log.error({ err: error }, 'Sync could not be started again.'))
  }

  /** @throws DeviceKeysUnreadable, Error of the engine */
  async function begin(
    kind: EngineStart,
    given: (keys: DeviceKeys) => GivenWorkspace,
    before: StoredWorkspace | null,
    how: Beginning,
  ): Promise<Running> {
    move('starting', reason)
    try {
      machine = await open(kind, given, before, how)
    } catch (error) {
      const isUnreadable = error instanceof Error && error.name === 'DeviceKeysUnreadable'
      const wasOn = kind === 'open' || before?.isOn === true
      const why = wasOn ? (isUnreadable ? 'keys_unreadable' : 'not_started') : reason
      move(why === undefined ? 'off' : 'not_started', why)
      throw error
    }
    move('running')
    return machine
  }

  async function stop(isHostEnding = false): Promise<void> {
    look()
    const ending = machine
    if (ending === null) return
    machine = null
    move('stopping')
    await ending.stop(isHostEnding).finally(() => move('off'))
  }

  return {
    state: look,
    /** Why it is not on although it should be. */
    reason: () => reason,
    running: () => machine,
    /** The id a person of this machine has on the others, and the other way round. */
    sharedId: (id: string) => kinds?.identity.id(id) ?? id,
    /**
     * Takes part, as `kind` says. After a throw it is as it was before, or `not_started` where it went on with what is stored.
     * @param before the row as it is; null for a workspace this machine did not belong to
     * @param then what belongs to the start once everything is open
     * @param tell done in the transaction in which the workspace is stored
     * @throws DeviceKeysUnreadable, Error of the engine
     */
    async start(
      kind: EngineStart,
      given: (keys: DeviceKeys) => GivenWorkspace,
      before: StoredWorkspace | null,
      then: (opened: Running) => Promise<void>,
      tell?: (tx: Tx) => void,
    ): Promise<void> {
      const opened = await serially(() => begin(kind, given, before, { tell }))
      around.changed()
      try {
        await then(opened)
      } catch (error) {
        await serially(() => stop()).catch(() => undefined)
        throw error
      }
    },
    /** Ends taking part; does nothing where it does not. @param isHostEnding nobody writes until it takes part again */
    stop: (isHostEnding = false) => serially(() => stop(isHostEnding)),
    /** Does not want to be on any more. */
    giveUp() {
      if (state === 'not_started') move('off')
    },
  }
}

/** The keys of this machine; made where there are none. @throws DeviceKeysUnreadable */
export function loadKeys({ options, secrets }: Pick<PluginHost, 'options' | 'secrets'>): Promise<DeviceKeys> {
  return loadDeviceKeys(join(options.dataDir, 'sync-device.json'), secrets)
}

async function unsealToken({ secrets, log }: PluginHost, sealed: string | null): Promise<string | null> {
  try {
    return sealed === null ? null : await secrets.open(sealed)
  } catch (error) {
    log.warn({ err: error }, 'The token of the relay cannot be read.')
    return null
  }
}

/**
 * Opens the incarnation this start writes under and stores it with the workspace, before anything is written or sent: in an
 * order in which a crash does no harm.
 */
async function beginToWrite(
  { host: { read, write, options, log, clock }, metadata }: WingParts,
  { device }: DeviceKeys,
  given: GivenWorkspace,
  before: StoredWorkspace | null,
  { kind, collides, tell }: { readonly kind: EngineStart; readonly collides: boolean } & Pick<Beginning, 'tell'>,
): Promise<{ readonly incarnation: Incarnation; readonly workspace: StoredWorkspace }> {
  const storedSeq = (inc: number): number | undefined => readStoredSeq(read, inc)
  const incarnation = openIncarnation({
    file: join(options.dataDir, sidecarName),
    databaseFile: join(options.dataDir, 'cairn.db'),
    now: clock.iso(),
    device,
    database: before === null ? undefined : { ...before, lastSeq: storedSeq(before.inc) ?? 0 },
    collides,
    isTaken: (inc) => storedSeq(inc) !== undefined,
  })
  const { inc, bootCounter, reason, lostTail } = incarnation
  if (reason === 'database_copied' || (reason === 'database_older' && before !== null))
    log.warn(
      { inc, reason, lostTail },
      'A copy of the data folder was put in its place. This machine writes a log anew, and gets back what the copy lacks.',
    )
  else if (reason !== undefined && before !== null)
    log.info({ inc, reason, lostTail }, 'This machine writes a log anew.')
  const workspace: StoredWorkspace = { ...given, device, inc, bootCounter }
  const { beginBackfill } = await import('../engine/backfill.ts')
  await write('sync.begin', (tx) => {
    putWorkspace(tx, workspace)
    tell?.(tx)
    // With the workspace: a stop in between must not leave it noted without one, nor one without the note.
    if (kind === 'join') keepAllAside(tx, metadata)
    // Noted before anything of others can reach a row, and not forgotten by a stop between this and the engine.
    if (kind === 'again' || kind === 'found') beginBackfill(tx, 0, 0)
  })
  return { incarnation, workspace }
}
