// The WebSocket of a live text: its ticket, and the way of its messages into the room. Knows no right and no document.
import { liveTextCloseCodes, maxLiveUpdateBytes } from '#shared/live-text.ts'
import { realtimeProtocol } from '#shared/realtime.ts'
import type { PlatformSocket, SocketRequest, SocketRoute } from '#main/kernel/sockets.ts'
import type { Member, MemberParts, MemberStart } from './member.ts'
import { createMember } from './member.ts'
import type { Room } from './room.ts'

/** What goes before a ticket among the subprotocols offered. */
const ticketPrefix = 'cairn.ticket.'

/** Sockets in one room. */
const maxMembers = 64

/** An update and what is around it. */
const maxMessageBytes = maxLiveUpdateBytes + 64

/** What a ticket stands for. */
export interface Admission extends Omit<MemberStart, 'socket'> {
  readonly room: string
  readonly epoch: number
}

/** What the sockets work with. */
export interface TextSocketParts {
  /** What a ticket stands for; it is worth nothing afterwards. */
  redeem(ticket: string): Admission | null
  find(room: string): Room | undefined
  member(room: Room): MemberParts
}

/** Makes the route. @source design of sync, section 8; safety W8 */
export function createTextSocket(parts: TextSocketParts): SocketRoute {
  return {
    path: '/sync/docs/:room',
    protocols: [realtimeProtocol],
    maxMessageBytes,
    provesLater: true,
    open: (socket, request) => openSocket(parts, socket, request),
  }
}

function openSocket(parts: TextSocketParts, socket: PlatformSocket, request: SocketRequest): void {
  const ticket = request.protocols.find((one) => one.startsWith(ticketPrefix))?.slice(ticketPrefix.length)
  const admission = ticket === undefined ? null : parts.redeem(ticket)
  const { caller } = request
  const isOwn = caller.credential === 'none' || caller.credentialId === admission?.caller.credentialId
  if (admission === null || !isOwn || admission.room !== request.params['room']) {
    socket.close(liveTextCloseCodes.unauthenticated, 'the ticket does not hold')
    return
  }
  const room = parts.find(admission.room)
  if (room === undefined || room.epoch !== admission.epoch) {
    socket.close(liveTextCloseCodes.otherEpoch, 'begun anew')
    return
  }
  if (room.members.size >= maxMembers) {
    socket.close(liveTextCloseCodes.tooSlow, 'too many are here')
    return
  }
  const member: Member = createMember(parts.member(room), { ...admission, socket })
  if (!member.holds(true)) return
  request.proved()
  socket.onClose(() => room.leave(member))
  room.enter(member)
  socket.onMessage((data) => room.receive(member, data))
}
