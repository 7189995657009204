// This machine while it takes part: its keys, log and documents, roster, connections and sessions, put together and taken
// apart again. Loaded only while sync is on. Knows no HTTP.
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import type { Incarnation } from '#main/replication/channel/incarnation-file.ts'
import type { LinkClose } from '#main/replication/channel/link-close.ts'
import { drawBox } from '#main/replication/channel/mailbox.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { internalContext } from '#main/kernel/context.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { countOpen } from '../conflicts/conflict-store.ts'
import { countWaiting } from '../conflicts/waiting-store.ts'
import type { DocKinds } from '../engine/doc-kinds.ts'
import type { EngineStart, JoinedEngine } from '../engine/open-engine.ts'
import type { Disputed } from '../engine/replica.ts'
import { openEngine } from '../engine/open-engine.ts'
import { createByteLane } from '../files/byte-lane.ts'
import type { PeerSession } from '../session/peer-session.ts'
import { narrowedCode } from '../session/reader.ts'
import { createSessions } from '../session/sessions.ts'
import { logBytes } from '../store/log-store.ts'
import { ownAddresses, parseAddress, parseRelayUrl } from './addresses.ts'
import { createLeases } from './leases.ts'
import type { MailboxKeeper } from './mailbox-keeper.ts'
import { keepMailbox } from './mailbox-keeper.ts'
import type { ListenAt, NetworkPeer } from './network.ts'
import { createNetwork } from './network.ts'
import type { PeerView } from './peer-list.ts'
import { listPeers } from './peer-list.ts'
import { openPeerStore, relayId } from './peer-store.ts'
import { createReaders } from './readers.ts'
import { createRelayAdmission } from './relay-admission.ts'
import { createRelayProof } from './relay-proof.ts'
import { signKeyOf } from './roster-entries.ts'
import type { RosterDevice } from './roster-entries.ts'
import type { Roster } from './roster.ts'
import { createRoster } from './roster.ts'
import type { WingParts } from './service.ts'
import { listenAddresses } from './settings.ts'
import type { StatusFacts } from './status.ts'
import { keepUnpaired } from './unpaired-since.ts'
import { putBoundPort, readBoundPort } from './workspace-store.ts'
import type { LocalSettings, StoredWorkspace } from './workspace-store.ts'

/** What one start of the machine is made with. */
export interface RunningStart {
  readonly kind: EngineStart
  readonly keys: DeviceKeys
  readonly incarnation: Incarnation
  /** As the row names it by now. */
  readonly workspace: StoredWorkspace
  readonly settings: LocalSettings
  /** The relay's admin token in clear. */
  readonly relayToken: string | null
  /** Of a start because others have another log under the number of this machine. */
  readonly disputed?: Disputed | undefined
  /** Something can only be put right while nothing runs: this machine is stopped and started again. */
  again(disputed?: Disputed): void
  /** Whether a stranger may come for a pairing now. */
  mayVisit(): boolean
  onVisitor(link: PeerLink): void
  /** Something that is shown has changed. */
  changed(): void
}

/** A machine that takes part. */
export type Running = Awaited<ReturnType<typeof openRunning>>

/** How long the relay may take to be told of a new machine; that machine asks it again later. */
const relayToldMs = 3_000

/** How often rooms of texts look whether something is to be said to other machines, and whether rights have changed. */
const beatMs = 1_000

/** Addresses of a peer that are kept, and told of this machine. */
const placesLimit = 8

/** How often the size of the log is looked at. */
const sizeMs = 30_000

/** Opens everything. Nothing stays open after a throw. */
export async function openRunning(parts: WingParts, kinds: DocKinds, start: RunningStart) {
  const { read, log } = parts.host
  const roster = createRoster({ read, log, known: start.workspace.known })
  const engine = await openEngine(parts, kinds, start, roster)
  try {
    await keepUnpaired(parts.host, roster, { docs: engine.docs, device: start.keys.device })
    return { ...(await assemble(parts, start, roster, engine)), kinds }
  } catch (error) {
    await engine.stop()
    throw error
  }
}

