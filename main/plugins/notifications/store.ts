// SQL of the inbox: notifications, causes, and the key of its cursors. Devices, preferences and deliveries have theirs in
// service/.
import { createHash } from 'node:crypto'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { ItemRow, NewItem } from './service/notification.ts'

type Read = Pick<Reads, 'all' | 'get'>

const columns = [
  'id',
  'user_id',
  'organization_id',
  'type',
  'title',
  'body',
  'data',
  'action_url',
  'record_id',
  'quotes',
  'fold',
  'in_inbox',
  'created_at',
  'read_at',
  'mailed_at',
] as const satisfies readonly (keyof NewItem)[]

const insertSql = `INSERT INTO notifications_item (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
const partsSql = `(SELECT json_group_array(json_object('fields', json(fields), 'ids', json(ids))) FROM
  (SELECT fields, json_group_array(record_id) AS ids FROM notifications_part
   WHERE item_id = notifications_item.id GROUP BY fields) HAVING count(*) > 0)`
const selectSql = `SELECT seq, ${columns.join(', ')}, ${partsSql} AS parts FROM notifications_item`

/** Whose inbox, seen from where: notifications of that organization and of none; null where there are none (D-41). */
export interface InboxScope {
  readonly userId: string
  readonly organizationId: string | null
}

/** What a list is narrowed to. */
export interface InboxFilter {
  readonly read?: boolean | undefined
  readonly type?: string | undefined
}

const inScope = 'user_id = ? AND in_inbox = 1 AND (organization_id IS NULL OR organization_id = ?)'
const scopeValues = ({ userId, organizationId }: InboxScope): unknown[] => [userId, organizationId]

/** Adds a notification. */
export function insertItem(tx: Tx, item: NewItem): void {
  tx.run(
    statement(
      insertSql,
      columns.map((column) => item[column]),
    ),
  )
}

/** Takes the oldest of a user away beyond so many. */
export function keepNewest(tx: Tx, userId: string, limit: number): void {
  tx.run(
    statement(
      `DELETE FROM notifications_item WHERE user_id = ? AND seq <= (
         SELECT seq FROM notifications_item WHERE user_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      [userId, userId, limit],
    ),
  )
}

/** A page of the inbox, newest first, below a place. */
export function readItems(
  read: Read,
  scope: InboxScope,
  filter: InboxFilter,
  below: number | null,
  limit: number,
): ItemRow[] {
  const conditions = [
    inScope,
    ...(filter.read === undefined ? [] : [filter.read ? 'read_at IS NOT NULL' : 'read_at IS NULL']),
    ...(filter.type === undefined ? [] : ['type = ?']),
    ...(below === null ? [] : ['seq < ?']),
  ]
  const values = [
    ...scopeValues(scope),
    ...(filter.type === undefined ? [] : [filter.type]),
    ...(below === null ? [] : [below]),
    limit,
  ]
  return read.all(
    statement<ItemRow>(`${selectSql} WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`, values),
  )
}

/** One notification of the inbox. */
export function readItem(read: Read, scope: InboxScope, id: string): ItemRow | undefined {
  return read.get(statement<ItemRow>(`${selectSql} WHERE id = ? AND ${inScope}`, [id, ...scopeValues(scope)]))
}

/** One notification of a user, shown in the inbox or not. */
export function readItemOf(read: Read, userId: string, id: string): ItemRow | undefined {
  return read.get(statement<ItemRow>(`${selectSql} WHERE id = ? AND user_id = ?`, [id, userId]))
}

/** How many of the inbox are unread; relies on the index of the unread ones. */
export function countUnread(read: Read, scope: InboxScope): number {
  return read.get<{ count: number }>(
    statement(
      `SELECT count(*) AS count FROM notifications_item WHERE ${inScope} AND read_at IS NULL`,
      scopeValues(scope),
    ),
  )!.count
}

/** Marks one as read; false when it was, or is not there. */
export function markRead(tx: Tx, scope: InboxScope, id: string, now: number): boolean {
  const sql = `UPDATE notifications_item SET read_at = ? WHERE id = ? AND ${inScope} AND read_at IS NULL`
  return tx.run(statement(sql, [now, id, ...scopeValues(scope)])).changes === 1
}

/** Marks all as read; answers how many were not. */
export function markAllRead(tx: Tx, scope: InboxScope, now: number): number {
  const sql = `UPDATE notifications_item SET read_at = ? WHERE ${inScope} AND read_at IS NULL`
  return tx.run(statement(sql, [now, ...scopeValues(scope)])).changes
}

/** Takes one away. */
export function removeItem(tx: Tx, seq: number): void {
  tx.run(statement('DELETE FROM notifications_item WHERE seq = ?', [seq]))
}

/** Takes away what quotes a record, and answers it. By its id alone: the object may have got another name since. */
export function takeItemsAbout(tx: Tx, recordId: string): ItemRow[] {
  const rows = tx.all(statement<ItemRow>(`${selectSql} WHERE record_id = ?`, [recordId]))
  if (rows.length > 0) tx.run(statement('DELETE FROM notifications_item WHERE record_id = ?', [recordId]))
  return rows
}

