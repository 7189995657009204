// This machine while it takes part: its keys, log and documents, roster, connections and sessions, put together and taken
// apart again. Loaded only while sync is on. Knows no HTTP.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import type { Incarnation } from '#main/replication/channel/incarnation-file.ts'
import type { LinkClose } from '#main/replication/channel/link-close.ts'
import { drawBox } from '#main/replication/channel/mailbox.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import type { Sessions } from '../session/sessions.ts'
import { createSessions } from '../session/sessions.ts'
import type { SessionHooks, SessionStatus } from '../session/types.ts'
import { ownAddresses, parseAddress, parseRelayUrl } from './addresses.ts'
import type { OpenEngine, SyncEngine } from './engine-port.ts'
import type { EngineStart } from './engine-port.ts'
import type { MailboxKeeper } from './mailbox-keeper.ts'
import { keepMailbox } from './mailbox-keeper.ts'
import type { ListenAt, Network, NetworkPeer } from './network.ts'
import { createNetwork } from './network.ts'
import type { PeerBook } from './peer-book.ts'
import { openPeerBook } from './peer-book.ts'
import { relayId } from './peer-store.ts'
import type { PeerFacts, PeerView } from './peer-views.ts'
import { deviceView, relayView } from './peer-views.ts'
import type { Roster } from './roster.ts'
import { createRoster } from './roster.ts'
import { createRelayAdmission } from './relay-admission.ts'
import { listenAddresses } from './settings.ts'
import type { LocalSettings, StoredWorkspace } from './workspace-store.ts'

/** What a machine that takes part works with. */
export interface RunningParts {
  readonly host: Pick<PluginHost, 'read' | 'write' | 'clock' | 'log' | 'options'>
  readonly keys: DeviceKeys
  readonly incarnation: Incarnation
  /** As the row names it by now. */
  readonly workspace: StoredWorkspace
  readonly settings: LocalSettings
  /** The relay's admin token in clear. */
  readonly relayToken: string | null
  readonly openEngine: OpenEngine
  /** What sessions tell beside their status. */
  readonly hooks: SessionHooks
  /** Told of the sessions there are from now on; answers how to say that they have ended. */
  sessionsOpened(sessions: Sessions): () => void
  schemaRev(): number
  /** Whether a stranger may come for a pairing now. */
  mayVisit(): boolean
  onVisitor(link: PeerLink): void
  /** Something that is shown has changed. */
  changed(): void
}

/** A machine that takes part. */
export interface Running {
  readonly keys: DeviceKeys
  readonly incarnation: Incarnation
  readonly workspace: StoredWorkspace
  readonly engine: SyncEngine
  readonly roster: Roster
  readonly sessions: Sessions
  readonly network: Network
  readonly book: PeerBook
  settings(): LocalSettings
  /** Takes other settings; listens and connects by them. @throws Error when the port cannot be bound */
  apply(settings: LocalSettings, relayToken: string | null): Promise<void>
  /** Connects whom the roster and the book say, and nobody else. */
  refresh(): void
  peers(): PeerView[]
  peer(id: string): PeerView | undefined
  /** What a peer has on disk, as far as it said so. */
  acked(id: string): Vector
  /** What keeps this machine from taking part. */
  trouble(): string | undefined
  /** Where others reach this machine: what it listens on. */
  addresses(): readonly string[]
  /** Waits for strangers in a new mailbox of the relay; undefined where none is used. */
  keepMailbox(): MailboxKeeper | undefined
  /** Waits until the relay was told whom it lets in; not for long. */
  relayTold(): Promise<void>
  stop(): Promise<void>
}

/** How long the relay may take to be told of a new machine; that machine asks it again later. */
const relayToldMs = 3_000

/** Opens everything. Nothing stays open after a throw. */
export async function openRunning(parts: RunningParts, kind: EngineStart['kind']): Promise<Running> {
  const { host, keys, incarnation, workspace } = parts
  const { log } = host
  const roster = createRoster({ read: host.read, log, known: workspace.known })
  const { workspace: ws, epoch } = workspace
  const own = {
    device: keys.device,
    inc: incarnation.inc,
    bootCounter: incarnation.bootCounter,
    signer: keys,
    beforeSending: (lastSeq: number) => incarnation.beforeSending(lastSeq),
  }
  const engine = await parts.openEngine({ kind, workspace: ws, epoch }, own, roster)
  try {
    return await assemble(parts, roster, engine)
  } catch (error) {
    await engine.stop()
    throw error
  }
}

