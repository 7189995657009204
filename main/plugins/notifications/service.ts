// Notifies users: stores, raises the event, and hands on by the ways the user wants.
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { AuthService } from '../auth/api.ts'
import type { MailService } from '../mail/api.ts'
import type { MetadataService } from '../metadata/api.ts'
import type { NotificationsService } from './api.ts'
import { waysOf } from './service/channels.ts'
import type { Deliveries } from './service/deliveries.ts'
import type { DesktopNotices } from './service/desktop-notices.ts'
import type { LinkOf } from './service/messages.ts'
import { materialOf, wordsOfMail } from './service/mail-material.ts'
import type { ShownNotification } from './service/notification.ts'
import { itemOf, showItem } from './service/notification.ts'
import { foldedItem, growFold, storedParts } from './service/folds.ts'
import type { PreferenceBook } from './service/preferences.ts'
import { keptOf, quotesOf, withheld } from './service/quotes.ts'
import type { Readings } from './service/readings.ts'
import { countUnread, insertItem, keepNewest, putCauses, putParts, readItemOf } from './store.ts'

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
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly readings: Readings
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
  const { read, clock, ids, auth, mail, book, deliveries, notices, linkOf, metadata, readings } = parts
  const isThere = (userId: string): boolean => userId === localOwnerId || auth()?.user(userId) !== undefined
  return {
    notify(tx, given) {
      const { userId } = given
      let draft = given
      if (!isThere(userId)) return null
      const ways = waysOf(draft, book.of(tx, userId))
      const address = ways.email === 'off' ? undefined : addressOf(parts, userId)
      const isMailed = ways.email === 'now' && address !== undefined
      const waitsForDigest = ways.email === 'digest' && address !== undefined
      const webhooks = ways.webhooks.filter((channel) => book.hasUrl(tx, userId, channel))
      if (!ways.inApp && !isMailed && !waitsForDigest && webhooks.length === 0) return null
      const now = clock.now()
      const isNew = (cause: string): boolean => putCauses(tx, userId, [cause], now).size === 1
      if (draft.dedupeKey !== undefined && !isNew(draft.dedupeKey)) return null
      const { object } = draft.data ?? {}
      const schema = typeof object === 'string' ? metadata.objectSchema(object) : undefined
      const quotes = quotesOf(draft, schema)
      if (draft.fold !== undefined && draft.dedupeKey === undefined) {
        const causes = putCauses(
          tx,
          userId,
          draft.fold.parts.map(({ cause }) => cause),
          now,
        )
        const parts = draft.fold.parts.filter(({ cause }) => causes.has(cause))
        if (parts.length === 0) return null
        draft = { ...draft, fold: { ...draft.fold, parts } }
      }
      // Digests leave out what counts as mailed.
      const mailed = isMailed || draft.stays === true
      const plain = itemOf(draft, { id: ids.uuid(), now, inInbox: ways.inApp, mailed, quotes })
      const { fold } = draft
      const isStored = ways.inApp || waitsForDigest
      if (isStored && fold !== undefined && schema !== undefined) {
        // Mails and posts left with the first of it.
        const grown = growFold(tx, plain, fold, schema)
        if (grown !== null) return grown
      }
      const isFolded = fold !== undefined && schema !== undefined && plain.record_id === null
      const item = isFolded ? foldedItem(plain, fold, schema) : plain
      const shown = showItem(item)
      if (isStored) {
        insertItem(tx, isFolded ? { ...item, quotes: JSON.stringify({ object: schema.uid, says: fold.says }) } : item)
        if (isFolded) putParts(tx, item.id, storedParts(schema, fold.parts))
        keepNewest(tx, userId, keptPerUser)
      }
      if (ways.inApp) {
        const { organization_id: organizationId } = item
        const unreadCount = countUnread(tx, { userId, organizationId })
        tx.emit(internalContext('notifications'), {
          type: 'notification.created',
          // The organization keeps it from sessions in others; it is not sent (D-41, D-177).
          payload: { notification: shown, userId, unreadCount, ...(organizationId === null ? {} : { organizationId }) },
        })
        if (userId === localOwnerId) tx.whenOnDisk(() => notices.show(shown))
      }
      if (isMailed) {
        mail()?.queue(tx, {
          to: address,
          material: materialOf(keptOf(item)),
          dedupeKey: `notification:${item.id}`,
          about: item.record_id === null ? [] : [item.record_id],
        })
      }
      for (const channel of webhooks) deliveries.add(tx, channel, item)
      return item.id
    },
    present(ctx, told) {
      const notification = told as ShownNotification
      const { recordId, count } = notification.data ?? {}
      if (typeof recordId !== 'string' && count === undefined) return notification
      const row = readItemOf(read, ctx.actor.id, notification.id)
      // One that was deleted or purged says nothing any more.
      if (row === undefined) return withheld(notification)
      return readings.shown(ctx, { ...keptOf(row), notification })
    },
    wordsOf: (material) => wordsOfMail(readings, linkOf, material),
    preferences: (userId) => book.of(read, userId),
  }
}
