// The notifications plugin: what people are told, and by which ways.
import { notificationRoutes } from '#shared/contracts/notifications.ts'
import { createCursorKey } from '#main/database/query/cursor.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { registerJobs } from './jobs.ts'
import { notificationMigrations } from './migrations/index.ts'
import { notificationHandlers } from './routes.ts'
import { addressOf, createNotificationsService } from './service.ts'
import { createDeliveries } from './service/deliveries.ts'
import { endSent, readWaiting } from './service/delivery-store.ts'
import { createDesktopNotices } from './service/desktop-notices.ts'
import { createDevices } from './service/devices.ts'
import { createInbox, completeWaitingMail } from './service/inbox.ts'
import type { LinkOf } from './service/messages.ts'
import { webhookBodies } from './service/messages.ts'
import { createPlaces } from './service/place.ts'
import { createPreferenceBook } from './service/preferences.ts'
import { createReadings } from './service/readings.ts'
import { putKey, readKey } from './store.ts'
import { listenToRemovals } from './subscribers.ts'

/** Keeps the inbox of every user and hands on what is in it (D-142, D-177). */
export const notificationsPlugin = definePlugin({
  id: 'notifications',
  version: '1.0.0',
  requires: ['metadata', 'permissions'],
  optional: ['auth', 'mail', 'data', 'feed'],
  discovery: {
    service: 'notification',
    routeKey: 'notifications',
    route: '/notifications',
    feature: 'notifications',
  },
  contract: notificationRoutes,
  migrations: notificationMigrations,
  emits: ['notification.created', 'notification.updated', 'notification.read'],
  async register(host) {
    const { read, write, clock, ids, log, secrets, options } = host
    const auth = host.optionalService('auth')
    const mail = host.optionalService('mail')
    const metadata = host.service('metadata')
    const readings = createReadings({
      auth,
      metadata,
      data: host.optionalService('data'),
      feed: host.optionalService('feed'),
    })
    const linkOf: LinkOf = (actionUrl) => `${options.baseUrl()}${options.uiBasePath}/${actionUrl}`
    const allowedHosts = readAllowedHosts(options.config('outbound')['allowedHosts'])
    const outbound = createOutbound({ allowedHosts: () => allowedHosts, onDisk: host.database.onDisk })
    const book = createPreferenceBook({ read, write, clock, secrets, outbound })
    const devices = createDevices({ read, write, clock, ids, secrets })
    const notices = createDesktopNotices(host.notify)
    // What was posted since a backup is not posted again when that is put back (D-410).
    const replaced = options.restored?.read(readWaiting)
    if (replaced != null) await write('notifications.end-sent', (tx) => endSent(tx, replaced))
    const deliveries = createDeliveries({
      read,
      write,
      clock,
      log,
      outbound,
      readings,
      isReady: () => options.baseUrl() !== '' && host.database.health() !== 'degraded',
      async messageOf(userId, channel, notification) {
        const url = await book.urlOf(userId, channel)
        if (url === undefined) return undefined
        const reach = { linkOf, devices: () => devices.of(userId) }
        return { url, body: await webhookBodies[channel](notification, reach) }
      },
    })
    host.dispose(() => deliveries.stop())
    host.dispose(() => notices.stop())
    const places = createPlaces(await cursorKey(host))
    const complete = completeWaitingMail(auth)
    const inbox = createInbox({ read, write, clock, places, readings, complete })
    host.provide(
      'notifications',
      createNotificationsService({
        read,
        clock,
        ids,
        auth,
        mail,
        book,
        deliveries,
        notices,
        linkOf,
        metadata,
        readings,
      }),
    )
    host.handle(notificationRoutes, notificationHandlers({ inbox, devices, book }))
    listenToRemovals(host, metadata)
    const parts = { read, write, clock, book, mail, readings }
    registerJobs(host, { ...parts, addressOf: (userId) => addressOf({ auth, mail }, userId) })
  },
})

/** The key that seals cursors; made once per database so that cursors survive a restart. */
async function cursorKey(host: Pick<PluginHost, 'read' | 'write' | 'ids'>): Promise<CursorKey> {
  const name = 'cursor'
  if (readKey(host.read, name) === undefined) {
    const fresh = Buffer.from(host.ids.token(32), 'base64url').toString('base64')
    await host.write('notifications.key', (tx) => putKey(tx, name, fresh))
  }
  return createCursorKey(Buffer.from(readKey(host.read, name)!, 'base64'))
}

/** @throws Error when the setting is no list of hosts */
function readAllowedHosts(value: unknown): readonly string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every((host) => typeof host === 'string' && host !== '')
  if (!isList) throw new Error('config.json: outbound.allowedHosts must be a list of names or addresses of hosts.')
  return value as string[]
}
