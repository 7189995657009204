// The protocol graphql-transport-ws over a WebSocket: one credential, many subscriptions. Queries and writes go over HTTP,
// where they are counted.
import { z } from 'zod'
import { PlatformError, invalidQuery } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Caller } from '#main/kernel/identity.ts'
import { parseJsonBody } from '#main/kernel/json-body.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { createMessageRate } from '#main/kernel/message-rate.ts'
import type { PlatformSocket, SocketRequest, SocketRoute } from '#main/kernel/sockets.ts'
import type { FollowedEvent, Follower, RealtimeService } from '#main/plugins/realtime/api.ts'
import type { SubscriptionRunner } from '../service.ts'
import type { EventQueue } from './event-queue.ts'
import { createEventQueue } from './event-queue.ts'
import { requestOfBody } from './graphql-request.ts'
import type { Follow } from './run-context.ts'

/** How often the host asks whether anybody is there, and how often it asks in vain. */
const pingMs = 30_000
const maxUnanswered = 2

/** Codes of the protocol. */
const codes = { badRequest: 4400, unauthorized: 4401, forbidden: 4403, taken: 4409, twice: 4429 } as const

const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection_init'), payload: z.record(z.string(), z.unknown()).nullish() }),
  z.object({ type: z.literal('ping'), payload: z.unknown().optional() }),
  z.object({ type: z.literal('pong'), payload: z.unknown().optional() }),
  z.object({
    type: z.literal('subscribe'),
    id: z.string().min(1).max(200),
    payload: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('complete'), id: z.string() }),
])

/** What the sockets work with. */
export interface SubscriptionSocketParts {
  readonly runner: SubscriptionRunner
  readonly realtime: () => RealtimeService | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Makes the route of the sockets. */
export function createSubscriptionSockets(parts: SubscriptionSocketParts): SocketRoute {
  return {
    path: '/graphql',
    protocols: ['graphql-transport-ws'],
    maxMessageBytes: 256 * 1024,
    provesLater: true,
    open: (socket, request) => openSocket(parts, socket, request),
  }
}

function openSocket(parts: SubscriptionSocketParts, socket: PlatformSocket, request: SocketRequest): void {
  const { runner, clock } = parts
  let follower: Follower | undefined
  /** Running subscriptions by the client's id; undefined while one is being checked. */
  const running = new Map<string, EventQueue<FollowedEvent> | undefined>()
  const queues = new Map<string, EventQueue<FollowedEvent>>()
  const isWithinRate = createMessageRate(() => clock.now())
  let unanswered = 0

  const send = (message: object): void => socket.send(JSON.stringify(message))

  /** Whom the first message speaks for: the request itself, or a token in its payload. */
  const callerOf = (payload: Readonly<Record<string, unknown>> | null | undefined) => {
    if (request.caller.credential !== 'none')
      return { caller: request.caller, recheck: () => request.credentials.recheck() }
    const given = payload?.['token'] ?? payload?.['authorization'] ?? payload?.['Authorization']
    const token = typeof given === 'string' ? given.replace(/^Bearer /i, '') : undefined
    const recheck = (): Caller | null => (token === undefined ? null : request.credentials.ofToken(token))
    const caller = recheck()
    return caller === null ? null : { caller, recheck }
  }

  const begin = (payload: Readonly<Record<string, unknown>> | null | undefined): void => {
    if (follower !== undefined) {
      socket.close(codes.twice, 'Too many initialisation requests')
      return
    }
    const opening = callerOf(payload)
    if (opening === null) {
      socket.close(codes.forbidden, 'Forbidden')
      return
    }
    request.proved()
    const realtime = parts.realtime()
    if (realtime === undefined) {
      socket.close(1013, 'no realtime')
      return
    }
    try {
      follower = realtime.follow(opening, {
        buffered: () => [...queues.values()].reduce((sum, queue) => sum + queue.bytes(), socket.bufferedBytes()),
        take: (event, bytes) => queues.get(event.subscriptionId)?.push(event, bytes),
        ended: (code, reason) => socket.close(code, reason),
      })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      socket.close(1008, error.code)
      return
    }
    send({ type: 'connection_ack' })
  }

  const follow =
    (id: string): Follow =>
    (wanted) => {
      const subscriptionId = follower!.subscribe(wanted)
      const queue = createEventQueue<FollowedEvent>(() => {
        queues.delete(subscriptionId)
        follower?.unsubscribe(subscriptionId)
      })
      queues.set(subscriptionId, queue)
      // The client may have ended it while it was checked.
      if (running.has(id)) running.set(id, queue)
      else queue.end()
      return queue
    }

  const subscribe = async (id: string, payload: Readonly<Record<string, unknown>>): Promise<void> => {
    running.set(id, undefined)
    const own = follower!
    const stream = await runner.subscribe(
      () => own.context(),
      () => requestOfBody(payload),
      follow(id),
    )
    if ('status' in stream) {
      if (running.delete(id)) send({ type: 'error', id, payload: stream.body.errors ?? [] })
      return
    }
    for await (const result of stream) {
      if (!running.has(id)) break
      send({ type: 'next', id, payload: result.body })
    }
    if (running.delete(id)) send({ type: 'complete', id })
  }

  const fail = (error: unknown): void => {
    parts.log.error({ err: error }, 'A subscription failed.')
    socket.close(1011, 'internal error')
  }

  const receive = (data: string | Uint8Array): void => {
    if (!isWithinRate()) {
      socket.close(1008, 'too many messages')
      return
    }
    const message = readMessage(data)
    if (message === null) {
      socket.close(codes.badRequest, 'Invalid message')
      return
    }
    follower?.touch()
    switch (message.type) {
      case 'connection_init':
        begin(message.payload)
        return
      case 'ping':
        send({ type: 'pong', ...(message.payload === undefined ? {} : { payload: message.payload }) })
        return
      case 'pong':
        return
      case 'complete': {
        const queue = running.get(message.id)
        running.delete(message.id)
        queue?.end()
        return
      }
      case 'subscribe':
        if (follower === undefined) socket.close(codes.unauthorized, 'Unauthorized')
        else if (running.has(message.id)) socket.close(codes.taken, `Subscriber for ${message.id} already exists`)
        else void subscribe(message.id, message.payload).catch(fail)
    }
  }

  const beat = setInterval(() => {
    if (unanswered >= maxUnanswered) socket.close(1001, 'no answer')
    unanswered += 1
    socket.ping()
  }, pingMs)
  beat.unref()
  socket.onPong(() => {
    unanswered = 0
    follower?.touch()
  })
  socket.onDrain(() => follower?.pump())
  socket.onClose(() => {
    clearInterval(beat)
    running.clear()
    for (const queue of [...queues.values()]) queue.end()
    follower?.end()
  })
  socket.onMessage(receive)
}

function readMessage(data: string | Uint8Array): z.infer<typeof ClientMessage> | null {
  try {
    const parsed = ClientMessage.safeParse(typeof data === 'string' ? parseJsonBody(Buffer.from(data)) : undefined)
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** The refusal of what is no subscription. */
export function notOverSockets(): PlatformError {
  return invalidQuery('query', 'Queries and writes go over HTTP.', { path: '' })
}
