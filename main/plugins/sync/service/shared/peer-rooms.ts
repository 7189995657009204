// Rooms of one text on several machines: who has it open, letters that are typed at once from one to the other, cursors.
// All of it may be lost and nothing is stored by it: what counts travels in the log. Knows no document and no socket.
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '#shared/errors.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { RoomLine, SharedRoom } from '../text/shared-text.ts'
import { badPerMinute } from '../../session/misbehaviour.ts'
import type { PeerSession } from '../../session/peer-session.ts'
import type { PeerKind, SessionHooks } from '../../session/types.ts'
import type { Sessions } from '../../session/sessions.ts'
import { decodeAware, encodeAware } from './aware-codec.ts'
import type { AwareWord } from './aware-codec.ts'
import { createPeerLimits } from './peer-limits.ts'
import { createRelayLine, readLetters } from './relay-line.ts'
import type { RemoteCursors } from './remote-cursors.ts'
import { createRemoteCursors } from './remote-cursors.ts'
import type { VouchedKind, Vouching } from './vouched.ts'

/** How often a room says that somebody is there, and how long it is believed to be so. */
const sayMs = 10_000
const believeMs = 30_000

/** How often one machine is asked for what is missing in one room, and is given it. */
const askMs = 100

/** Windows of other machines that are known in one room. */
const maxWindows = 4_096

/** How long after the start a text waits for what other machines have of it. */
const waitMs = 2_500

/** How often it looks for it. */
const lookMs = 50

/** What the rooms of machines reach each other by. */
export interface PeerRoomsParts {
  /** Milliseconds of a clock that nobody sets. */
  now(): number
  readonly log: Logger
  /** Whether the person of a device may edit a text. */
  mayEdit(doc: string, device: string): boolean
  /** The other machines. */
  others(): readonly string[]
  /** Signs what goes through a relay, and judges what comes from there. */
  readonly vouching: Vouching
  /** Resolves when what came is applied. */
  settled(): Promise<void>
}

/** The rooms of this machine among those of others. */
export interface PeerRooms extends Required<Pick<SessionHooks, 'onLive' | 'onAware'>> {
  /** Begins to speak over the sessions there are; null: there are none any more. */
  speak(sessions: Pick<Sessions, 'of' | 'all'> | null): void
  /** To be called when a session began or ended. */
  look(): void
  /** To be called about once a second. */
  beat(): void
  join(doc: string, room: SharedRoom): RoomLine
  /**
   * Resolves soon after the start, once another machine has sent what this one lacked: after a crash it may have letters
   * that windows here are about to bring again.
   */
  caughtUp(): Promise<void>
}

interface Joined {
  readonly room: SharedRoom
  readonly cursors: RemoteCursors
  /** Machines that have the text open: when they last said so, when they were last asked and given. */
  readonly peers: Map<string, { heardAt: number; askedAt: number; givenAt: number }>
  /** Whose windows are whose, as the machines say, in which of their rooms. */
  readonly windows: Map<number, { readonly peer: string; readonly epoch: number }>
  saidAt: number
}

