// Handlers of notifications: each acts on what is the caller's and nothing else.
import type { notificationRoutes } from '#shared/contracts/notifications.ts'
import { notFound, platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { whyNotLent } from '#main/kernel/identity.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { Devices } from './service/devices.ts'
import type { Inbox } from './service/inbox.ts'
import type { PreferenceBook, PreferencesPatch } from './service/preferences.ts'

/** What the handlers bind. */
export interface NotificationRouteParts {
  readonly inbox: Inbox
  readonly devices: Devices
  readonly book: PreferenceBook
}

/**
 * Binds the routes.
 * @source D-177
 */
export function notificationHandlers({
  inbox,
  devices,
  book,
}: NotificationRouteParts): Handlers<typeof notificationRoutes> {
  const update = async (ctx: RequestContext, { body }: { body: { preferences: PreferencesPatch } }) => {
    requireOneself(ctx)
    await book.update(ctx.actor.id, body.preferences)
    return { preferences: await book.open(ctx.actor.id) }
  }
  return {
    listNotifications: (ctx, { query }) => inbox.list(ctx, query),
    async readNotifications(ctx, { body }) {
      return { success: true, readCount: await inbox.read(ctx, body.ids) }
    },
    async readAllNotifications(ctx) {
      return { success: true, readCount: await inbox.readAll(ctx) }
    },
    async registerDevice(ctx, { body }) {
      requireOneself(ctx)
      return { deviceId: await devices.register(ctx.actor.id, body), success: true }
    },
    async unregisterDevice(ctx, { params }) {
      requireOneself(ctx)
      if (!(await devices.remove(ctx.actor.id, params.id))) throw notFound('device', params.id)
      return { success: true }
    },
    async getNotificationPreferences(ctx) {
      return { preferences: await book.open(ctx.actor.id) }
    },
    updateNotificationPreferences: update,
    replaceNotificationPreferences: update,
    async deleteNotification(ctx, { params }) {
      await inbox.remove(ctx, params.id)
      return { id: params.id, success: true }
    },
  }
}

/** Refuses a narrowed key and whoever acts as somebody else: where a person is told of things outlasts both (C10). */
function requireOneself(ctx: RequestContext): void {
  const reason = whyNotLent(ctx)
  if (reason !== null) throw platformError('permission_denied', { reason })
}
