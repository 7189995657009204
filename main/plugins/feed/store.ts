// SQL of facts and items: writing them, finding one, pages of them, and taking away what belonged to a record or object.
// Lists are answered as statements, because large ones run in a process of their own.
import type { PlatformEvent } from '#shared/events.ts'
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Fact } from './service/facts.ts'
import type { Place } from './service/place.ts'
import { placeSql, placeValues } from './service/place.ts'
import type { FactRow, ItemRow } from './service/row-types.ts'
import { factColumns, itemColumns } from './service/row-types.ts'
import type { Condition } from './service/viewer-store.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** Adds a fact. */
export function insertFact(
  tx: Pick<Tx, 'run'>,
  { object, recordId }: Place,
  id: string,
  fact: Fact,
  event: Pick<PlatformEvent, 'timestamp' | 'actor' | 'source' | 'requestId' | 'causeEventId' | 'depth'>,
): void {
  tx.run(
    statement(
      `INSERT INTO feed_fact (object, record_id, id, at, action, actor_type, actor_id, source, changes, flags,
         request_id, cause_event_id, depth)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        object,
        recordId,
        id,
        event.timestamp,
        fact.action,
        event.actor.type,
        event.actor.id,
        event.source,
        JSON.stringify(fact.changes),
        fact.flags,
        event.requestId,
        event.causeEventId ?? null,
        event.depth === 0 ? null : event.depth,
      ],
    ),
  )
}

/** Those of the records that have a fact of somebody but the system after they were made. */
export function readChangedByPeople(read: Reader, object: string, ids: readonly string[]): Set<string> {
  const sql = `SELECT DISTINCT record_id FROM feed_fact WHERE object = ? AND record_id IN (SELECT value FROM json_each(?))
    AND action <> 'create' AND actor_id <> 'system'`
  const rows = read.all(statement<{ record_id: string }>(sql, [object, JSON.stringify(ids)]))
  return new Set(rows.map((row) => row.record_id))
}

/** The changes a fact tells of, as they are stored; undefined when there is none of the id. */
export function readFactChanges(read: Reader, { object, recordId }: Place, id: string): string | undefined {
  const sql = 'SELECT changes FROM feed_fact WHERE object = ? AND record_id = ? AND id = ?'
  return read.get(statement<{ changes: string }>(sql, [object, recordId, id]))?.changes
}

/** Stores other changes of a fact. */
export function replaceFactChanges(
  tx: Pick<Tx, 'run'>,
  { object, recordId }: Place,
  id: string,
  changes: string,
): void {
  const sql = 'UPDATE feed_fact SET changes = ? WHERE object = ? AND record_id = ? AND id = ?'
  tx.run(statement(sql, [changes, object, recordId, id]))
}

/** An item before it has a number. */
export type NewItem = Omit<ItemRow, 'number' | 'is_deleted'>

/** Adds an item and answers its number. */
export function insertItem(tx: Pick<Tx, 'run'>, place: Place, item: NewItem): number {
  const { lastInsertRowid } = tx.run(
    statement(
      `INSERT INTO feed_item (object, record_id, id, type, actor_type, actor_id, source, body, mentions, attachments,
         data, parent_id, visibility, created_at, updated_at, edited_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...placeValues(place),
        item.id,
        item.type,
        item.actor_type,
        item.actor_id,
        item.source,
        item.body,
        item.mentions,
        item.attachments,
        item.data,
        item.parent_id,
        item.visibility,
        item.created_at,
        item.updated_at,
        item.edited_at,
      ],
    ),
  )
  return Number(lastInsertRowid)
}

/** Stores what a client may change of an item. */
export function updateItem(
  tx: Pick<Tx, 'run'>,
  item: Pick<ItemRow, 'number' | 'body' | 'mentions' | 'data' | 'visibility' | 'updated_at' | 'edited_at'>,
): void {
  tx.run(
    statement(
      `UPDATE feed_item SET body = ?, mentions = ?, data = ?, visibility = ?, updated_at = ?, edited_at = ?
       WHERE number = ?`,
      [item.body, item.mentions, item.data, item.visibility, item.updated_at, item.edited_at, item.number],
    ),
  )
}

/** Leaves a stub of an item: everything it said is gone, its place stays for its replies. */
export function emptyItem(tx: Pick<Tx, 'run'>, number: number, mentions: string, at: string): void {
  tx.run(
    statement(
      `UPDATE feed_item SET body = NULL, mentions = ?, attachments = '[]', data = NULL, updated_at = ?, is_deleted = 1
       WHERE number = ?`,
      [mentions, at, number],
    ),
  )
}

/** Removes an item. */
export function deleteItem(tx: Pick<Tx, 'run'>, number: number): void {
  tx.run(statement('DELETE FROM feed_item WHERE number = ?', [number]))
}

/** One item of a record, whoever may see it. */
export function readItem(read: Pick<Reads, 'get'>, place: Place, id: string): ItemRow | undefined {
  return read.get(
    statement<ItemRow>(`SELECT ${itemColumns} FROM feed_item AS i WHERE ${placeSql} AND id = ?`, [
      ...placeValues(place),
      id,
    ]),
  )
}

/** One item of a record that passes a condition. */
export function readSeenItem(read: Pick<Reads, 'get'>, place: Place, id: string, seen: Condition): ItemRow | undefined {
  const sql = `SELECT ${itemColumns} FROM feed_item AS i WHERE ${placeSql} AND i.id = ? AND ${seen.sql}`
  return read.get(statement<ItemRow>(sql, [...placeValues(place), id, ...seen.values]))
}

