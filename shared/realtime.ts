// Shapes of realtime messages, the same for every transport, and the frames of the WebSocket (D-171, D-172, D-176).
// Knows no connection.
import { z } from 'zod'

/** The subprotocol of the WebSocket. */
export const realtimeProtocol = 'cairn.v1'

/** An event as subscribers get it. `eventId` is decimal and strictly increasing per server. */
export const RealtimeEvent = z
  .object({
    eventId: z.string(),
    type: z.string(),
    channel: z.string(),
    subscriptionId: z.string().optional(),
    object: z.string().optional(),
    recordId: z.string().optional(),
    payload: z.record(z.string(), z.unknown()),
    actor: z.object({ type: z.string(), id: z.string() }),
    timestamp: z.string(),
  })
  .meta({ id: 'RealtimeEvent' })

/** Somebody on a channel. */
export const PresenceMember = z
  .object({
    userId: z.string(),
    name: z.string(),
    status: z.enum(['online', 'away', 'busy', 'offline']),
    state: z.record(z.string(), z.unknown()),
    connectionId: z.string(),
    lastSeen: z.string(),
  })
  .meta({ id: 'PresenceMember' })

/** Somebody who came to a channel, changed there or left it. */
export const PresenceChange = z
  .object({ channel: z.string(), event: z.enum(['join', 'update', 'leave']), member: PresenceMember })
  .meta({ id: 'PresenceChange' })

const frameId = z.union([z.string().max(100), z.number()]).optional()

/** What a client may send. */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('auth'),
    ticket: z.string().optional(),
    token: z.string().optional(),
    lastEventId: z.string().optional(),
  }),
  z.object({
    type: z.literal('subscribe'),
    id: frameId,
    channel: z.string(),
    events: z.array(z.string().min(1).max(100)).max(50).optional(),
    filter: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ type: z.literal('unsubscribe'), id: frameId, subscriptionId: z.string() }),
  z.object({
    type: z.literal('presence'),
    id: frameId,
    channel: z.string(),
    state: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('broadcast'), id: frameId, channel: z.string(), payload: z.unknown() }),
  z.object({ type: z.literal('ping'), id: frameId }),
])

/** What the server sends. */
export type ServerFrame =
  | { readonly type: 'ready'; readonly connectionId: string; readonly lastEventId: string; readonly resumed: boolean }
  | {
      readonly type: 'subscribed'
      readonly id?: string | number
      readonly subscriptionId: string
      readonly channel: string
    }
  | { readonly type: 'unsubscribed'; readonly id?: string | number; readonly subscriptionId: string }
  | { readonly type: 'event'; readonly event: z.infer<typeof RealtimeEvent> }
  | ({ readonly type: 'presence' } & Readonly<z.infer<typeof PresenceChange>>)
  | { readonly type: 'pong'; readonly id?: string | number }
  | { readonly type: 'error'; readonly id?: string | number; readonly error: Readonly<Record<string, unknown>> }
  | { readonly type: 'reset'; readonly reason: string; readonly lastEventId: string }
