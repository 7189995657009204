// Contracts of realtime: connections, subscriptions, presence, and the two transports that are plain requests
// (specification "Realtime", D-168 to D-176). Bare bodies. Frames of the WebSocket are in `shared/realtime.ts`.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { PresenceChange, PresenceMember, RealtimeEvent } from '../realtime.ts'
import { QueryInteger, QueryList } from './common.ts'

const shared = { mount: 'versioned', permission: 'session', channel: 'realtime', tag: 'realtime' } as const

/** Whatever is no channel is `channel_invalid`, said by the plugin (D-169). */
const Channel = z.string()
const Events = z.array(z.string().min(1).max(100)).max(50)
const PresenceBody = z.object({
  channel: Channel,
  state: z.looseObject({ status: z.enum(['online', 'away', 'busy', 'offline']).default('online') }),
  connectionId: z.string().optional(),
})
const Success = z.object({ success: z.literal(true) }).meta({ id: 'RealtimeSuccess' })

/** The longest a poll waits, with room to answer. */
const pollTimeoutMs = 60_000

/** The routes of the `realtime` plugin. */
export const realtimeRoutes = defineRoutes({
  connectRealtime: defineRoute({
    ...shared,
    operationId: 'connectRealtime',
    method: 'POST',
    path: '/realtime/connect',
    body: z
      .object({
        transport: z.string().default('websocket').meta({ description: 'websocket, sse or polling.' }),
        channels: z.array(Channel).max(100).default([]),
        token: z.string().optional().meta({ description: 'Replaces a missing Authorization header.' }),
      })
      .default({ transport: 'websocket', channels: [] }),
    // The body may carry the credential: the handler refuses a caller with neither.
    permission: 'public',
    response: z
      .object({
        connectionId: z.string(),
        transport: z.enum(['websocket', 'sse', 'polling']),
        url: z.string(),
        ticket: z.string(),
        ticketExpiresInSeconds: z.int(),
        heartbeatSeconds: z.int(),
        subscriptions: z.array(z.object({ subscriptionId: z.string(), channel: z.string() })),
        lastEventId: z.string(),
      })
      .meta({ id: 'RealtimeConnection' }),
    rateLimit: 'write',
    keepsAnswer: false,
    keepsCredential: true,
    errors: ['unauthenticated', 'transport_unavailable', 'channel_invalid', 'channel_forbidden', 'connection_limit'],
    summary: 'Open a connection: an address, a ticket that holds once for 30 seconds, and subscriptions.',
  }),
  disconnectRealtime: defineRoute({
    ...shared,
    operationId: 'disconnectRealtime',
    method: 'POST',
    path: '/realtime/disconnect',
    body: z.object({ connectionId: z.string().optional() }).default({}),
    response: Success,
    rateLimit: 'write',
    errors: [],
    summary: 'Close a connection, or all of the session.',
  }),
  subscribeRealtime: defineRoute({
    ...shared,
    operationId: 'subscribeRealtime',
    method: 'POST',
    path: '/realtime/subscribe',
    body: z.object({
      channel: Channel,
      events: Events.optional(),
      filter: z.record(z.string(), z.unknown()).optional(),
      connectionId: z.string().optional(),
    }),
    response: z.object({ subscriptionId: z.string(), channel: z.string() }).meta({ id: 'RealtimeSubscription' }),
    rateLimit: 'write',
    errors: ['channel_invalid', 'channel_forbidden', 'connection_limit', 'connection_not_found', 'invalid_query'],
    summary: 'Subscribe to a channel, optionally to some events and records only.',
  }),
  unsubscribeRealtime: defineRoute({
    ...shared,
    operationId: 'unsubscribeRealtime',
    method: 'POST',
    path: '/realtime/unsubscribe',
    body: z.object({ subscriptionId: z.string() }),
    response: Success,
    rateLimit: 'write',
    errors: ['realtime_subscription_not_found'],
    summary: 'End a subscription.',
  }),
  setPresence: defineRoute({
    ...shared,
    operationId: 'setPresence',
    method: 'POST',
    path: '/realtime/presence',
    body: PresenceBody,
    response: Success,
    rateLimit: 'write',
    errors: ['channel_invalid', 'channel_forbidden', 'connection_not_found'],
    channel: 'presence',
    summary: 'Say where one is and what one does; offline takes one away.',
  }),
  replacePresence: defineRoute({
    ...shared,
    operationId: 'replacePresence',
    method: 'PUT',
    path: '/realtime/presence',
    body: PresenceBody,
    response: Success,
    rateLimit: 'write',
    errors: ['channel_invalid', 'channel_forbidden', 'connection_not_found'],
    channel: 'presence',
    summary: 'The same as POST.',
  }),
  getPresence: defineRoute({
    ...shared,
    operationId: 'getPresence',
    method: 'GET',
    path: '/realtime/presence/:channel',
    params: z.object({ channel: z.string() }),
    response: z.object({ channel: z.string(), members: z.array(PresenceMember) }).meta({ id: 'Presence' }),
    rateLimit: 'read',
    errors: ['channel_invalid', 'channel_forbidden'],
    channel: 'presence',
    summary: 'Who is there.',
  }),
  streamRealtime: defineRoute({
    ...shared,
    operationId: 'streamRealtime',
    method: 'GET',
    path: '/realtime/sse',
    query: z.object({
      connectionId: z.string().optional(),
      channels: QueryList.optional(),
      events: QueryList.optional(),
      lastEventId: z.string().optional(),
    }),
    response: z.unknown(),
    responseKind: 'bytes',
    produces: ['text/event-stream'],
    rateLimit: 'read',
    keepsCredential: true,
    endsWithHost: true,
    errors: ['channel_invalid', 'channel_forbidden', 'connection_limit', 'connection_not_found'],
    channel: 'sse',
    reads: ['Last-Event-ID'],
    sends: ['X-Accel-Buffering'],
    summary: 'Events as a text/event-stream, of a connection or of the channels named.',
  }),
  pollRealtime: defineRoute({
    ...shared,
    operationId: 'pollRealtime',
    method: 'GET',
    path: '/realtime/poll',
    query: z.object({
      connectionId: z.string(),
      lastEventId: z.string().optional(),
      timeoutSeconds: QueryInteger.optional().meta({ description: '0 to 55, default 25.' }),
      limit: QueryInteger.optional().meta({ description: '1 to 1000, default 100.' }),
    }),
    response: z
      .object({
        events: z.array(RealtimeEvent),
        presence: z.array(PresenceChange).optional().meta({ description: 'Who came, changed and went meanwhile.' }),
        lastEventId: z.string(),
        reset: z.literal(true).optional(),
      })
      .meta({ id: 'RealtimePoll' }),
    rateLimit: 'read',
    timeoutMs: pollTimeoutMs,
    endsWithHost: true,
    errors: ['connection_not_found'],
    channel: 'polling',
    summary: 'Wait for events after the last one seen.',
  }),
})
