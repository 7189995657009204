// The hub of realtime: who is connected, who wants what, and the way of an event from its COMMIT to each of them. Knows
// no frame and no header.
import type { PlatformEvent } from '#shared/events.ts'
import { invalidQuery, platformError, validationError } from '#shared/errors.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { createTickets } from '#main/kernel/tickets.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { realtimeError } from './errors.ts'
import type { Channel } from './service/channels.ts'
import { channelsOf, readChannel } from './service/channels.ts'
import type { Connection, ConnectionParts, Transport } from './service/connection.ts'
import { createConnection } from './service/connection.ts'
import { wantedEvents } from './service/subscription.ts'
import type { MessageWriter } from './service/messages.ts'
import type { Member, PresenceChange } from './service/presence.ts'
import { createPresence, createPresenceView } from './service/presence.ts'
import type { PresenceQueue } from './service/presence-queue.ts'
import { createPresenceQueue } from './service/presence-queue.ts'
import { readRecordFilter } from './service/record-filter.ts'
import type { EventRing } from './service/ring.ts'
import { createRounds } from './service/rounds.ts'
import type { Subscription, SubscriptionRequest } from './service/subscription.ts'

/** Connections of one user at once (D-175). */
export const maxConnections = 20

/** Subscriptions of one connection (D-175). */
export const maxSubscriptions = 100

/** How long a connection waits for its transport, before the first time and after. */
const unattachedMs = 60_000
const idleMs = 90_000

/** How long a subscription without a connection waits for one. */
const pendingMs = 3_600_000

/** Credentials whose subscriptions may wait for a connection. */
const maxPending = 1_000

/** What the hub works with. */
export interface HubParts {
  readonly ring: EventRing
  readonly writer: MessageWriter
  readonly ids: Ids
  readonly data: Pick<DataService, 'reach' | 'canReadField'>
  now(): number
  iso(): string
  stamp(): string
  authorizer(): Authorizer
  schemaOf(object: string): ObjectSchema | undefined
  queryEnv(ctx: RequestContext): QueryEnv
  contextOf: ConnectionParts['contextOf']
  nameOf(ctx: RequestContext): string
}

/** Who opens a connection, and how its credential is asked again. */
export interface Opening {
  readonly caller: Caller
  readonly transport: Transport
  recheck(): Caller | null
}

/** A change of who is on a channel, as its receiver sees it. */
export type PresenceNews = Pick<PresenceChange, 'channel' | 'event' | 'member'>

/** The hub. */
export interface Hub {
  /** An event that was just committed. */
  dispatch(event: PlatformEvent): void
  /** @throws connection_limit */
  open(opening: Opening): Connection
  /** A connection of the caller's session. @throws connection_not_found */
  find(ctx: RequestContext, connectionId: string): Connection
  /** Ends all connections of the caller's session, and what it said of itself without one (D-168, D-176). */
  endSession(ctx: RequestContext): void
  /** All connections of the caller's session. */
  ofSession(ctx: RequestContext): Connection[]
  ticketFor(connection: Connection): string
  /** The connection a ticket opens; null when it holds no more. */
  redeem(ticket: string): Connection | null
  /** @throws channel_invalid, channel_forbidden, connection_limit, invalid_query */
  subscribe(connection: Connection, request: SubscriptionRequest): Subscription
  /** The same for the session's only connection, or its next. @throws the same, validation_error */
  subscribeSession(ctx: RequestContext, request: SubscriptionRequest, connectionId?: string): Subscription
  /** Ends a subscription of a connection. */
  leave(connection: Connection, subscription: Subscription): void
  /** @throws realtime_subscription_not_found */
  unsubscribe(ctx: RequestContext, subscriptionId: string): void
  /** @throws channel_invalid, channel_forbidden, validation_error, connection_not_found */
  say(ctx: RequestContext, channel: string, state: Readonly<Record<string, unknown>>, connectionId?: string): void
  /** @throws channel_invalid, channel_forbidden */
  members(ctx: RequestContext, channel: string): { channel: string; members: Member[] }
  /** The changes of presence a connection that asks was not told yet, as it may see them now (D-173). */
  presenceFor(connection: Connection): PresenceNews[]
  /** A channel the caller may use. @throws channel_invalid, channel_forbidden */
  channel(ctx: RequestContext, text: string): Channel
  connections(): Iterable<Connection>
  count(): number
  /** Asks every credential at once. */
  recheckAll(): void
  /** Ends what nobody uses; called a few times a second. */
  sweep(): void
}

