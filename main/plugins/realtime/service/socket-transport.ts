// The WebSocket of realtime: who it is, frames in, frames out (D-172, D-175). Knows no right.
import type { PlatformError } from '#shared/errors.ts'
import { errorObject, validationError } from '#shared/errors.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { ClientFrame, realtimeProtocol } from '#shared/realtime.ts'
import type { ServerFrame } from '#shared/realtime.ts'
import type { z } from 'zod'
import type { Caller } from '#main/kernel/identity.ts'
import { parseJsonBody } from '#main/kernel/json-body.ts'
import { createMessageRate } from '#main/kernel/message-rate.ts'
import type { PlatformSocket, SocketRequest, SocketRoute } from '#main/kernel/sockets.ts'
import type { Hub } from '../service.ts'
import type { Connection, Sink } from './connection.ts'

/** The largest frame a client may send (D-175). */
const maxFrameBytes = 64 * 1024

/** What is read of a larger one, so that it can be answered with the code the decision names. */
const maxReadBytes = 2 * maxFrameBytes

/** How often the server asks whether anybody is there, and how often it asks in vain. */
const pingMs = 30_000
const maxUnanswered = 2

/** What goes before a ticket among the subprotocols offered. */
const ticketPrefix = 'cairn.ticket.'

/** The codes a socket is closed with. */
export const closeCodes = { unauthenticated: 4401, policy: 1008, goingAway: 1001 } as const

type Frame = z.infer<typeof ClientFrame>

/** What the transport works with. */
export interface SocketTransportParts {
  readonly hub: Hub
  now(): number
  requestId(): string
  /** Says something in a room, on behalf of a connection. */
  broadcast(connection: Connection, channel: string, payload: unknown): void
  /** The error of anything thrown; what is unforeseen is logged. */
  translate(thrown: unknown): PlatformError
}

/** Makes the route, and the heartbeat that is called a few times a second. */
export function createSocketTransport(parts: SocketTransportParts): { route: SocketRoute; beat(): void } {
  const beats = new Set<() => void>()
  return {
    route: {
      path: '/realtime/ws',
      protocols: [realtimeProtocol],
      maxMessageBytes: maxReadBytes,
      provesLater: true,
      open(socket, request) {
        const beat = openSocket(parts, socket, request)
        beats.add(beat)
        socket.onClose(() => beats.delete(beat))
      },
    },
    beat() {
      for (const one of beats) one()
    },
  }
}

