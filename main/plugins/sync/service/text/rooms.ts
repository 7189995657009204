// The rooms of a host: opened when somebody asks for a text, closed when nobody is in them, limited in number and bytes.
// Hears what happens to records and rights. Knows no message.
import { hash } from 'node:crypto'
import { notFound, platformError } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import { liveTextCloseCodes, maxLiveTextLength } from '#shared/live-text.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { syncError } from '../../errors.ts'
import type { OpenableText, TextAccess, TextPlace } from './access.ts'
import { createLeases } from './leases.ts'
import type { Room, RoomParts } from './room.ts'
import type { SharedTexts } from './shared-text.ts'

/** Rooms at once, and bytes of all their documents. */
const limits = { rooms: 256, bytes: 128 * 1024 * 1024 } as const

/** How long a room waits for somebody to come back: a short break keeps its epoch. */
const idleMs = 60_000

/** How long a room waits whose text could not be stored. */
const dirtyIdleMs = 24 * 3_600_000

/** What rooms work with. */
export interface RoomsParts extends Omit<RoomParts, 'ended'> {
  readonly access: Pick<TextAccess, 'uidOf'>
  readonly log: Logger
  random(bytes: number): string
  /** The texts other machines have too; undefined while sync is off. */
  sharing(): SharedTexts | undefined
}

/** The rooms of a host. */
export interface Rooms {
  /** The room of a text; made of its row when there is none. @throws resource_not_found, sync_update_too_large, service_unavailable */
  open(text: OpenableText): Promise<Room>
  find(name: string): Room | undefined
  /** Hears of a committed event. */
  hear(event: PlatformEvent): void
  /** Looks at every credential and right at once. */
  recheckAll(): void
  /** Called a few times a second. */
  sweep(): void
  /** Ends rooms whose text travels and did not, or the other way round, once what is in them is stored. */
  beginAnew(): Promise<void>
  /** Stores everything and ends every room. */
  stop(): Promise<void>
}