/** Makes the hub. */
export function createHub(parts: HubParts): Hub {
  const { ring, ids, authorizer } = parts
  const connections = new Map<string, Connection>()
  const wanting = new Map<string, Map<Connection, Subscription[]>>()
  const owners = new Map<string, Connection>()
  const pending = new Map<string, { since: number; subscriptions: Subscription[] }>()
  const tickets = createTickets<string>(parts.now, () => ids.token(32))
  const sayers = new Map<string, string>()
  const queues = new WeakMap<Connection, PresenceQueue>()
  // Rights change with their stamp, records with events.
  const rounds = createRounds(() => `${parts.stamp()} ${ring.latest()}`)

  const mayUse = (ctx: RequestContext, channel: Channel): boolean => {
    const authority = authorizer()
    switch (channel.kind) {
      case 'object':
        return (
          parts.schemaOf(channel.object)?.abstract === false &&
          authority.closedBecause?.(ctx) === undefined &&
          authority.canObject(ctx, channel.object, 'read')
        )
      case 'record':
        return parts.data.reach(ctx, { object: channel.object, id: channel.id, action: 'read' }) === 'open'
      case 'user':
        return channel.userId === ctx.actor.id
      case 'flow':
        return ['manage_flows', 'run_flows'].some((one) => authority.hasSystemPermission(ctx, one))
      case 'metadata':
      case 'system':
      case 'sync':
      case 'room':
        return ctx.credential !== 'none'
    }
  }

  const presenceOf = createPresenceView(parts.data)
  const presence = createPresence({ now: parts.now, iso: parts.iso, changed: (change) => tellPresence(change) })

  /** What a connection is told of a change at this moment; null for nothing. */
  const presenceNews = (connection: Connection, change: PresenceChange): PresenceNews | null => {
    const first = wanting.get(change.channel)?.get(connection)?.[0]
    const ctx = connection.context()
    if (first === undefined || ctx.organizationId !== change.organizationId || !mayUse(ctx, first.channel)) return null
    return { channel: change.channel, event: change.event, member: presenceOf(ctx, first.channel, change.member) }
  }

  const tellPresence = (change: PresenceChange): void => {
    const worked = new Map<string, PresenceNews | null>()
    for (const connection of wanting.get(change.channel)?.keys() ?? []) {
      if (!connection.holds()) continue
      const ctx = connection.context()
      const key = `${authorizer().fingerprint(ctx)} ${ctx.actor.id} ${ctx.organizationId}`
      if (!worked.has(key)) worked.set(key, presenceNews(connection, change))
      const news = worked.get(key)!
      if (news === null) continue
      if (connection.transport !== 'polling') {
        connection.frame({ type: 'presence', ...news })
        continue
      }
      const queue = queues.get(connection) ?? createPresenceQueue()
      queues.set(connection, queue)
      queue.add(change)
      connection.wake?.()
    }
  }

  const index = (connection: Connection, subscription: Subscription): void => {
    connection.add(subscription)
    owners.set(subscription.id, connection)
    const { name } = subscription.channel
    const there = wanting.get(name) ?? new Map<Connection, Subscription[]>()
    wanting.set(name, there.set(connection, [...(there.get(connection) ?? []), subscription]))
  }

  const unindex = (connection: Connection, subscription: Subscription): void => {
    const { id, channel } = subscription
    // Events under way are not for it any more.
    subscription.since = Infinity
    connection.remove(id)
    owners.delete(id)
    const there = wanting.get(channel.name)
    const rest = there?.get(connection)?.filter((one) => one.id !== id) ?? []
    if (rest.length > 0) there!.set(connection, rest)
    else if (there?.delete(connection) === true && there.size === 0) wanting.delete(channel.name)
  }

  const make = (ctx: RequestContext, request: SubscriptionRequest, count: number): Subscription => {
    const channel = self.channel(ctx, request.channel)
    if (count >= maxSubscriptions)
      throw realtimeError('connection_limit', { limit: maxSubscriptions, of: 'subscriptions' })
    const { filter } = request
    const object = channel.kind === 'object' || channel.kind === 'record' ? channel.object : undefined
    if (filter !== undefined && object === undefined)
      throw invalidQuery('filter', 'The channel carries no records.', { path: '' })
    const schema = object === undefined ? undefined : parts.schemaOf(object)
    return {
      id: ids.uuid(),
      channel,
      wants: wantedEvents(request.events),
      filter: filter === undefined ? null : readRecordFilter(filter, schema!, parts.queryEnv(ctx)),
      since: ring.latest(),
    }
  }

  const ended = (connection: Connection): void => {
    connections.delete(connection.id)
    for (const subscription of [...connection.subscriptions.values()]) unindex(connection, subscription)
    presence.leave(connection.id)
  }

  const connectionParts: ConnectionParts = { ...parts, ended }

  const self: Hub = {
    dispatch(event) {
      const channels = channelsOf(event)
      ring.push(event, channels.length > 0)
      if (wanting.size === 0) return
      const receivers = new Map<Connection, readonly Subscription[]>()
      for (const name of channels)
        for (const [connection, subscriptions] of wanting.get(name) ?? []) {
          const before = receivers.get(connection)
          receivers.set(connection, before === undefined ? subscriptions : [...before, ...subscriptions])
        }
      if (receivers.size > 0) rounds.add(event, receivers)
    },
    open({ caller, transport, recheck }) {
      const own = [...connections.values()].filter(({ userId }) => userId === caller.actor.id)
      if (own.length >= maxConnections)
        throw realtimeError('connection_limit', { limit: maxConnections, of: 'connections' })
      const connection = createConnection(connectionParts, { id: ids.uuid(), caller, transport, recheck })
      connections.set(connection.id, connection)
      const waiting = pending.get(caller.credentialId)
      pending.delete(caller.credentialId)
      for (const subscription of waiting?.subscriptions ?? []) index(connection, subscription)
      return connection
    },
    find(ctx, connectionId) {
      const connection = connections.get(connectionId)
      if (
        connection === undefined ||
        connection.credentialId !== ctx.credentialId ||
        connection.userId !== ctx.actor.id
      )
        throw realtimeError('connection_not_found')
      return connection
    },
    endSession(ctx) {
      for (const connection of self.ofSession(ctx)) connection.end(1000, 'disconnect')
      const sayer = sayers.get(sayerKey(ctx))
      if (sayer !== undefined) presence.leave(sayer)
    },
    ofSession: (ctx) =>
      [...connections.values()].filter((one) => one.credentialId === ctx.credentialId && one.userId === ctx.actor.id),
    ticketFor: (connection) => tickets.issue(connection.id),
    redeem(ticket) {
      const id = tickets.redeem(ticket)
      const connection = id === null ? undefined : connections.get(id)
      return connection !== undefined && connection.holds(true) ? connection : null
    },
    subscribe(connection, request) {
      const subscription = make(connection.context(), request, connection.subscriptions.size)
      index(connection, subscription)
      return subscription
    },
    subscribeSession(ctx, request, connectionId) {
      const own = connectionId === undefined ? self.ofSession(ctx) : [self.find(ctx, connectionId)]
      if (own.length > 1)
        throw validationError([
          { field: 'connectionId', code: 'required', message: 'The session has several connections.' },
        ])
      if (own.length === 1) {
        own[0]!.activeAt = parts.now()
        return self.subscribe(own[0]!, request)
      }
      const key = ctx.credentialId ?? ''
      const waiting = pending.get(key) ?? { since: parts.now(), subscriptions: [] }
      const subscription = make(ctx, request, waiting.subscriptions.length)
      if (pending.size >= maxPending && !pending.has(key)) pending.delete(pending.keys().next().value!)
      waiting.subscriptions.push(subscription)
      pending.set(key, waiting)
      return subscription
    },
    leave: unindex,
    unsubscribe(ctx, subscriptionId) {
      const connection = owners.get(subscriptionId)
      if (connection !== undefined && self.ofSession(ctx).includes(connection)) {
        unindex(connection, connection.subscriptions.get(subscriptionId)!)
        return
      }
      const waiting = pending.get(ctx.credentialId ?? '')
      const at = waiting?.subscriptions.findIndex(({ id }) => id === subscriptionId) ?? -1
      if (at === -1) throw realtimeError('realtime_subscription_not_found')
      waiting!.subscriptions.splice(at, 1)
    },
    say(ctx, text, state, connectionId) {
      const { name } = self.channel(ctx, text)
      if (ctx.scope?.readOnly === true) throw platformError('permission_denied', { reason: 'read_only_key' })
      const own = connectionId === undefined ? self.ofSession(ctx) : [self.find(ctx, connectionId)]
      const from = own.length === 1 ? own[0]!.id : sayerOf(ctx)
      if (own.length === 1) own[0]!.activeAt = parts.now()
      const { organizationId } = ctx
      presence.say(name, { userId: ctx.actor.id, name: parts.nameOf(ctx), connectionId: from, organizationId }, state)
    },
    members(ctx, text) {
      const channel = self.channel(ctx, text)
      const { name } = channel
      const members = presence.members(name, ctx.organizationId)
      return { channel: name, members: members.map((member) => presenceOf(ctx, channel, member)) }
    },
    presenceFor(connection) {
      const changes = queues.get(connection)?.take() ?? []
      return changes.flatMap((change) => presenceNews(connection, change) ?? [])
    },
    channel(ctx, text) {
      const channel = readChannel(text, ctx.actor.id)
      if (!mayUse(ctx, channel)) throw realtimeError('channel_forbidden', { channel: channel.name })
      return channel
    },
    connections: () => connections.values(),
    count: () => connections.size,
    recheckAll() {
      for (const connection of [...connections.values()]) connection.holds(true)
    },
    sweep() {
      const now = parts.now()
      for (const connection of [...connections.values()]) {
        if (!connection.holds() || connection.isAttached || connection.wake !== null) continue
        const { wasAttached, activeAt, createdAt } = connection
        // Calls of its session are no attaching: what nobody came for ends however much is said about it.
        const isLeft = wasAttached ? now - activeAt >= idleMs : now - createdAt >= unattachedMs
        if (isLeft) connection.end(1001, 'nobody is attached')
      }
      presence.lapse()
      tickets.sweep()
      for (const [key, { since }] of pending) if (now - since >= pendingMs) pending.delete(key)
    },
  }

  /** Requests of a session without a connection are one place of their own. */
  function sayerOf(ctx: RequestContext): string {
    const key = sayerKey(ctx)
    const id = sayers.get(key) ?? ids.uuid()
    sayers.delete(key)
    if (sayers.size >= maxPending) sayers.delete(sayers.keys().next().value!)
    sayers.set(key, id)
    return id
  }

  return self
}

function sayerKey(ctx: RequestContext): string {
  return `${ctx.actor.id} ${ctx.credentialId ?? ''}`
}