/** Serves one socket; answers its heartbeat. */
function openSocket(parts: SocketTransportParts, socket: PlatformSocket, request: SocketRequest): () => void {
  const { hub } = parts
  let connection: Connection | undefined
  let sink: Sink | undefined
  const isWithinRate = createMessageRate(() => parts.now())
  let pingedAt = parts.now()
  let unanswered = 0

  const send = (frame: ServerFrame): void => socket.send(JSON.stringify(frame))

  const fail = (thrown: unknown, id?: string | number): void => {
    const error = errorObject(parts.translate(thrown), parts.requestId())
    send({ type: 'error', ...(id === undefined ? {} : { id }), error: { ...error } })
  }

  const refuse = (reason: string): void => socket.close(closeCodes.unauthenticated, reason)

  const attach = (to: Connection, resume: string | undefined): void => {
    request.proved()
    connection = to
    sink ??= createSocketSink(socket)
    const reason = to.attach(sink, resume)
    const lastEventId = String(to.position)
    const resumed = resume !== undefined && reason === null
    send({ type: 'ready', connectionId: to.id, lastEventId, resumed })
    if (reason !== null) send({ type: 'reset', reason, lastEventId })
  }

  const openNew = (caller: Caller, recheck: () => Caller | null, resume: string | undefined): void => {
    try {
      attach(hub.open({ caller, transport: 'websocket', recheck }), resume)
    } catch (error) {
      fail(error)
      socket.close(closeCodes.policy, 'connection limit')
    }
  }

  const openTicket = (ticket: string, resume: string | undefined): void => {
    const found = hub.redeem(ticket)
    const isOwn = request.caller.credential === 'none' || found?.credentialId === request.caller.credentialId
    if (found === null || !isOwn || found.isAttached || found.transport !== 'websocket') {
      refuse('the ticket does not hold')
      return
    }
    attach(found, resume)
  }

  const authenticate = ({ ticket, token, lastEventId }: Extract<Frame, { type: 'auth' }>): void => {
    if (connection !== undefined) {
      // The credential came with the request: what is left to say is where to go on.
      if (lastEventId !== undefined) attach(connection, lastEventId)
      return
    }
    if (ticket !== undefined) {
      openTicket(ticket, lastEventId)
      return
    }
    const check = (): Caller | null => (token === undefined ? null : request.credentials.ofToken(token))
    const caller = check()
    if (caller === null) refuse('unauthenticated')
    else openNew(caller, check, lastEventId)
  }

  const act = (own: Connection, frame: Exclude<Frame, { type: 'auth' }>): void => {
    const id = frame.id === undefined ? {} : { id: frame.id }
    switch (frame.type) {
      case 'subscribe': {
        const { id: subscriptionId, channel } = hub.subscribe(own, frame)
        own.frame({ type: 'subscribed', ...id, subscriptionId, channel: channel.name })
        return
      }
      case 'unsubscribe':
        hub.unsubscribe(own.context(), frame.subscriptionId)
        own.frame({ type: 'unsubscribed', ...id, subscriptionId: frame.subscriptionId })
        return
      case 'presence':
        hub.say(own.context(), frame.channel, frame.state, own.id)
        return
      case 'broadcast':
        parts.broadcast(own, frame.channel, frame.payload)
        return
      case 'ping':
        own.frame({ type: 'pong', ...id })
    }
  }

  const receive = (data: string | Uint8Array): void => {
    if (!isWithinRate()) {
      socket.close(closeCodes.policy, 'too many frames')
      return
    }
    if (Buffer.byteLength(data) > maxFrameBytes) {
      socket.close(closeCodes.policy, 'frame too large')
      return
    }
    const frame = readFrame(data)
    if (connection === undefined) {
      // Nothing is said to a socket that has not proved who it is, not even what is wrong with its frame.
      if ('problem' in frame || frame.type !== 'auth') refuse('unauthenticated')
      else authenticate(frame)
      return
    }
    if (!connection.holds()) return
    connection.touch()
    if ('problem' in frame) {
      fail(frame.problem, frame.id)
      return
    }
    try {
      if (frame.type === 'auth') authenticate(frame)
      else act(connection, frame)
    } catch (error) {
      fail(error, frame.type === 'auth' ? undefined : frame.id)
    }
  }

  socket.onPong(() => {
    unanswered = 0
    connection?.touch()
  })
  socket.onDrain(() => connection?.pump())
  socket.onClose(() => {
    if (connection !== undefined && sink !== undefined && connection.isAttached)
      connection.end(closeCodes.goingAway, 'closed')
  })
  const ticket = request.protocols.find((one) => one.startsWith(ticketPrefix))
  const resume = request.query['lastEventId']
  if (ticket !== undefined) openTicket(ticket.slice(ticketPrefix.length), resume)
  else if (request.caller.credential !== 'none') openNew(request.caller, () => request.credentials.recheck(), resume)
  socket.onMessage(receive)

  return () => {
    const now = parts.now()
    if (now - pingedAt < pingMs) return
    pingedAt = now
    if (unanswered >= maxUnanswered) {
      socket.close(closeCodes.goingAway, 'no answer')
      return
    }
    unanswered += 1
    socket.ping()
  }
}

function createSocketSink(socket: PlatformSocket): Sink {
  const sendAll = (messages: readonly { readonly text: string }[]): void => {
    for (const { text } of messages) socket.send(`{"type":"event","event":${text}}`)
  }
  return {
    buffered: () => socket.bufferedBytes(),
    deliver(_eventId, messages) {
      // In one piece, so that a connection that breaks has all of an event or nothing.
      if (messages.length === 1) sendAll(messages)
      else socket.together(() => sendAll(messages))
    },
    frame: (frame) => socket.send(JSON.stringify(frame)),
    close: (code, reason) => socket.close(code, reason),
  }
}

type ReadFrame = Frame | { readonly problem: PlatformError; readonly id?: string | number }

function readFrame(data: string | Uint8Array): ReadFrame {
  let value: unknown
  try {
    value = typeof data === 'string' ? parseJsonBody(Buffer.from(data)) : undefined
  } catch {
    value = undefined
  }
  const parsed = ClientFrame.safeParse(value)
  if (parsed.success) return parsed.data
  const id = (value as { id?: unknown } | null | undefined)?.id
  return {
    problem: validationError(fieldErrorsOf(parsed.error.issues, value)),
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
  }
}