async function assemble(
  { host, metadata, storage }: WingParts,
  start: RunningStart,
  roster: Roster,
  engine: JoinedEngine,
) {
  const { keys, incarnation, workspace } = start
  const { log } = host
  const store = openPeerStore(host)
  let { settings, relayToken } = start
  let isDeaf = false
  // Whoever was told so before the last stop has not been let in since.
  let isShutOut = store.shutOutBy().length > 0
  let size = { bytes: 0, at: -Infinity }
  const mailboxes = new Set<MailboxKeeper>()
  const opened = new WeakSet<PeerSession>()

  const otherDevices = (): RosterDevice[] => roster.devices().filter(({ device }) => device !== keys.device)
  const others = (): RosterDevice[] => otherDevices().filter(({ revokedAt }) => revokedAt === null)
  const otherIds = (): string[] => others().map(({ device }) => device)
  const isRevoked = (): boolean => roster.device(keys.device)?.revokedAt !== null
  const readers = createReaders({
    roster,
    device: keys.device,
    mayReadAll: engine.mayReadAll,
    rights: engine.rights,
    put(narrowed) {
      const internal = internalContext(host.ids.uuid())
      return host
        .write('sync.narrowed', (tx) => roster.putNarrowed(tx, internal, engine.docs, keys.device, narrowed))
        .catch((error: unknown) => log.error({ err: error }, 'Who may not read everything could not be told.'))
    },
  })
  const sessions = createSessions({
    replica: engine.replica,
    keys,
    roster: {
      find(id) {
        const device = roster.device(id)
        if (device === undefined) return undefined
        const { fingerprint, revokedAt } = device
        return { signKey: signKeyOf(device), fingerprint, isRevoked: revokedAt !== null }
      },
    },
    clock: host.clock,
    timers: systemTimers,
    log: host.log,
    appVersion: host.options.version,
    schemaRev: () => metadata.epoch(),
    hooks: {
      onAware(peer, doc, update) {
        if (peer !== relayId || !relayProof.hear(doc, update)) engine.rooms.onAware(peer, doc, update)
      },
      onLive(peer, doc, update) {
        if (!lane.hear(peer, doc, update)) engine.rooms.onLive(peer, doc, update)
      },
      onPlace: moved,
      onFork: disputed,
    },
    acks: {
      load: () => [...otherIds(), relayId].map((id) => [id, store.of(id).acked] as const),
      save: (peer, acked, seen) => store.note(peer, { acked, ...seen }),
    },
    knownPeers: () => (settings.relayUrl === null ? otherIds() : [...otherIds(), relayId]),
    isNarrowed: (peer) => readers.isNarrowed(peer),
    // The relay gives what it gets to everybody it lets in.
    mayHave: (peer) =>
      peer === relayId
        ? !roster.isAdmin(keys.device) || admission.hasShutOut(sessions.of(relayId), readers.narrowedHere())
        : !readers.isNarrowed(peer),
  })
  engine.followRelay(() => sessions.of(relayId)?.time())
  const relayProof = createRelayProof({ engine, sessions, others: otherIds })
  const lane = createByteLane({
    ...{ read: host.read, clock: host.clock, log: host.log, timers: systemTimers, device: keys.device, storage },
    sessions: () => sessions,
    vouching: engine.vouch(),
    deviceOf: (id) => roster.known.find(id),
    others: otherIds,
    nameOf: (id) => roster.device(id)?.name ?? null,
    personOf: engine.personHere,
    mayHave: (id) => !readers.isNarrowed(id),
    keepsAll: () => settings.keepFiles,
  })
  const admission = createRelayAdmission(roster, keys.device, readers.isNarrowed, host.log)
  const isOpen = (peer: string): boolean => sessions.of(peer)?.status().state === 'open'
  let hearing: 'not yet' | 'taking over' | 'done' = 'not yet'
  const hasHeard = (): boolean => {
    // What others had to say is stored once a session is open; it is in effect once it was applied.
    if (hearing === 'not yet' && [...otherIds(), relayId].some(isOpen)) {
      hearing = 'taking over'
      void engine.replica.settled().then(() => (hearing = 'done'))
    }
    return hearing === 'done'
  }
  const leases = createLeases({
    host,
    roster,
    docs: engine.docs,
    device: keys.device,
    isConnected: isOpen,
    hasHeard,
    clockOffset: sessions.clockOffset,
  })

  const network = createNetwork({
    keys,
    log: host.log,
    admit(fingerprint) {
      if (settings.paused || isRevoked()) return 'unknown'
      const device = roster.deviceOf(fingerprint)
      if (device !== undefined && device.revokedAt === null) return store.of(device.device).paused ? 'unknown' : 'known'
      if (start.mayVisit()) return 'pairing'
      return device === undefined ? 'unknown' : 'unpaired'
    },
    onLink,
    onVisitor: (link) => start.onVisitor(link),
    onEnd: ended,
    changed: noteDials,
  })

  const idOf = ({ peer }: PeerLink): string | undefined =>
    peer === settings.relayFingerprint ? relayId : roster.deviceOf(peer)?.device

  function onLink(link: PeerLink): void {
    const peer = idOf(link)
    // The roster or the settings changed while the handshake ran.
    if (peer === undefined) {
      link.close('unpaired')
      return
    }
    store.setError(peer, undefined)
    const known = store.of(peer).addresses
    if (link.direction === 'out' && known.includes(link.address) && known[0] !== link.address)
      store.note(peer, { addresses: [link.address, ...known.filter((one) => one !== link.address)] })
    const token = peer === relayId && relayToken !== null ? { token: relayToken } : {}
    sessions.add(link, { kind: peer === relayId ? 'relay' : 'device', peer, ...token })
    start.changed()
  }

  function ended(link: PeerLink, { reason, here }: LinkClose): void {
    const peer = idOf(link)
    if (peer === undefined) return
    store.note(peer, { lastSeenAt: host.clock.iso() })
    if (peer === relayId && sessions.status(peer)?.lastError === narrowedCode) notUnpaired(peer)
    if (reason === 'unpaired' && !here) shutOutBy(peer)
    else if (reason !== 'done' && reason !== 'stopping' && reason !== 'replaced')
      noteError(peer, sessions.status(peer)?.lastError ?? reason)
    start.changed()
  }

  function shutOutBy(peer: string): void {
    isShutOut = true
    store.note(peer, { shutOut: true })
    store.setError(peer, 'unpaired')
    refresh()
  }

  /** It says more by now: this machine takes part, and is given nothing. */
  function notUnpaired(peer: string): void {
    store.note(peer, { shutOut: false })
    isShutOut = store.shutOutBy().length > 0
    if (store.errorOf(peer)?.reason === 'unpaired') store.setError(peer, narrowedCode)
  }

  /** Keeps the time at which something went wrong first. That a machine was unpaired says more than that it is refused. */
  function noteError(peer: string, reason: string): void {
    const before = store.errorOf(peer)?.reason
    if (before !== reason && before !== 'unpaired') store.setError(peer, reason)
  }

  function noteDials(): void {
    for (const peer of [...otherIds(), relayId]) {
      const reason = network.dialStatus(peer)?.lastError
      if (reason === 'unpaired' && !store.of(peer).shutOut) shutOutBy(peer)
      else if (reason !== undefined) noteError(peer, reason)
    }
    start.changed()
  }

  /** A peer listens elsewhere than it did: it is looked for there first, and where it was as well. */
  function moved(peer: string, told: readonly string[]): void {
    const now = told.filter((address) => parseAddress(address) !== undefined)
    const addresses = [...new Set([...now, ...store.of(peer).addresses])].slice(0, placesLimit)
    store.note(peer, { addresses })
    refresh()
  }

  /** Tells a peer where this machine listens, unless that is where it did. Pairing has told the first place. */
  function tellPlace(session: PeerSession): void {
    if (session.kind !== 'device') return
    const { toldPlace } = store.of(session.peer)
    const addresses = network.listening().slice(0, placesLimit)
    const place = addresses.join(' ')
    const note = (): void => store.note(session.peer, { toldPlace: place })
    if (toldPlace === null) note()
    else if (place !== '' && place !== toldPlace) session.sayPlace(addresses, note)
  }

  /** What others said of this machine holds no more: one of them has let it in. */
  function letIn(): void {
    isShutOut = false
    const before = store.shutOutBy()
    for (const peer of before) store.note(peer, { shutOut: false })
    if (before.length > 0) refresh()
  }

  function sessionsChanged(): void {
    for (const session of sessions.all()) {
      const { state, lastError } = session.status()
      // Once: whoever has not heard of it yet does not make up for the word of another one for as long as it is connected.
      if (state === 'open' && !opened.has(session)) {
        opened.add(session)
        letIn()
        tellPlace(session)
      }
      if (lastError !== undefined) noteError(session.peer, lastError)
    }
    admission.look(sessions.of(relayId))
    start.changed()
  }

  function usedRelay(): NetworkPeer | undefined {
    const { relayUrl, relayFingerprint: fingerprint, paused } = settings
    const address = relayUrl === null ? undefined : parseRelayUrl(relayUrl)
    if (address === undefined || fingerprint === null || paused || store.of(relayId).paused) return undefined
    return { id: relayId, fingerprint, addresses: [address] }
  }

  function wanted(): NetworkPeer[] {
    if (settings.paused || isRevoked()) return []
    const devices = others()
      .filter(({ device }) => !store.of(device).paused && !store.of(device).shutOut)
      .map(({ device, fingerprint }) => ({
        id: device,
        fingerprint,
        addresses: store.of(device).addresses.flatMap((text) => parseAddress(text) ?? []),
      }))
    const relay = usedRelay()
    return relay === undefined ? devices : [...devices, relay]
  }

  /** What came of a machine before this one heard that it was unpaired counts for all, or machines would differ for good. */
  function sayLogs(): void {
    if (!roster.isAdmin(keys.device) || roster.unsaidLogs().length === 0) return
    host
      .write('sync.unpaired-logs', (tx) => roster.sayLogs(tx, internalContext(host.ids.uuid()), engine.docs))
      .catch((error: unknown) => host.log.error({ err: error }, 'What came of an unpaired machine could not be told.'))
  }

  /** Another log has the number of this machine, of a copy of it: it writes under another one, also what that one lacks. */
  function disputed(peer: string, inc: number): void {
    if (inc === incarnation.inc) start.again({ inc, common: sessions.ackedBefore(peer).get(inc) ?? 0 })
  }

  /** Of an unpaired machine this one has what does not count, and no say in it: it goes on as its own changes. */
  function takeOver(): void {
    const isMember = roster.device(keys.device)?.role === 'member' && !isRevoked()
    if (isMember && roster.unsaidLogs().length > 0) start.again()
  }

  /** Connects whom the roster and the store say, and nobody else. */
  function refresh(): void {
    network.keep(wanted())
    for (const device of roster.devices()) {
      if (device.revokedAt !== null || isRevoked()) network.disconnect(device.fingerprint, 'unpaired')
      else if (settings.paused || store.of(device.device).paused) network.disconnect(device.fingerprint, 'done')
    }
    const isRelayLeft = settings.paused || settings.relayUrl === null || store.of(relayId).paused
    if (isRelayLeft && settings.relayFingerprint !== null) network.disconnect(settings.relayFingerprint, 'done')
    start.changed()
  }

  function placeToListen(): ListenAt {
    if (!settings.listen || settings.paused) return null
    return { addresses: listenAddresses(settings, ownAddresses()), port: settings.port }
  }

  const peers = (): PeerView[] =>
    listPeers({
      devices: otherDevices(),
      settings,
      vector: engine.replica.vector(),
      store,
      sessions,
      dial: network.dialStatus,
    })

  function sizeOfLog(): number {
    const now = host.clock.now()
    if (now - size.at >= sizeMs) size = { bytes: logBytes(host.read), at: now }
    return size.bytes
  }

  /** Rights or the roster may be others: who may not have everything is told so, and whoever may again gets the rest. */
  function lookAtReaders(): void {
    readers.forget()
    readers.tell()
    for (const session of sessions.all()) session.lookAtRights()
    admission.look(sessions.of(relayId))
  }

  engine.rooms.speak(sessions)
  const beat = setInterval(() => {
    engine.rooms.beat()
    relayProof.beat()
    engine.lookAtRights()
    lookAtReaders()
  }, beatMs)
  beat.unref()
  const heard = [
    sessions.onChange(() => engine.rooms.look()),
    sessions.onChange(() => lane.look()),
    engine.onChange(() => lane.look()),
    sessions.onChange(sessionsChanged),
    engine.onChange(() => start.changed()),
    engine.onRights(lookAtReaders),
    roster.onChange(() => {
      readers.forget()
      leases.settle()
      sayLogs()
      takeOver()
      lookAtReaders()
      for (const { device, revokedAt } of roster.devices()) if (revokedAt !== null) sessions.forget(device)
      refresh()
    }),
  ]

  /** Listens as the settings say; a port of the system's choice is the one it chose before where that is free. */
  async function listen(): Promise<void> {
    const place = placeToListen()
    if (place?.port !== 0) return network.listen(place)
    const before = readBoundPort(host.read)
    try {
      await network.listen({ ...place, port: before })
    } catch (error) {
      if (before === 0) throw error
      host.log.warn(
        { err: error, port: before },
        'The port is taken, so another one is listened on: other machines need the new address.',
      )
      await network.listen(place)
    }
    const now = parseAddress(network.listening()[0] ?? '')?.port
    if (now !== undefined && now !== before) await host.write('sync.port', (tx) => putBoundPort(tx, now))
  }

  try {
    await listen()
  } catch (error) {
    // Another program may have the port by now; this machine can still reach the others.
    host.log.warn({ err: error }, 'Other machines cannot connect to this one.')
    isDeaf = true
  }
  refresh()
  sayLogs()
  return {
    keys,
    incarnation,
    workspace,
    engine,
    roster,
    leases,
    sessions,
    network,
    store,
    /**
     * Takes other settings; listens and connects by them.
     * @param token the relay's in clear; undefined: as before
     * @throws Error when the port cannot be bound
     */
    async apply(next: LocalSettings, token: string | null | undefined): Promise<void> {
      const before = settings
      if (token !== undefined) relayToken = token
      settings = next
      const isMoved =
        before.listen !== next.listen ||
        before.port !== next.port ||
        before.paused !== next.paused ||
        before.interfaces.join() !== next.interfaces.join()
      // A port of the system's choice stays as long as it may.
      if (isMoved || isDeaf) {
        try {
          await listen()
          isDeaf = false
        } catch (error) {
          settings = before
          await listen().catch(() => (isDeaf = true))
          throw error
        }
      }
      if (before.relayFingerprint !== null && before.relayFingerprint !== next.relayFingerprint)
        network.disconnect(before.relayFingerprint, 'done')
      refresh()
      for (const session of sessions.all()) if (opened.has(session)) tellPlace(session)
      lane.look()
    },
    settings: () => settings,
    letIn,
    refresh,
    peers,
    peer: (id: string) => peers().find((peer) => peer.id === id),
    /** Tries to reach a peer at once, also one that said that this machine was unpaired. */
    reconnect(id: string): void {
      sessions.resume(id)
      store.note(id, { shutOut: false })
      refresh()
      network.tryNow(id)
    },
    /** What a peer has on disk, as far as it said so. */
    acked: (id: string): Vector => sessions.of(id)?.acked() ?? store.of(id).acked,
    /** {@link SyncService.sharedUntil}; a machine that was unpaired is on its own. */
    sharedUntil(): string | null {
      if (isRevoked()) return null
      const [first = null] = otherIds()
        .map((id) => sessions.provedAt(id) ?? '')
        .toSorted()
      return first
    },
    /** Whether the others have shut this machine out, by the roster or by their word. */
    isUnpaired: () =>
      isRevoked() ||
      (isShutOut && !sessions.all().some(({ kind, status }) => kind === 'device' && status().state === 'open')),
    /** What the status is made from; see `statusOf`. */
    facts(): StatusFacts {
      const { waiting, stuck } = countWaiting(host.read)
      const summary = sessions.summary()
      const { parked, quarantined } = summary.backlog
      const known = peers()
      const device = roster.device(keys.device)
      const errors = known.flatMap(({ id }) => store.errorOf(id) ?? []).toSorted((a, b) => b.at.localeCompare(a.at))
      return {
        workspaceId: Buffer.from(workspace.workspace).toString('hex'),
        epoch: workspace.epoch,
        device: {
          id: keys.device,
          name: device?.name ?? '',
          fingerprint: keys.fingerprint,
          inc: incarnation.inc,
          role: device?.role ?? 'member',
        },
        counts: {
          ...countOpen(host.read),
          parked,
          quarantined,
          waiting,
          repairs: sessions.all().reduce((sum, session) => sum + session.status().repairs, engine.repairedRows()),
        },
        logBytes: sizeOfLog(),
        ...(incarnation.putBackAt === undefined ? {} : { putBackAt: incarnation.putBackAt }),
        ...(errors[0] === undefined ? {} : { lastError: errors[0] }),
        progress: engine.progress(),
        isDeaf,
        isPaused: settings.paused,
        isFull: host.database.health() === 'disk_full',
        stuck,
        sessions: summary,
        peers: known,
      }
    },
    /** Where others reach this machine: what it listens on. */
    addresses: () => network.listening(),
    /** Waits for strangers in a new mailbox of the relay; undefined where none is used. */
    keepMailbox(): MailboxKeeper | undefined {
      const relay = usedRelay()
      if (relay === undefined) return undefined
      for (const before of mailboxes) {
        before.close()
        if (before.isOver()) mailboxes.delete(before)
      }
      const { fingerprint, addresses } = relay
      const keeper = keepMailbox({ relay: addresses[0]!, fingerprint, box: drawBox() }, start, host.log)
      mailboxes.add(keeper)
      return keeper
    },
    /** Waits until the relay was told whom it lets in; not for long. */
    async relayTold() {
      let cancel = (): void => undefined
      const late = new Promise<void>((resolve) => (cancel = systemTimers.after(relayToldMs, resolve)))
      await Promise.race([admission.settled(), late])
      cancel()
    },
    /** @param isHostEnding nobody writes until this machine takes part again */
    async stop(isHostEnding: boolean) {
      for (const mailbox of mailboxes) mailbox.stop()
      for (const off of heard) off()
      clearInterval(beat)
      engine.rooms.speak(null)
      engine.rooms.look()
      await lane.stop()
      const quiet = sessions.stop()
      await network.stop()
      await quiet
      await store.stop()
      if (!isHostEnding) await engine.catchUp()
      await engine.stop()
      // Whoever puts an older copy of the database back later is found out, also where the end of the log was never sent.
      incarnation.beforeSending(engine.replica.vector().get(incarnation.inc) ?? 0)
      incarnation.stopped()
    },
  }
}
