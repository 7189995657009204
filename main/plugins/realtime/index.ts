// The realtime plugin: events as they happen, over WebSocket, server-sent events and polling, and who is there.
import { realtimeRoutes } from '#shared/contracts/realtime.ts'
import { matchNone } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { metadataEvents } from '#shared/events.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { contextPart } from '#main/kernel/identity.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { RealtimeService } from './api.ts'
import { realtimeErrors } from './errors.ts'
import { realtimeHandlers } from './routes.ts'
import { createHub } from './service.ts'
import { broadcastType } from './service/channels.ts'
import { createEventViews } from './service/event-view.ts'
import { createFeedViews } from './service/feed-view.ts'
import { createFollowing } from './service/followers.ts'
import { createMessageWriter } from './service/messages.ts'
import { createRecordViews } from './service/record-view.ts'
import { createEventRing } from './service/ring.ts'
import { createSaying } from './service/saying.ts'
import { createSocketTransport } from './service/socket-transport.ts'
import type { EventStream } from './service/stream-transport.ts'
import { internalContext } from '#main/kernel/context.ts'

/** How often credentials, heartbeats and lapsed entries are looked at: pushes stop within a second (safety D5). */
const sweepMs = 250

/** Pushes events to whoever may see them. */
export const realtimePlugin = definePlugin({
  id: 'realtime',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['auth', 'feed', 'notifications'],
  discovery: { service: 'realtime', routeKey: 'realtime', route: '/realtime', feature: 'websockets' },
  contract: realtimeRoutes,
  errors: realtimeErrors,
  emits: [broadcastType, 'service.status_changed'],
  register(host) {
    const { read, clock, ids } = host
    const metadata = host.service('metadata')
    const data = host.service('data')
    const auth = host.optionalService('auth')
    const authorizer = () => host.authorizer
    const now = (): number => clock.now()
    const worldOf = createWorlds(host)
    const records = createRecordViews({
      read,
      data,
      authorizer,
      schemaOf: metadata.objectSchema,
      queryEnv: (ctx) => worldOf(ctx, false),
    })
    const permissions = host.service('permissions')
    const feedService = host.optionalService('feed')
    const feed = createFeedViews({
      records,
      data,
      isFree: (ctx) => host.authorizer.isUnrestricted(ctx),
      profileOf: (userId) => permissions.assignments(userId).profile,
      sees: (ctx, record, feedId) => feedService()?.sees(ctx, record, feedId) === true,
    })
    const hasOrganizations = (): boolean => auth()?.hasOrganizations === true
    const notifications = host.optionalService('notifications')
    const present = (ctx: RequestContext, told: Readonly<Record<string, unknown>>) =>
      notifications()?.present(ctx, told) ?? told
    const views = createEventViews({ authorizer, records, feed, metadata, hasOrganizations, present })
    const ring = createEventRing(host.lastEventId(), now)
    const queryEnv = (ctx: RequestContext): QueryEnv => worldOf(ctx, true)
    const writer = createMessageWriter({ read, views, log: host.log, schemaOf: metadata.objectSchema, queryEnv })
    const stamp = (): string => `${host.permissionEpoch()} ${metadata.epoch()}`
    const hub = createHub({
      ring,
      writer,
      ids,
      data,
      now,
      iso: () => clock.iso(),
      stamp,
      authorizer,
      schemaOf: metadata.objectSchema,
      queryEnv,
      contextOf: (caller, id) => contextOf(host, caller, id),
      nameOf: ({ actor }) => auth()?.user(actor.id)?.name ?? actor.name ?? actor.id,
    })

    for (const type of metadataEvents) host.on(type, (event) => views.beforeCommit(event))
    host.onCommitted('*', (event) => {
      feed.remember(event)
      hub.dispatch(event)
      // Sessions that ended and users who are shut out hear nothing more, whatever is sent next.
      if (!event.type.startsWith('auth.')) return
      hub.recheckAll()
      setImmediate(() => hub.recheckAll())
    })

    const saying = createSaying({ hub, write: host.write, log: host.log })
    const sockets = createSocketTransport({ hub, now, requestId: () => ids.uuid(), ...saying })
    const streams = new Set<EventStream>()
    host.socket(sockets.route)
    host.handle(
      realtimeRoutes,
      realtimeHandlers({ hub, ring, streams, now, baseUrl: () => host.options.baseUrl(), prefix: host.options.prefix }),
    )
    const service: RealtimeService = {
      connections: hub.count,
      canSee: records.canSee,
      largestBuffer: () => [...hub.connections()].reduce((most, { buffered }) => Math.max(most, buffered), 0),
      isConnected: (userId) =>
        [...hub.connections()].some((one) => one.userId === userId && (one.isAttached || one.wake !== null)),
      follow: createFollowing(hub),
    }
    host.provide('realtime', service)

    const announce = announceStatus(host)
    const timer = setInterval(() => {
      hub.sweep()
      sockets.beat()
      for (const stream of streams) stream.beat()
      announce()
    }, sweepMs)
    timer.unref()
    host.dispose(() => {
      clearInterval(timer)
      for (const connection of [...hub.connections()]) connection.end(1001, 'the server stops')
    })
  },
})

/** The context of what a connection may do; it lives as long as the state of rights. */
function contextOf(host: PluginHost, caller: Caller, id: string): RequestContext {
  return {
    ...contextPart(caller),
    permissionEpoch: host.permissionEpoch(),
    locale: 'en',
    requestId: id,
    source: 'API',
    signal: neverAborted,
    depth: 0,
    deprecations: [],
  }
}

const neverAborted = new AbortController().signal

/** The world filters are read in: with the rights of the caller, or without any. */
function createWorlds(host: PluginHost): (ctx: RequestContext, withRights: boolean) => QueryEnv {
  const settings = host.service('settings')
  const metadata = host.service('metadata')
  return (ctx, withRights) => {
    const { authorizer } = host
    const base: QueryEnv = {
      timeZone: settings.get('timezone'),
      defaultCurrency: settings.get('currency'),
      now: host.clock.now(),
      userId: ctx.actor.id,
      users: userDirectory,
      schemaOf: metadata.objectSchema,
    }
    if (!withRights || authorizer.isUnrestricted(ctx)) return base
    return {
      ...base,
      engine: base,
      organizationId: ctx.organizationId,
      schemaOf: (object) => (authorizer.canObject(ctx, object, 'read') ? metadata.objectSchema(object) : undefined),
      canRead: (object, field) => authorizer.canField(ctx, object, field, 'readable'),
      // Related records are judged by the rows the receiver may see (D-86).
      rowCondition(object) {
        if (object === userDirectory.name) return null
        const rows = authorizer.rowCondition(ctx, object, 'read')
        return rows === false ? matchNone : rows
      },
    }
  }
}

/** Makes the look at every status that is called a few times a second; the first one tells nothing. */
function announceStatus(host: Pick<PluginHost, 'catalogue' | 'write' | 'log'>): () => void {
  const known = new Map<string, string>()
  return () => {
    for (const plugin of host.catalogue.plugins()) {
      const service = plugin.discovery?.service
      if (service === undefined) continue
      const { status, message } = plugin.status()
      const before = known.get(service)
      known.set(service, status)
      if (before === undefined || before === status) continue
      const payload = { service, status, previous: before, ...(message === undefined ? {} : { message }) }
      host
        .write(
          'realtime.status',
          (tx) => tx.emit(internalContext('service-status'), { type: 'service.status_changed', payload }),
          { whenFull: true },
        )
        .catch((error: unknown) => host.log.warn({ err: error }, 'A changed status was not announced.'))
    }
  }
}