/** Notes causes of a user; answers those that were not there before. */
export function putCauses(tx: Tx, userId: string, keys: readonly string[], now: number): ReadonlySet<string> {
  const byDigest = new Map(keys.map((key) => [createHash('sha256').update(key).digest('base64url'), key]))
  const sql = `INSERT OR IGNORE INTO notifications_cause (user_id, digest, at)
    SELECT ?, value, ? FROM json_each(?) RETURNING digest`
  const added = tx.all(statement<{ digest: string }>(sql, [userId, now, JSON.stringify([...byDigest.keys()])]))
  return new Set(added.map(({ digest }) => byDigest.get(digest)!))
}

/** The newest unread notification of a user about an act. */
export function readOpenFold(tx: Tx, item: Pick<NewItem, 'user_id' | 'organization_id' | 'fold' | 'in_inbox'>) {
  const sql = `${selectSql} WHERE user_id = ? AND fold = ? AND read_at IS NULL AND organization_id IS ? AND in_inbox = ?
    ORDER BY seq DESC LIMIT 1`
  return tx.get(statement<ItemRow>(sql, [item.user_id, item.fold, item.organization_id, item.in_inbox]))
}

/** Adds records to a notification; one that is there keeps its fields and gets the new ones. */
export function putParts(
  tx: Tx,
  itemId: string,
  parts: readonly { readonly recordId: string; readonly fields: readonly string[] }[],
): void {
  const sql = `INSERT INTO notifications_part (item_id, record_id, fields)
    SELECT ?, value ->> 'recordId', value -> 'fields' FROM json_each(?) WHERE TRUE
    ON CONFLICT DO UPDATE SET fields = (SELECT json_group_array(value) FROM
      (SELECT value FROM json_each(notifications_part.fields) UNION SELECT value FROM json_each(excluded.fields)))`
  tx.run(statement(sql, [itemId, JSON.stringify(parts)]))
}

/** Stores other words of a notification about many records. */
export function rewriteItem(
  tx: Tx,
  item: Pick<NewItem, 'id' | 'title' | 'body' | 'data' | 'action_url' | 'quotes'>,
): void {
  const sql = `UPDATE notifications_item SET title = ?, body = ?, data = ?, action_url = ?, quotes = ?, record_id = NULL
    WHERE id = ?`
  tx.run(statement(sql, [item.title, item.body, item.data, item.action_url, item.quotes, item.id]))
}

/** Takes a record out of the notifications about many, and answers these as they are without it. */
export function takePartsAbout(tx: Tx, recordId: string): ItemRow[] {
  const sql = 'DELETE FROM notifications_part WHERE record_id = ? RETURNING item_id AS id'
  const items = tx.all(statement<{ id: string }>(sql, [recordId]))
  return items.map(({ id }) => tx.get(statement<ItemRow>(`${selectSql} WHERE id = ?`, [id]))!)
}

/** Takes away at most so many that were made before an instant and are read, or were mailed and shown nowhere. */
export function removeOldItems(tx: Tx, before: number, limit: number): number {
  const old = `SELECT seq FROM notifications_item INDEXED BY notifications_item_old
    WHERE created_at < ? AND (read_at IS NOT NULL OR in_inbox = 0) LIMIT ?`
  return tx.run(statement(`DELETE FROM notifications_item WHERE seq IN (${old})`, [before, limit])).changes
}

/** Forgets causes noted before an instant. */
export function forgetCauses(tx: Tx, before: number): void {
  tx.run(statement('DELETE FROM notifications_cause WHERE at < ?', [before]))
}

/** Unread and unmailed ones of a user since an instant, oldest first; shown ones and hidden ones. */
export function readForDigest(read: Read, userId: string, after: number): ItemRow[] {
  return read.all(
    statement<ItemRow>(
      `${selectSql} WHERE user_id = ? AND read_at IS NULL AND mailed_at IS NULL AND created_at >= ? ORDER BY seq`,
      [userId, after],
    ),
  )
}

/** Notes that the unread ones of a user until a place were mailed; those shown nowhere are done and go. */
export function markMailed(tx: Tx, userId: string, through: number, now: number): void {
  const where = 'user_id = ? AND seq <= ? AND mailed_at IS NULL'
  tx.run(statement(`DELETE FROM notifications_item WHERE ${where} AND in_inbox = 0`, [userId, through]))
  tx.run(statement(`UPDATE notifications_item SET mailed_at = ? WHERE ${where}`, [now, userId, through]))
}

/** Takes everything of a user away. */
export function forgetUser(tx: Tx, userId: string): void {
  forgetWays(tx, userId)
  for (const table of ['item', 'cause'])
    tx.run(statement(`DELETE FROM notifications_${table} WHERE user_id = ?`, [userId]))
}

/** Takes away where a user is told of notifications: devices, addresses, and what is on its way there. */
export function forgetWays(tx: Tx, userId: string): void {
  for (const table of ['preference', 'device', 'delivery'])
    tx.run(statement(`DELETE FROM notifications_${table} WHERE user_id = ?`, [userId]))
}

/** A stored key. */
export function readKey(read: Read, name: string): string | undefined {
  return read.get<{ value: string }>(statement('SELECT value FROM notifications_key WHERE name = ?', [name]))?.value
}

/** Stores a key. */
export function putKey(tx: Tx, name: string, value: string): void {
  tx.run(statement('INSERT INTO notifications_key (name, value) VALUES (?, ?)', [name, value]))
}