/** Makes them. */
export function createRooms(parts: RoomsParts): Rooms {
  const rooms = new Map<string, Room>()
  /** Texts that travel and had a room since the start; true: what windows had of it does not fit to the document. */
  const former = new Map<string, boolean>()
  const opening = new Map<string, { readonly place: TextPlace; room?: Promise<Room>; isStale: boolean }>()

  const make = async (name: string, text: OpenableText): Promise<Room> => {
    const { place } = text
    const state = opening.get(name)!
    // What documents are made of is loaded with the first of them.
    const { createRoom } = await import('./room.ts')
    for (;;) {
      state.isStale = false
      const sharing = parts.sharing()
      const shared = (await sharing?.open(text)) ?? null
      const record = await parts.readRow(place)
      if (record === null) throw notFound('record', place.recordId, place.object)
      // What was written while it was read is read again.
      if (state.isStale || parts.sharing() !== sharing) continue
      const value = record[place.field]
      const rowText = typeof value === 'string' ? value : ''
      if (rowText.length > maxLiveTextLength)
        throw syncError('sync_update_too_large', { limit: maxLiveTextLength, of: 'characters' })
      const doc = number(parts.random, 4)
      const clientIds = { doc, base: doc === 1 ? 2 : doc - 1 }
      const leases = createLeases(parts.random, [
        clientIds.doc,
        clientIds.base,
        ...(shared === null ? [] : [shared.inc]),
      ])
      const version = String(record['updated_at'])
      const isFirst = !former.has(name)
      const epoch = shared === null || former.get(name) === true ? number(parts.random, 6) : shared.epoch
      const start = { name, epoch, text, rowText, version, leases, clientIds, shared, isFirst }
      const room: Room = createRoom(
        {
          ...parts,
          ended: (isBroken) => {
            if (isBroken) former.set(name, true)
            if (rooms.get(name) === room) rooms.delete(name)
          },
        },
        start,
      )
      rooms.set(name, room)
      if (shared !== null && isFirst) former.set(name, false)
      return room
    }
  }

  const isSharedNow = ({ place, fieldUid }: Room): boolean =>
    parts.sharing()?.travels({ place, fieldUid, mayEdit: true }) ?? false

  const bytes = (): number => [...rooms.values()].reduce((sum, room) => sum + room.bytes, 0)

  /** Ends rooms nobody is in until there is place for one more. @throws service_unavailable */
  const makePlace = (): void => {
    if (rooms.size < limits.rooms && bytes() < limits.bytes) return
    const idle = [...rooms.values()].filter((room) => room.members.size === 0 && !room.isDirty)
    for (const room of idle.toSorted((a, b) => a.idleSince - b.idleSince)) {
      room.close(liveTextCloseCodes.goingAway, 'idle')
      if (rooms.size < limits.rooms && bytes() < limits.bytes) return
    }
    throw platformError('service_unavailable', { reason: 'too_many_documents' })
  }

  const beginRoomAnew = async (room: Room): Promise<void> => {
    await room.store()
    // What is refused stays where its readers find it.
    if (!room.isDirty) room.close(liveTextCloseCodes.otherEpoch, 'begun anew')
  }

  return {
    async open(text) {
      const name = roomName(text.place)
      const found = rooms.get(name)
      if (found !== undefined && found.fieldUid === text.fieldUid) return found
      found?.close(liveTextCloseCodes.gone, 'the field is another one')
      const under = opening.get(name)
      if (under?.room !== undefined) return under.room
      makePlace()
      const state = { place: text.place, isStale: false }
      opening.set(name, state)
      const room = make(name, text).finally(() => opening.delete(name))
      opening.set(name, Object.assign(state, { room }))
      return room
    },
    find: (name) => rooms.get(name),
    hear(event) {
      const { object, recordId } = event
      if (object === undefined || recordId === undefined || !event.type.startsWith('record.')) return
      if (rooms.size === 0 && opening.size === 0) return
      const isHere = ({ place }: { readonly place: TextPlace }): boolean =>
        place.object === object && place.recordId === recordId
      for (const state of opening.values()) state.isStale ||= isHere(state)
      for (const room of [...rooms.values()].filter(isHere)) {
        room.hear(event)
        // A record with other values may be one that some of them do not see any more.
        for (const member of room.members) member.holds(true)
      }
    },
    recheckAll() {
      for (const room of [...rooms.values()]) {
        if (parts.access.uidOf(room.place) !== room.fieldUid) room.close(liveTextCloseCodes.gone, 'the field is gone')
        else if (isSharedNow(room) !== room.isShared) void beginRoomAnew(room)
        for (const member of room.members) member.holds(true)
      }
    },
    sweep() {
      const now = parts.now()
      for (const room of [...rooms.values()]) {
        room.beat()
        if (room.members.size > 0) continue
        const idle = now - room.idleSince
        if (idle < idleMs || (room.isDirty && idle < dirtyIdleMs)) continue
        if (room.isDirty) parts.log.warn({ place: room.place }, 'A text that could not be stored was given up.')
        room.close(liveTextCloseCodes.goingAway, 'idle')
      }
    },
    async beginAnew() {
      const travelling = [...rooms.values()].filter((room) => room.isShared || isSharedNow(room))
      await Promise.allSettled(travelling.map(beginRoomAnew))
    },
    async stop() {
      await Promise.allSettled(
        [...rooms.values()].map(async (room) => {
          await room.finish('the server stops')
          if (room.isDirty) parts.log.warn({ place: room.place }, 'A text could not be stored before the stop.')
        }),
      )
    },
  }
}

/** The same for a text at every start, and tells nothing of it. */
function roomName({ object, recordId, field }: TextPlace): string {
  return hash('sha256', JSON.stringify([object, recordId, field]), 'base64url').slice(0, 22)
}

function number(random: (bytes: number) => string, bytes: 4 | 6): number {
  return Math.max(1, Buffer.from(random(bytes), 'base64url').readUIntLE(0, bytes))
}