/** One fact of a record that passes a condition. */
export function readSeenFact(read: Pick<Reads, 'get'>, place: Place, id: string, seen: Condition): FactRow | undefined {
  const sql = `SELECT ${factColumns} FROM feed_fact AS f WHERE ${placeSql} AND f.id = ? AND ${seen.sql}`
  return read.get(statement<FactRow>(sql, [...placeValues(place), id, ...seen.values]))
}

/** Facts of a record, newest first, older than an id. */
export function factsBelow(
  place: Place,
  conditions: readonly Condition[],
  below: string | null,
  limit: number,
): Statement<FactRow> {
  const { sql, values } = where(place, conditions, below === null ? [] : [{ sql: 'f.id < ?', values: [below] }])
  return statement(`SELECT ${factColumns} FROM feed_fact AS f WHERE ${sql} ORDER BY f.id DESC LIMIT (? + 0)`, [
    ...values,
    limit,
  ])
}

/** Items of a record, newest first, older than an id. */
export function itemsBelow(
  place: Place,
  conditions: readonly Condition[],
  below: string | null,
  limit: number,
): Statement<ItemRow> {
  const { sql, values } = where(place, conditions, below === null ? [] : [{ sql: 'i.id < ?', values: [below] }])
  return statement(`SELECT ${itemColumns} FROM feed_item AS i WHERE ${sql} ORDER BY i.id DESC LIMIT (? + 0)`, [
    ...values,
    limit,
  ])
}

/** How many facts of a record pass. */
export function countFacts(place: Place, conditions: readonly Condition[]): Statement<{ total: number }> {
  const { sql, values } = where(place, conditions)
  return statement(`SELECT count(*) AS total FROM feed_fact AS f WHERE ${sql}`, values)
}

/** How many items of a record pass. */
export function countItems(place: Place, conditions: readonly Condition[]): Statement<{ total: number }> {
  const { sql, values } = where(place, conditions)
  return statement(`SELECT count(*) AS total FROM feed_item AS i WHERE ${sql}`, values)
}

/** Whether a record has more facts or items than a number. */
export function hasMoreThan(read: Pick<Reads, 'get'>, place: Place, most: number): boolean {
  const counted = (table: string): string =>
    `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${placeSql} LIMIT ${most + 1}))`
  const sql = `SELECT ${counted('feed_fact')} + ${counted('feed_item')} AS n`
  return read.get(statement<{ n: number }>(sql, [...placeValues(place), ...placeValues(place)]))!.n > most
}

/** Whether an item has replies that were not deleted. */
export function hasReplies(read: Pick<Reads, 'get'>, place: Place, id: string): boolean {
  const sql = `SELECT 1 FROM feed_item WHERE ${placeSql} AND parent_id = ? AND is_deleted = 0 LIMIT 1`
  return read.get(statement(sql, [...placeValues(place), id])) !== undefined
}

/** Numbers of undeleted replies by the item they answer, of those that pass. */
export function replyCounts(place: Place, ids: string, seen: Condition): Statement<{ id: string; n: number }> {
  return statement(
    `SELECT i.parent_id AS id, count(*) AS n FROM feed_item AS i
     WHERE ${placeSql} AND i.parent_id IN (SELECT value FROM json_each(?)) AND i.is_deleted = 0 AND ${seen.sql}
     GROUP BY i.parent_id`,
    [...placeValues(place), ids, ...seen.values],
  )
}

/** Bodies of a record's items, with their numbers. */
export function readBodies(read: Pick<Reads, 'all'>, place: Place): { number: number; body: string }[] {
  return read.all(
    statement(`SELECT number, body FROM feed_item WHERE ${placeSql} AND body IS NOT NULL`, placeValues(place)),
  )
}

/** The tables that hold something of records. */
const tables = ['feed_fact', 'feed_item', 'feed_reaction', 'feed_pin', 'feed_star', 'feed_subscription'] as const

/** Removes everything of a record; the words of its items must have left the index before. */
export function deletePlace(tx: Pick<Tx, 'run'>, place: Place): void {
  for (const table of tables) tx.run(statement(`DELETE FROM ${table} WHERE ${placeSql}`, placeValues(place)))
}

/** A record of an object that something is kept of; undefined when nothing of the object is left. */
export function anyPlace(read: Reader, object: string): Place | undefined {
  for (const table of tables) {
    const sql = `SELECT record_id AS recordId FROM ${table} WHERE object = ? LIMIT 1`
    const found = read.get(statement<{ recordId: string }>(sql, [object]))
    if (found !== undefined) return { object, recordId: found.recordId }
  }
  return undefined
}

/** Notes that everything of an object is to go. */
export function addLeaving(tx: Pick<Tx, 'run'>, object: string): void {
  tx.run(statement('INSERT OR IGNORE INTO feed_leaving (object) VALUES (?)', [object]))
}

/** The objects of which everything is to go. */
export function readLeaving(read: Pick<Reads, 'all'>): string[] {
  return read.all(statement<{ object: string }>('SELECT object FROM feed_leaving')).map(({ object }) => object)
}

/** Notes that nothing of an object is left. */
export function removeLeaving(tx: Pick<Tx, 'run'>, object: string): void {
  tx.run(statement('DELETE FROM feed_leaving WHERE object = ?', [object]))
}

function where(
  place: Place,
  conditions: readonly Condition[],
  more: readonly Condition[] = [],
): { sql: string; values: unknown[] } {
  const all: readonly Condition[] = [{ sql: placeSql, values: placeValues(place) }, ...more, ...conditions]
  return { sql: all.map(({ sql }) => sql).join(' AND '), values: all.flatMap(({ values }) => [...values]) }
}