/** Makes them; nobody is reached before {@link PeerRooms.speak}. */
export function createPeerRooms(parts: PeerRoomsParts): PeerRooms {
  const { now, log } = parts
  const rooms = new Map<string, Joined>()
  const limits = createPeerLimits(now)
  let sessions: Pick<Sessions, 'of' | 'all'> | null = null
  /** Machines with an open session. */
  let linked = new Set<string>()
  let isRelayed = false
  const startedAt = now()

  const openSessions = (kind: PeerKind): PeerSession[] =>
    (sessions?.all() ?? []).filter(
      (session) => session.kind === kind && ['open', 'catching_up'].includes(session.status().state),
    )

  const relayLine = createRelayLine(parts.vouching, () => openSessions('relay'))

  const sessionOf = (peer: string): PeerSession | undefined => {
    const session = sessions?.of(peer)
    return session?.kind === 'device' ? session : undefined
  }

  /** Whether a relay is the way to a machine. */
  const isFar = (peer: string): boolean => isRelayed && !linked.has(peer)

  /** Those that can be spoken to, each in its way. */
  const everybody = (): Set<string> => new Set([...linked, ...parts.others().filter(isFar)])

  const tell = (joined: Joined, entries: ReturnType<RemoteCursors['leave']>): void => {
    if (entries.length > 0) joined.room.show(entries)
  }

  const say = (doc: string, { room }: Joined, peers: Iterable<string>): void => {
    const all = [...peers]
    if (all.length === 0) return
    const isOpen = room.isOccupied()
    const { epoch } = room
    const word: AwareWord = isOpen
      ? { isOpen, epoch, vector: room.vector(), cursors: room.cursors() }
      : { isOpen, epoch, cursors: [] }
    const bytes = encodeAware(word)
    for (const peer of all) sessionOf(peer)?.sendAware(doc, bytes)
    if (all.some(isFar)) relayLine.say(doc, word)
  }

  const sayToAll = (doc: string, joined: Joined): void => {
    joined.saidAt = now()
    say(doc, joined, everybody())
  }

  const listeners = ({ peers }: Joined): string[] =>
    [...peers].filter(([, { heardAt }]) => now() - heardAt < believeMs).map(([peer]) => peer)

  const give = (doc: string, joined: Joined, peer: string, vector: Uint8Array): void => {
    const known = joined.peers.get(peer)!
    if (now() - known.givenAt < askMs) return
    known.givenAt = now()
    let missing: Uint8Array | null
    try {
      missing = joined.room.missing(vector)
    } catch {
      limits.bad(peer)
      return
    }
    if (missing === null) return
    if (isFar(peer)) relayLine.typed(doc, missing)
    else sessionOf(peer)?.sendLive(doc, missing)
  }

  /**
   * What came from a room that its machine has begun anew, because it was killed, and that was not stored there: the
   * window that typed it puts it into the new room, and it is not to be there twice.
   */
  const forgetRoom = (joined: Joined, peer: string, { epoch, vector }: AwareWord): void => {
    if (vector === undefined) return
    const old = [...joined.windows].filter(([, window]) => window.peer === peer && window.epoch !== epoch)
    if (old.length === 0) return
    const ids = old.map(([clientId]) => clientId)
    for (const clientId of ids) joined.windows.delete(clientId)
    try {
      joined.room.forgetLive(ids, vector)
    } catch {
      limits.bad(peer)
    }
  }

  const noteWindow = ({ room, windows }: Joined, clientId: number, window: { peer: string; epoch: number }): void => {
    const isOthers = windows.has(clientId) && windows.get(clientId)!.peer !== window.peer
    if (!isOthers && !room.isLeased(clientId) && windows.size < maxWindows) windows.set(clientId, window)
  }

  const hearLetters = (peer: string, doc: string, updates: readonly Uint8Array[] | null): void => {
    const joined = rooms.get(doc)
    if (updates === null) {
      limits.bad(peer)
      return
    }
    const bytes = updates.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (joined === undefined || !limits.allows(peer, bytes) || !parts.mayEdit(doc, peer)) return
    let isMissing = false
    try {
      for (const update of updates) isMissing = joined.room.takeLive(update) === 'gap' || isMissing
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      if (limits.bad(peer) === badPerMinute)
        log.warn({ peer, code: error.code }, 'Letters of a machine are left out for a while: too many are not usable.')
      return
    }
    const known = joined.peers.get(peer)
    if (!isMissing || known === undefined || now() - known.askedAt < askMs) return
    known.askedAt = now()
    say(doc, joined, [peer])
  }

  const hearWord = (peer: string, doc: string, bytes: Uint8Array): void => {
    const joined = rooms.get(doc)
    if (joined === undefined || !limits.allows(peer, bytes.byteLength)) return
    const word = decodeAware(bytes)
    if (word === null) {
      limits.bad(peer)
      return
    }
    if (!word.isOpen) {
      forget(joined, peer)
      return
    }
    const known = joined.peers.get(peer)
    const isNew = known === undefined || now() - known.heardAt >= believeMs
    if (known === undefined) joined.peers.set(peer, { heardAt: now(), askedAt: -Infinity, givenAt: -Infinity })
    else known.heardAt = now()
    forgetRoom(joined, peer, word)
    tell(joined, joined.cursors.say(peer, word.cursors))
    for (const { clientId } of word.cursors) noteWindow(joined, clientId, { peer, epoch: word.epoch })
    if (word.vector !== undefined) give(doc, joined, peer, word.vector)
    if (isNew && joined.room.isOccupied()) say(doc, joined, [peer])
  }

  /** What a relay passes on is heard as the word of the machine that signed it, unless that one is connected itself. */
  const passedOn = (
    relay: string,
    kind: VouchedKind,
    doc: string,
    bytes: Uint8Array,
    hear: (peer: string, body: Uint8Array) => void,
  ): void => {
    // Before anything is made of it: a signature is dear, and a relay may pass on very much.
    if (!rooms.has(doc) || sessions?.of(relay)?.kind !== 'relay' || !limits.allows(relay, bytes.byteLength)) return
    const word = parts.vouching.judge(kind, doc, bytes)
    if (word === 'forged') limits.bad(relay)
    else if (word !== 'stale' && isFar(word.device)) hear(word.device, word.body)
  }

  const forget = (joined: Joined, peer: string): void => {
    joined.peers.delete(peer)
    tell(joined, joined.cursors.leave(peer))
  }

  const self: PeerRooms = {
    speak(next) {
      sessions = next
    },
    look() {
      const before = linked
      const wasFar = new Set(parts.others().filter(isFar))
      linked = new Set(rooms.size > 0 ? openSessions('device').map(({ peer }) => peer) : [])
      isRelayed = rooms.size > 0 && openSessions('relay').length > 0
      const came = [...linked].filter((peer) => !before.has(peer))
      const far = parts.others().filter((peer) => isFar(peer) && !wasFar.has(peer))
      for (const [doc, joined] of rooms) {
        for (const peer of [...joined.peers.keys(), ...before])
          if (!linked.has(peer) && (before.has(peer) || !isRelayed)) forget(joined, peer)
        if (joined.room.isOccupied()) say(doc, joined, [...came, ...far])
      }
    },
    beat() {
      for (const [doc, joined] of rooms) {
        tell(joined, joined.cursors.fade())
        if (joined.room.isOccupied() && now() - joined.saidAt >= sayMs) sayToAll(doc, joined)
      }
    },
    onLive(from, doc, update) {
      if (sessionOf(from) !== undefined) hearLetters(from, doc, [update])
      else passedOn(from, 'LIVE', doc, update, (peer, body) => hearLetters(peer, doc, readLetters(body)))
    },
    onAware(from, doc, bytes) {
      if (sessionOf(from) !== undefined) hearWord(from, doc, bytes)
      else passedOn(from, 'AWARE', doc, bytes, (peer, body) => hearWord(peer, doc, body))
    },
    async caughtUp() {
      const isOpen = (): boolean => (sessions?.all() ?? []).some((session) => session.status().state === 'open')
      while (parts.others().length > 0 && !isOpen() && now() - startedAt < waitMs) await pause(lookMs)
      if (isOpen()) await parts.settled()
    },
    join(doc, room) {
      const joined: Joined = {
        room,
        cursors: createRemoteCursors(now, room.isLeased),
        peers: new Map(),
        windows: new Map(),
        saidAt: -Infinity,
      }
      rooms.set(doc, joined)
      self.look()
      return {
        typed(update) {
          const peers = listeners(joined)
          for (const peer of peers) if (!isFar(peer)) sessionOf(peer)?.sendLive(doc, update)
          if (peers.some(isFar)) relayLine.typed(doc, update)
        },
        moved(entry) {
          const word = encodeAware({ isOpen: true, epoch: room.epoch, cursors: [entry] })
          const peers = listeners(joined)
          for (const peer of peers) if (!isFar(peer)) sessionOf(peer)?.sendAware(doc, word)
          if (peers.some(isFar)) relayLine.moved(doc, room.epoch, entry)
        },
        occupied: () => sayToAll(doc, joined),
        cursors: () => joined.cursors.all(),
        end() {
          if (rooms.get(doc) !== joined) return
          say(doc, { ...joined, room: { ...room, isOccupied: () => false } }, everybody())
          rooms.delete(doc)
        },
      }
    },
  }
  return self
}
