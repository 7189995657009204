// A room: one text, its document, and the sockets that edit it. Messages come in here and go out to the others. Knows no
// HTTP and no database.
import type { PlatformEvent } from '#shared/events.ts'
import { PlatformError } from '#shared/errors.ts'
import { liveTextCloseCodes, textDigest } from '#shared/live-text.ts'
import type { LiveTextProblem } from '#shared/live-text.ts'
import type { OpenableText, TextPlace } from './access.ts'
import { createCursors } from './cursors.ts'
import type { HostClientIds, LiveDocument } from './document.ts'
import { createLiveDocument, fromElsewhere } from './document.ts'
import type { AwarenessEntry, ClientMessage } from './frames.ts'
import {
  awarenessMessage,
  deniedMessage,
  missingMessage,
  noteMessage,
  readMessage,
  stateMessage,
  updateMessage,
} from './frames.ts'
import type { Keeper, KeeperParts } from './keeper.ts'
import { createKeeper } from './keeper.ts'
import type { Leases } from './leases.ts'
import type { Member } from './member.ts'
import type { RoomLine, SharedText } from './shared-text.ts'
import { missingFor, vectorOf } from './vectors.ts'

/** What a room is made of. */
export interface RoomStart {
  readonly name: string
  readonly epoch: number
  readonly text: OpenableText
  readonly rowText: string
  readonly version: string
  readonly leases: Leases
  readonly clientIds: HostClientIds
  /** Its document on all machines; null for a text that does not travel. */
  readonly shared: SharedText | null
  /** Whether the text had no room since the host was started: its windows may hold what the host has lost. */
  readonly isFirst: boolean
}

/** What a room works with. */
export interface RoomParts extends Pick<KeeperParts, 'data' | 'requestId' | 'failed'> {
  readRow(place: TextPlace): ReturnType<KeeperParts['readRow']>
  /** Milliseconds of a clock that nobody sets. */
  now(): number
  /** Told once when the room is over. @param isBroken whether what its windows hold does not fit to the document */
  ended(isBroken: boolean): void
}

/** The client id of an earlier time, and what was given with it. */
export interface FormerLease {
  readonly clientId: number
  readonly lease: string
}

/** A room. */
export interface Room {
  readonly name: string
  readonly epoch: number
  readonly place: TextPlace
  readonly fieldUid: string
  readonly leases: Leases
  /** Gives a window of a user its client id again, by what it was given with it. */
  resume(holder: string, user: string, before: FormerLease): void
  /** What a user's window comes back with; undefined where it cannot. */
  leaseOf(user: string, clientId: number): string | undefined
  /** Whether its document is one that other machines have too. */
  readonly isShared: boolean
  readonly members: ReadonlySet<Member>
  readonly bytes: number
  /** Whether something of somebody here is in it that the row does not have. */
  readonly isDirty: boolean
  /** When its last socket left it, or when it was made. */
  readonly idleSince: number
  /** Takes a socket in and tells it what is there. */
  enter(member: Member): void
  leave(member: Member): void
  /** A message of a member. */
  receive(member: Member, data: string | Uint8Array): void
  hear(event: PlatformEvent): void
  store(): Promise<void>
  /** Takes nothing more in, stores what is there, tells it, and ends: what is typed meanwhile its windows bring elsewhere. */
  finish(reason: string): Promise<void>
  /** Called a few times a second. */
  beat(): void
  /** Ends it for everybody. */
  close(code: number, reason: string): void
}

/** Failures of the host one after the other with which a text was not stored, after which a room is begun anew. */
const maxFailures = 3

