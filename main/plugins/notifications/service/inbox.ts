// What a user does with the own inbox: list, mark, delete. Nobody reaches another one's: what is not the caller's is not
// there. The link or code of a mail that waits to be handed on is read from the waiting mail when the list is read, stored
// with no notification and sent by no other way.
import type { RequestContext } from '#main/kernel/context.ts'
import { notFound, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { NotificationType } from '#shared/contracts/notifications.ts'
import type { InboxFilter, InboxScope } from '../store.ts'
import { countUnread, markAllRead, markRead, readItem, readItems, removeItem } from '../store.ts'
import type { ShownNotification } from './notification.ts'
import { showItem } from './notification.ts'
import type { Places } from './place.ts'
import { keptOf } from './quotes.ts'
import type { Readings } from './readings.ts'
import type { AuthService } from '../../auth/api.ts'

/** A page of an inbox. */
export interface InboxPage {
  readonly notifications: ShownNotification[]
  readonly unreadCount: number
  readonly cursor?: string
  readonly hasMore: boolean
}

/** What a list is asked with. */
export interface InboxQuery extends InboxFilter {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The inboxes. */
export interface Inbox {
  list(ctx: RequestContext, query: InboxQuery): InboxPage
  /** Answers how many were newly read. */
  read(ctx: RequestContext, ids: readonly string[]): Promise<number>
  readAll(ctx: RequestContext): Promise<number>
  remove(ctx: RequestContext, id: string): Promise<void>
}

/** What inboxes work with. */
export interface InboxParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly places: Places
  readonly readings: Pick<Readings, 'shown'>
  /** Adds to the data of one what is not stored with it. */
  readonly complete: (ctx: RequestContext, notification: ShownNotification) => ShownNotification
}

/** What the payload of `notification.read` names: one, some, or all. */
export type ReadChange =
  | { readonly notification: ShownNotification }
  | { readonly ids: readonly string[] }
  | { readonly all: true }

const defaultLimit = 20
const maxLimit = 100

/**
 * Makes the inboxes.
 * @source D-14, D-41, D-177
 */
export function createInbox({ read, write, clock, places, readings, complete }: InboxParts): Inbox {
  const scopeOf = (ctx: RequestContext): InboxScope => ({ userId: ctx.actor.id, organizationId: ctx.organizationId })

  return {
    list(ctx, query) {
      const scope = scopeOf(ctx)
      const limit = checkedLimit(query.limit ?? defaultLimit)
      const filter = { read: query.read, type: checkedType(query.type) }
      const below = query.cursor ? places.open(scope, filter, query.cursor) : null
      const rows = readItems(read, scope, filter, below, limit + 1)
      const shown = rows.slice(0, limit)
      const hasMore = rows.length > limit
      return {
        notifications: shown.map((row) => complete(ctx, readings.shown(ctx, keptOf(row)))),
        unreadCount: countUnread(read, scope),
        ...(hasMore ? { cursor: places.seal(scope, filter, shown.at(-1)!.seq) } : {}),
        hasMore,
      }
    },
    async read(ctx, ids) {
      const scope = scopeOf(ctx)
      return write('notifications.read', (tx) => {
        const marked = [...new Set(ids)].filter((id) => markRead(tx, scope, id, clock.now()))
        if (marked.length === 1) tellRead(tx, ctx, scope, { notification: showItem(readItem(tx, scope, marked[0]!)!) })
        if (marked.length > 1) tellRead(tx, ctx, scope, { ids: marked })
        return marked.length
      })
    },
    async readAll(ctx) {
      const scope = scopeOf(ctx)
      return write('notifications.read-all', (tx) => {
        const count = markAllRead(tx, scope, clock.now())
        if (count > 0) tellRead(tx, ctx, scope, { all: true })
        return count
      })
    },
    async remove(ctx, id) {
      const scope = scopeOf(ctx)
      await write('notifications.delete', (tx) => {
        const row = readItem(tx, scope, id)
        if (row === undefined) throw notFound('notification', id)
        removeItem(tx, row.seq)
        // There is no event for what is gone; an unread one changes the number all the same.
        if (row.read_at === null) tellRead(tx, ctx, scope, { ids: [id] })
      })
    },
  }
}

/** Raises `notification.read` for one user, with the number that is left. */
export function tellRead(tx: Tx, ctx: RequestContext, scope: InboxScope, change: ReadChange): void {
  const payload = { ...change, userId: scope.userId, unreadCount: countUnread(tx, scope) }
  tx.emit(ctx, { type: 'notification.read', payload })
}

function checkedLimit(limit: number): number {
  if (limit >= 1 && limit <= maxLimit) return limit
  const code = limit < 1 ? 'min_value' : 'max_value'
  throw validationError([{ field: 'limit', code, message: `The limit is 1 to ${maxLimit}.`, value: limit }])
}

function checkedType(type: string | undefined): string | undefined {
  if (type === undefined || NotificationType.safeParse(type).success) return type
  const constraint = NotificationType.options
  throw validationError([
    { field: 'type', code: 'invalid_option', message: 'There is no such type.', value: type, constraint },
  ])
}

/**
 * Adds `content` to the data of a notification about a waiting mail, while it waits.
 * @source D-39
 */
export function completeWaitingMail(auth: () => AuthService | undefined) {
  return (ctx: RequestContext, notification: ShownNotification): ShownNotification => {
    const id = notification.data['waitingMailId']
    if (typeof id !== 'string') return notification
    const content = auth()?.waitingMail(ctx, id)
    return content === undefined ? notification : { ...notification, data: { ...notification.data, content } }
  }
}
