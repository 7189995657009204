// The feed plugin: what happened to each record, what people say about it, and who wants to hear of it.
import { feedRoutes } from '#shared/contracts/feed.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { feedErrors } from './errors.ts'
import { feedMigrations } from './migrations/index.ts'
import { feedHandlers } from './routes.ts'
import { createFeedService } from './service.ts'
import { createNoticeConsumer } from './service/notices.ts'
import { createRecordFollower, factEvents } from './subscribers.ts'

/** Keeps, shows and announces the activity of records. */
export const feedPlugin = definePlugin({
  id: 'feed',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['auth', 'notifications', 'storage'],
  discovery: {
    service: 'feed',
    routeKey: 'feed',
    route: '/data',
    feature: 'feed',
    capabilities: ['feed', 'comments'],
  },
  contract: feedRoutes,
  errors: feedErrors,
  migrations: feedMigrations,
  emits: [
    'feed.item.created',
    'feed.item.updated',
    'feed.item.deleted',
    'feed.reaction.added',
    'feed.reaction.removed',
  ],
  async register(host) {
    const { read, write, heavy, clock, ids } = host
    const data = host.service('data')
    const metadata = host.service('metadata')
    const auth = host.optionalService('auth')
    const core = createFeedService({
      read,
      write,
      heavy,
      clock,
      ids,
      authorizer: () => host.authorizer,
      data,
      metadata,
      permissions: host.service('permissions'),
      settings: host.service('settings'),
      auth,
      storage: host.optionalService('storage'),
    })
    await core.start()
    host.provide('feed', core.service)
    host.handle(feedRoutes, feedHandlers(core))

    const follower = createRecordFollower({ read, write, ids, log: host.log, metadata })
    for (const type of factEvents) host.on(type, follower.note)
    host.on('record.purged', follower.forget)
    host.on('schema.backup_expired', follower.leave)
    host.job('clear', { everySeconds: 3600 }, follower.clear)
    host.dispose(follower.stop)
    const notifications = host.optionalService('notifications')
    const { people, subscriptions, known } = core
    const { sees } = core.service
    host.consume(
      'feed',
      createNoticeConsumer({ notifications, auth, data, metadata, people, subscriptions, known, sees, write }),
    )
  },
})
