// Notifies users: stores, raises the event, and hands on by the ways the user wants.
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { AuthService } from '../auth/api.ts'
import type { MailService } from '../mail/api.ts'
import type { NotificationsService } from './api.ts'
import { waysOf } from './service/channels.ts'
import type { Deliveries } from './service/deliveries.ts'
import type { DesktopNotices } from './service/desktop-notices.ts'
import type { LinkOf } from './service/messages.ts'
import { mailOf } from './service/messages.ts'
import { itemOf, showItem } from './service/notification.ts'
import type { PreferenceBook } from './service/preferences.ts'
import { countUnread, insertItem, keepNewest, putCause } from './store.ts'

/** What the service works with. */
export interface NotificationParts {
  readonly read: Reads
  readonly clock: Clock
  readonly ids: Ids
  readonly auth: () => AuthService | undefined
  readonly mail: () => MailService | undefined
  readonly book: PreferenceBook
  readonly deliveries: Deliveries
  readonly notices: DesktopNotices
  readonly linkOf: LinkOf
}

/** Notifications of one user beyond this number push out the oldest. */
const keptPerUser = 10_000

/** The address the local owner has before there is a real one. */
const placeholder = /@cairn[.]local$/i

/** Where mails to a user go; undefined when there is no way. */
export function addressOf(
  { auth, mail }: Pick<NotificationParts, 'auth' | 'mail'>,
  userId: string,
): string | undefined {
  if (mail()?.isConfigured() !== true) return undefined
  const user = auth()?.user(userId)
  return user === undefined || user.banned || placeholder.test(user.email) ? undefined : user.email
}

/**
 * Makes the service.
 * @source D-142, D-177
 */
export function createNotificationsService(parts: NotificationParts): NotificationsService {
  const { read, clock, ids, auth, mail, book, deliveries, notices, linkOf } = parts
  const isThere = (userId: string): boolean => userId === localOwnerId || auth()?.user(userId) !== undefined
  return {
    notify(tx, draft) {
      const { userId } = draft
      if (!isThere(userId)) return null
      const ways = waysOf(draft, book.of(tx, userId))
      const address = ways.email === 'off' ? undefined : addressOf(parts, userId)
      const isMailed = ways.email === 'now' && address !== undefined
      const waitsForDigest = ways.email === 'digest' && address !== undefined
      const webhooks = ways.webhooks.filter((channel) => book.hasUrl(tx, userId, channel))
      if (!ways.inApp && !isMailed && !waitsForDigest && webhooks.length === 0) return null
      const now = clock.now()
      if (draft.dedupeKey !== undefined && !putCause(tx, userId, draft.dedupeKey, now)) return null
      const item = itemOf(draft, { id: ids.uuid(), now, inInbox: ways.inApp, mailed: isMailed })
      const shown = showItem(item)
      if (ways.inApp || waitsForDigest) {
        insertItem(tx, item)
        keepNewest(tx, userId, keptPerUser)
      }
      if (ways.inApp) {
        const unreadCount = countUnread(tx, { userId, organizationId: item.organization_id })
        tx.emit(internalContext('notifications'), {
          type: 'notification.created',
          payload: { notification: shown, userId, unreadCount },
        })
        if (userId === localOwnerId) tx.afterCommit(() => notices.show(shown))
      }
      if (isMailed) {
        const { object, record_id: recordId } = item
        mail()?.queue(tx, {
          to: address,
          ...mailOf(shown, linkOf),
          dedupeKey: `notification:${item.id}`,
          about: object === null || recordId === null ? [] : [{ object, recordId }],
        })
      }
      for (const channel of webhooks) deliveries.add(tx, channel, item)
      return item.id
    },
    preferences: (userId) => book.of(read, userId),
  }
}