async function assemble(parts: RunningParts, roster: Roster, engine: SyncEngine): Promise<Running> {
  const { host, keys, incarnation, workspace } = parts
  const book = openPeerBook(host)
  let settings = parts.settings
  let relayToken = parts.relayToken
  let listenTrouble: string | undefined
  let isShutOut = false
  const mailboxes = new Set<MailboxKeeper>()

  const others = (): string[] =>
    roster
      .devices()
      .filter(({ device, revokedAt }) => device !== keys.device && revokedAt === null)
      .map(({ device }) => device)
  const sessions = createSessions({
    replica: engine.replica,
    keys,
    roster: {
      find(id) {
        const device = roster.device(id)
        if (device === undefined) return undefined
        const { signKey, fingerprint, revokedAt } = device
        return { signKey: new Uint8Array(Buffer.from(signKey, 'base64')), fingerprint, isRevoked: revokedAt !== null }
      },
    },
    clock: host.clock,
    timers: systemTimers,
    log: host.log,
    appVersion: host.options.version,
    schemaRev: parts.schemaRev,
    hooks: parts.hooks,
    acks: {
      load: () => [...others(), relayId].map((id) => [id, book.of(id).acked] as const),
      save: (peer, acked, seen) => book.note(peer, { acked, ...seen }),
    },
    knownPeers: () => (settings.relayUrl === null ? others() : [...others(), relayId]),
  })
  const admission = createRelayAdmission(roster, keys.device, host.log)

  const network = createNetwork({
    keys,
    log: host.log,
    admit(fingerprint) {
      if (settings.paused || isUnpaired()) return 'unknown'
      const device = roster.deviceOf(fingerprint)
      if (device !== undefined && device.revokedAt === null) return book.of(device.device).paused ? 'unknown' : 'known'
      return parts.mayVisit() ? 'pairing' : 'unknown'
    },
    onLink,
    onVisitor: (link) => parts.onVisitor(link),
    onEnd: ended,
    changed: noteDials,
  })

  const isUnpaired = (): boolean => roster.device(keys.device)?.revokedAt !== null
  const idOf = ({ peer }: PeerLink): string | undefined =>
    peer === settings.relayFingerprint ? relayId : roster.deviceOf(peer)?.device

  function onLink(link: PeerLink): void {
    const peer = idOf(link)
    // The roster or the settings changed while the handshake ran.
    if (peer === undefined) {
      link.close('unpaired')
      return
    }
    book.setError(peer, undefined)
    const known = book.of(peer).addresses
    if (link.direction === 'out' && known.includes(link.address) && known[0] !== link.address)
      book.note(peer, { addresses: [link.address, ...known.filter((one) => one !== link.address)] })
    const token = peer === relayId && relayToken !== null ? { token: relayToken } : {}
    sessions.add(link, { kind: peer === relayId ? 'relay' : 'device', peer, ...token })
    parts.changed()
  }

  function ended(link: PeerLink, { reason, here }: LinkClose): void {
    const peer = idOf(link)
    if (peer === undefined) return
    book.note(peer, { lastSeenAt: host.clock.iso() })
    if (reason === 'unpaired' && !here) {
      isShutOut = true
      book.setError(peer, 'unpaired')
    } else if (reason !== 'done' && reason !== 'stopping' && reason !== 'replaced')
      noteError(peer, sessions.status(peer)?.lastError ?? reason)
    parts.changed()
  }

  /** Keeps the time at which something went wrong first. That a machine was unpaired says more than that it is refused. */
  function noteError(peer: string, reason: string): void {
    const before = book.errorOf(peer)?.reason
    if (before !== reason && before !== 'unpaired') book.setError(peer, reason)
  }

  function noteDials(): void {
    for (const peer of [...others(), relayId]) {
      const reason = network.dialStatus(peer)?.lastError
      if (reason !== undefined) noteError(peer, reason)
    }
    parts.changed()
  }

  function sessionsChanged(): void {
    for (const session of sessions.all()) {
      const { state, lastError } = session.status()
      if (state === 'open') isShutOut = false
      if (lastError !== undefined) noteError(session.peer, lastError)
    }
    admission.look(sessions.of(relayId))
    parts.changed()
  }

  function usedRelay(): NetworkPeer | undefined {
    const { relayUrl, relayFingerprint: fingerprint, paused } = settings
    const address = relayUrl === null ? undefined : parseRelayUrl(relayUrl)
    if (address === undefined || fingerprint === null || paused || book.of(relayId).paused) return undefined
    return { id: relayId, fingerprint, addresses: [address] }
  }

  function wanted(): NetworkPeer[] {
    if (settings.paused || isUnpaired()) return []
    const devices = roster
      .devices()
      .filter(({ device, revokedAt }) => device !== keys.device && revokedAt === null && !book.of(device).paused)
      .map(({ device, fingerprint }) => ({
        id: device,
        fingerprint,
        addresses: book.of(device).addresses.flatMap((text) => parseAddress(text) ?? []),
      }))
    const relay = usedRelay()
    return relay === undefined ? devices : [...devices, relay]
  }

  function refresh(): void {
    network.keep(wanted())
    for (const device of roster.devices()) {
      if (device.revokedAt !== null || isUnpaired()) network.disconnect(device.fingerprint, 'unpaired')
      else if (settings.paused || book.of(device.device).paused) network.disconnect(device.fingerprint, 'done')
    }
    const isRelayLeft = settings.paused || settings.relayUrl === null || book.of(relayId).paused
    if (isRelayLeft && settings.relayFingerprint !== null) network.disconnect(settings.relayFingerprint, 'done')
    parts.changed()
  }

  function placeToListen(): ListenAt {
    if (!settings.listen || settings.paused) return null
    return { addresses: listenAddresses(settings, ownAddresses()), port: settings.port }
  }

  const sessionOf = (id: string): SessionStatus | undefined => sessions.of(id)?.status()

  const facts = (): PeerFacts => ({
    settings,
    vector: engine.replica.vector(),
    stored: book.of,
    session: sessionOf,
    dial: network.dialStatus,
    pausedFor: sessions.pausedFor,
    errorOf: book.errorOf,
  })
  const peers = (): PeerView[] => {
    const known = facts()
    const relay = relayView(known)
    const devices = roster.devices().filter(({ device }) => device !== keys.device)
    return [...devices.map((device) => deviceView(device, known)), ...(relay === null ? [] : [relay])]
  }

  const heard = [
    parts.sessionsOpened(sessions),
    sessions.onChange(sessionsChanged),
    engine.onChange(() => parts.changed()),
    roster.onChange(() => {
      admission.look(sessions.of(relayId))
      for (const { device, revokedAt } of roster.devices()) if (revokedAt !== null) sessions.forget(device)
      refresh()
    }),
  ]

  const self: Running = {
    keys,
    incarnation,
    workspace,
    engine,
    roster,
    sessions,
    network,
    book,
    settings: () => settings,
    async apply(next, token) {
      const before = settings
      relayToken = token
      settings = next
      const isMoved =
        before.listen !== next.listen ||
        before.port !== next.port ||
        before.paused !== next.paused ||
        before.interfaces.join() !== next.interfaces.join()
      // A port of the system's choice stays as long as it may.
      if (isMoved || listenTrouble !== undefined) {
        try {
          await network.listen(placeToListen())
          listenTrouble = undefined
        } catch (error) {
          settings = before
          await network.listen(placeToListen()).catch(() => (listenTrouble = 'listen_failed'))
          throw error
        }
      }
      if (before.relayFingerprint !== null && before.relayFingerprint !== next.relayFingerprint)
        network.disconnect(before.relayFingerprint, 'done')
      refresh()
    },
    refresh,
    peers,
    peer: (id) => peers().find((peer) => peer.id === id),
    acked: (id) => sessions.of(id)?.acked() ?? book.of(id).acked,
    trouble() {
      if (isUnpaired()) return 'unpaired'
      if (isShutOut && !sessions.all().some((session) => session.status().state === 'open')) return 'unpaired'
      return listenTrouble
    },
    addresses: () => network.listening(),
    keepMailbox() {
      const relay = usedRelay()
      if (relay === undefined) return undefined
      for (const before of mailboxes) {
        before.close()
        if (before.isOver()) mailboxes.delete(before)
      }
      const keeper = keepMailbox({
        place: { relay: relay.addresses[0]!, fingerprint: relay.fingerprint, box: drawBox() },
        keys,
        workspace: workspace.workspace,
        epoch: workspace.epoch,
        timers: systemTimers,
        log: host.log,
        onVisitor: (link) => parts.onVisitor(link),
      })
      mailboxes.add(keeper)
      return keeper
    },
    async relayTold() {
      let cancel = (): void => undefined
      const late = new Promise<void>((resolve) => (cancel = systemTimers.after(relayToldMs, resolve)))
      await Promise.race([admission.settled(), late])
      cancel()
    },
    async stop() {
      for (const mailbox of mailboxes) mailbox.stop()
      for (const off of heard) off()
      const quiet = sessions.stop()
      await network.stop()
      await quiet
      await book.stop()
      await engine.stop()
      // Whoever puts an older copy of the database back later is found out, also where the end of the log was never sent.
      incarnation.beforeSending(engine.replica.vector().get(incarnation.inc) ?? 0)
      incarnation.stopped()
    },
  }
  try {
    await network.listen(placeToListen())
  } catch (error) {
    // Another program may have the port by now; this machine can still reach the others.
    host.log.warn({ err: error }, 'Other machines cannot connect to this one.')
    listenTrouble = 'listen_failed'
  }
  refresh()
  return self
}
