// Gathers what one act did to many records in one notification, while that is unread. Asks no right: whoever drafts has, and
// readings do again.
import type { ObjectSchema } from '#shared/object-schema.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { MetadataService } from '../../metadata/api.ts'
import type { NotificationDraft, NotificationPart } from '../api.ts'
import { countUnread, putParts, readItemOf, readOpenFold, rewriteItem } from '../store.ts'
import { countOf, foldedWords, maxParts } from './fold.ts'
import type { ItemRow, NewItem } from './notification.ts'
import { showItem } from './notification.ts'
import type { Quotes } from './quotes.ts'
import { keptOf } from './quotes.ts'

type StoredPart = Parameters<typeof putParts>[2][number]

/** Parts as they are stored: fields by their uid, in one order. */
export function storedParts(schema: ObjectSchema, parts: readonly NotificationPart[]): StoredPart[] {
  return parts.map(({ recordId, fields }) => ({
    recordId,
    fields: fields.flatMap((name) => schema.byName.get(name)?.uid ?? []).toSorted(),
  }))
}

/** The row of a draft about many records, with them and their number in it. */
export function foldedItem(
  item: NewItem,
  { says, parts }: NonNullable<NotificationDraft['fold']>,
  schema: ObjectSchema,
): NewItem {
  const kept = storedParts(schema, parts).map(({ recordId, fields }) => ({ fields, ids: [recordId] }))
  const words = foldedWords(showItem(item), says, kept, schema, false)
  return { ...item, ...columnsOf(words), quotes: JSON.stringify({ object: schema.uid, says, parts: kept }) }
}

/**
 * Adds the records of a draft to the notification of the same act that is unread.
 * @returns its id; null when there is none, or it is about the draft's only record and stays by itself
 */
export function growFold(
  tx: Tx,
  item: NewItem,
  { says, parts }: NonNullable<NotificationDraft['fold']>,
  schema: ObjectSchema,
): string | null {
  const open = readOpenFold(tx, item)
  if (open === undefined || parts.every(({ recordId }) => recordId === open.record_id)) return null
  const { quotes } = keptOf(open)
  const had = countOf(quotes?.parts ?? [])
  const first = open.record_id === null ? [] : [{ recordId: open.record_id, fields: fieldsOf(quotes) }]
  putParts(tx, open.id, [...first, ...storedParts(schema, parts)].slice(0, maxParts - had))
  // The name in the title goes, and with it what it was quoted from.
  rewriteItem(tx, { ...open, quotes: JSON.stringify({ object: schema.uid, says }) })
  refreshFold(tx, readItemOf(tx, open.user_id, open.id)!, schema)
  return open.id
}

/** Makes the words of a notification about many anew from the records it has, and says so. */
export function refreshFold(tx: Tx, row: ItemRow, schema: ObjectSchema): void {
  const { quotes, notification } = keptOf(row)
  const parts = quotes?.parts ?? []
  const words = foldedWords(notification, quotes?.says ?? '', parts, schema, countOf(parts) >= maxParts)
  rewriteItem(tx, { ...row, ...columnsOf(words) })
  if (row.in_inbox === 0) return
  const { user_id: userId, organization_id: organizationId } = row
  const unreadCount = countUnread(tx, { userId, organizationId })
  tx.emit(internalContext('notifications'), {
    type: 'notification.updated',
    payload: { notification: words, userId, unreadCount, ...(organizationId === null ? {} : { organizationId }) },
  })
}

/** The object a notification about many is about; undefined when it is gone. */
export function schemaOfFold(metadata: Pick<MetadataService, 'objectSchemas'>, row: ItemRow): ObjectSchema | undefined {
  const uid = keptOf(row).quotes?.object
  return metadata.objectSchemas().find((schema) => schema.uid === uid)
}

function fieldsOf(quotes: Quotes | null): string[] {
  return (quotes?.lines ?? []).map(({ field }) => field).toSorted()
}

function columnsOf({ title, body, data, actionUrl }: ReturnType<typeof showItem>) {
  return { title, body, data: JSON.stringify(data), action_url: actionUrl ?? null }
}