/** Makes a room; the row was read. */
export function createRoom(parts: RoomParts, start: RoomStart): Room {
  const { place, fieldUid } = start.text
  const { shared, leases } = start
  /** Set where windows keep what they hold when the room is begun anew. */
  const lasting = shared?.epoch === start.epoch ? shared : null
  const members = new Set<Member>()
  const cursors = createCursors()
  let idleSince = parts.now()
  let updateBytes = 0
  let failures = 0
  let isBroken = false
  let isFinished = false
  /** Those that have not answered yet what the host lacks. */
  const awaited = new Set<Member>()

  const tell = (bytes: Uint8Array, except?: unknown): void => {
    for (const member of members) if (member !== except) member.send(bytes)
  }

  const beginAnew = (): void => self.close(liveTextCloseCodes.otherEpoch, 'begun anew')

  const giveUp = (): void => {
    isBroken = true
    beginAnew()
  }

  const document: LiveDocument = createLiveDocument(
    start.rowText,
    start.clientIds,
    (update, origin) => {
      updateBytes = update.byteLength
      tell(updateMessage(update), origin)
      if (origin !== fromElsewhere) line?.typed(update)
    },
    shared === null
      ? undefined
      : {
          state: () => shared.state(),
          isOfRoom: (id) => id !== shared.inc && leases.isLeased(id),
          forged: () => queueMicrotask(giveUp),
        },
  )

  const line: RoomLine | undefined = shared?.join({
    epoch: start.epoch,
    isOccupied: () => members.size > 0,
    isLeased: leases.isLeased,
    vector: () => vectorOf(document.doc),
    missing: (vector) => missingFor(document.doc, vector),
    takeLive: (update) => document.applyLive(update, leases.isLeased),
    forgetLive: (clientIds, vector) => document.forget(clientIds, vector),
    cursors: () => cursors.all(),
    show: (entries) => tell(awarenessMessage(entries)),
  })

  const allCursors = (): AwarenessEntry[] => [...cursors.all(), ...(line?.cursors() ?? [])]

  const refusalFor = (problem: LiveTextProblem, editor: string, member: Member): Uint8Array => {
    // Rules may speak of fields that others in the room do not see.
    const { code, message } = problem
    return noteMessage({ type: 'refused', problem: member.userId === editor ? problem : { code, message } })
  }

  const keeper: Keeper = createKeeper({
    ...parts,
    place,
    document,
    version: start.version,
    readRow: () => parts.readRow(place),
    ...(shared === null ? {} : { lend: (requestId, update) => shared.lend(requestId, update) }),
    failed(error) {
      parts.failed(error)
      failures += 1
      // Its letters do not fit to the document any more: the windows bring what is not stored into another room.
      if (shared !== null && failures >= maxFailures) giveUp()
    },
    stored(text) {
      failures = 0
      tell(noteMessage({ type: 'stored', digest: textDigest(text) }))
      // What is stored now is in the row alone: sync was turned off.
      if (shared !== null && !shared.isOn()) beginAnew()
    },
    refused: (problem, editor) => {
      for (const member of members) member.send(refusalFor(problem, editor, member))
    },
    gone: () => self.close(liveTextCloseCodes.gone, 'the record is gone'),
  })

  /** Whether the text is stored, for somebody who has just been given it. */
  const tellStanding = (member: Member): void => {
    const { problem } = keeper
    if (problem !== null) member.send(refusalFor(problem.problem, problem.editor, member))
    else if (!document.isDirty) member.send(noteMessage({ type: 'stored', digest: textDigest(document.text()) }))
  }

  const take = (member: Member, update: Uint8Array, isAnswer: boolean): void => {
    if (isFinished) return
    if (member.isReadOnly) {
      // What a client answers to the first step says nothing new when it has changed nothing.
      if (isEmptyUpdate(update)) return
      member.send(deniedMessage('read only'))
      member.close(liveTextCloseCodes.forbidden, 'read only')
      return
    }
    // Typed before a window that came back heard what the host lacks: its answer brings it with what lies before.
    if (lasting !== null && awaited.has(member) && !isAnswer && document.lacks(update)) return
    const { clientId } = member
    const isBack = isAnswer && start.isFirst && leases.isReturning(clientId)
    const author = isBack ? { clientId, isLeased: leases.isLeased } : { clientId }
    if (document.apply(update, author, member)) keeper.edited(member.editor, updateBytes)
    if (!isAnswer) return
    leases.settle(clientId)
    awaited.delete(member)
  }

  const act = (member: Member, message: ClientMessage): void => {
    switch (message.type) {
      case 'state':
        member.send(missingMessage(document.doc, message.vector))
        tellStanding(member)
        return
      case 'update':
        take(member, message.update, message.isAnswer)
        return
      case 'awareness': {
        const entry = cursors.say(member, message.entries)
        if (entry === null) return
        tell(awarenessMessage([entry]), member)
        line?.moved(entry)
        return
      }
      case 'query':
        member.send(awarenessMessage(allCursors()))
        return
      case 'store':
        void keeper.store()
    }
  }

  const self: Room = {
    name: start.name,
    epoch: start.epoch,
    place,
    fieldUid,
    leases,
    resume(holder, user, { clientId, lease }) {
      if (lasting?.isLease(lease, user, clientId) === true) leases.resume(holder, clientId)
    },
    leaseOf: (user, clientId) => lasting?.lease(user, clientId),
    isShared: shared !== null,
    members,
    get bytes() {
      return document.bytes
    },
    get isDirty() {
      // What only people on other machines typed, they store.
      return document.isDirty && (shared === null || keeper.hasWork)
    },
    get idleSince() {
      return idleSince
    },
    enter(member) {
      for (const other of members)
        if (other.clientId === member.clientId) {
          other.close(liveTextCloseCodes.takenOver, 'another socket took over')
          self.leave(other)
        }
      members.add(member)
      if (!member.isReadOnly) {
        awaited.add(member)
        member.send(stateMessage(document.doc))
      }
      const there = allCursors()
      if (there.length > 0) member.send(awarenessMessage(there))
      if (members.size === 1) line?.occupied()
    },
    leave(member) {
      if (!members.delete(member)) return
      awaited.delete(member)
      idleSince = parts.now()
      const entry = cursors.leave(member.clientId)
      if (entry !== null) {
        tell(awarenessMessage([entry]))
        line?.moved(entry)
      }
      if (members.size > 0) return
      line?.occupied()
      void keeper.store()
    },
    receive(member, data) {
      if (!members.has(member) || !member.counts(data.length) || !member.holds()) return
      try {
        act(member, readMessage(data))
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        const isSize = error.code === 'sync_update_too_large'
        member.close(isSize ? liveTextCloseCodes.tooLarge : liveTextCloseCodes.invalid, error.code)
      }
    },
    hear: (event) => keeper.hear(event),
    store: () => keeper.store(),
    async finish(reason) {
      isFinished = true
      await keeper.store()
      const text = document.text()
      // As a whole: who has letters of its own that were not taken in never had this text.
      if (!self.isDirty) tell(noteMessage({ type: 'stored', digest: textDigest(text), text }))
      self.close(liveTextCloseCodes.goingAway, reason)
    },
    beat() {
      for (const member of members) member.beat(() => awarenessMessage(allCursors()))
      if (document.isWornOut && !document.isDirty) beginAnew()
    },
    close(code, reason) {
      keeper.stop()
      line?.end()
      parts.ended(isBroken)
      for (const member of [...members]) {
        members.delete(member)
        member.close(code, reason)
      }
      document.close()
    },
  }
  return self
}

/** No part and no deletion. */
function isEmptyUpdate(update: Uint8Array): boolean {
  return update.byteLength === 2 && update[0] === 0 && update[1] === 0
}
