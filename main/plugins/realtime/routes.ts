// Handlers of realtime: requests to the hub, and the two transports that are plain requests.
import type { realtimeRoutes } from '#shared/contracts/realtime.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import { ticketSeconds } from '#main/kernel/tickets.ts'
import { realtimeError } from './errors.ts'
import type { Hub, Opening } from './service.ts'
import type { Connection, Transport } from './service/connection.ts'
import { poll } from './service/polling.ts'
import type { EventRing } from './service/ring.ts'
import type { EventStream } from './service/stream-transport.ts'
import { openEventStream } from './service/stream-transport.ts'

/** How often either side shows that it is alive (D-168). */
const heartbeatSeconds = 30

const defaultPoll = { seconds: 25, limit: 100 }
const maxPoll = { seconds: 55, limit: 1_000 }

const transports: readonly Transport[] = ['websocket', 'sse', 'polling']

/** What the handlers work with. */
export interface RealtimeHandlerParts {
  readonly hub: Hub
  readonly ring: EventRing
  readonly streams: Set<EventStream>
  now(): number
  /** The address people are given, without trailing slash. */
  baseUrl(): string
  readonly prefix: string
}

/** Makes the handlers. */
export function realtimeHandlers(parts: RealtimeHandlerParts): Handlers<typeof realtimeRoutes> {
  const { hub, ring, streams } = parts

  /** The address of a transport as this client reaches the host. */
  const urlOf = (transport: Transport, host: string | undefined, connectionId: string): string => {
    const base = new URL(parts.baseUrl())
    const isSecure = base.protocol === 'https:' && host === base.host
    const root = `${isSecure ? 's' : ''}://${host ?? base.host}${parts.prefix}/realtime`
    if (transport === 'websocket') return `ws${root}/ws`
    return `http${root}/${transport === 'sse' ? 'sse' : 'poll'}?connectionId=${connectionId}`
  }

  const openStream = (ctx: RequestContext, connection: Connection, resume: string | undefined, isOwn: boolean) => {
    const stream: EventStream = openEventStream({
      connection,
      resume,
      signal: ctx.signal,
      now: parts.now,
      settledAt: () => (connection.isSettled ? ring.latest() : null),
      over(sink) {
        streams.delete(stream)
        connection.detach(sink)
        // A stream that named its channels itself names them again when it comes back.
        if (isOwn) connection.end(1001, 'closed')
      },
    })
    streams.add(stream)
    return new Reply(new ByteStream(stream.readable, 'text/event-stream; charset=utf-8'), {
      headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    })
  }

  const say = (ctx: RequestContext, { body }: { body: PresenceBody }): { success: true } => {
    hub.say(ctx, body.channel, body.state, body.connectionId)
    return { success: true }
  }

  return {
    connectRealtime(ctx, { body, headers }) {
      const transport = transports.find((one) => one === body.transport)
      if (transport === undefined) throw realtimeError('transport_unavailable', { supported: transports })
      const connection = hub.open({ ...openingOf(ctx, body.token), transport })
      try {
        const subscriptions = body.channels.map((channel) => {
          const { id, channel: named } = hub.subscribe(connection, { channel })
          return { subscriptionId: id, channel: named.name }
        })
        return {
          connectionId: connection.id,
          transport,
          url: urlOf(transport, headers['host'], connection.id),
          ticket: hub.ticketFor(connection),
          ticketExpiresInSeconds: ticketSeconds,
          heartbeatSeconds,
          subscriptions,
          lastEventId: String(connection.position),
        }
      } catch (error) {
        connection.end(1001, 'refused')
        throw error
      }
    },
    disconnectRealtime(ctx, { body }) {
      if (body.connectionId === undefined) hub.endSession(ctx)
      for (const connection of hub.ofSession(ctx))
        if (body.connectionId === connection.id) connection.end(1000, 'disconnect')
      return { success: true }
    },
    subscribeRealtime(ctx, { body }) {
      const { id, channel } = hub.subscribeSession(ctx, body, body.connectionId)
      return { subscriptionId: id, channel: channel.name }
    },
    unsubscribeRealtime(ctx, { body }) {
      hub.unsubscribe(ctx, body.subscriptionId)
      return { success: true }
    },
    setPresence: say,
    replacePresence: say,
    getPresence: (ctx, { params }) => hub.members(ctx, params.channel),
    streamRealtime(ctx, { query, headers }) {
      // What the client heard last is in the header; the address is the one it began with.
      const resume = headers['last-event-id'] ?? query.lastEventId
      if (query.connectionId !== undefined) {
        const connection = hub.find(ctx, query.connectionId)
        if (connection.transport !== 'sse') throw realtimeError('connection_not_found')
        return openStream(ctx, connection, resume, false)
      }
      if (query.channels === undefined || query.channels.length === 0)
        throw validationError([
          { field: 'channels', code: 'required', message: 'A stream needs channels or a connection.' },
        ])
      const connection = hub.open({ ...openingOf(ctx, undefined), transport: 'sse' })
      try {
        for (const channel of query.channels) hub.subscribe(connection, { channel, events: query.events })
        return openStream(ctx, connection, resume, true)
      } catch (error) {
        connection.end(1001, 'refused')
        throw error
      }
    },
    async pollRealtime(ctx, { query }) {
      const connection = hub.find(ctx, query.connectionId)
      if (connection.transport !== 'polling') throw realtimeError('connection_not_found')
      const seconds = within('timeoutSeconds', query.timeoutSeconds ?? defaultPoll.seconds, 0, maxPoll.seconds)
      const limit = within('limit', query.limit ?? defaultPoll.limit, 1, maxPoll.limit)
      const { lastEventId } = query
      const asked = { lastEventId, timeoutMs: seconds * 1000, limit }
      const found = await poll(ring, ctx, connection, asked, hub.presenceFor)
      const presence = found.presence.length > 0 ? `,"presence":${JSON.stringify(found.presence)}` : ''
      const reset = found.reset ? ',"reset":true' : ''
      return new RawJson(`{"events":[${found.texts.join(',')}]${presence},"lastEventId":"${found.position}"${reset}}`)
    },
  }
}

interface PresenceBody {
  readonly channel: string
  readonly state: Readonly<Record<string, unknown>>
  readonly connectionId?: string | undefined
}

/** Whose connection it is: the credential of the request, else the token of the body. @throws unauthenticated */
function openingOf(ctx: RequestContext, token: string | undefined): Omit<Opening, 'transport'> {
  const credentials = ctx.credentials!
  const recheck =
    ctx.credential === 'none' && token !== undefined ? () => credentials.ofToken(token) : () => credentials.recheck()
  const caller: Caller | null = recheck()
  if (caller === null)
    throw platformError('unauthenticated', {
      reason: token === undefined ? 'credential_missing' : 'credential_invalid',
    })
  return { caller, recheck }
}

function within(field: string, value: number, least: number, most: number): number {
  if (value > most)
    throw validationError([{ field, code: 'max_value', message: 'The number is too large.', value, constraint: most }])
  if (value < least)
    throw validationError([{ field, code: 'min_value', message: 'The number is too small.', value, constraint: least }])
  return value
}
