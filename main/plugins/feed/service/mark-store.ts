// SQL of what people attach to items: reactions, pins and stars.
import type { Reads, Statement, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Place } from './place.ts'
import { placeSql, placeValues } from './place.ts'
import type { Condition } from './viewer-store.ts'

/** One reaction of one user. */
export interface ReactionRow {
  readonly itemId: string
  readonly emoji: string
  readonly userId: string
}

/** A reaction with when it was given. */
export interface GivenReaction extends ReactionRow {
  readonly at: string
}

/** Who pinned or starred an item, and when. */
export interface MarkRow {
  readonly itemId: string
  readonly userId: string
  readonly at: string
}

/** Adds a reaction. @returns false when it is there already */
export function addReaction(tx: Tx, place: Place, { itemId, emoji, userId }: ReactionRow, at: string): boolean {
  const sql = `INSERT OR IGNORE INTO feed_reaction (object, record_id, item_id, emoji, user_id, at)
    VALUES (?, ?, ?, ?, ?, ?)`
  return tx.run(statement(sql, [...placeValues(place), itemId, emoji, userId, at])).changes > 0
}

/** Removes a reaction. @returns false when there is none */
export function removeReaction(tx: Tx, place: Place, { itemId, emoji, userId }: ReactionRow): boolean {
  const sql = `DELETE FROM feed_reaction WHERE ${placeSql} AND item_id = ? AND emoji = ? AND user_id = ?`
  return tx.run(statement(sql, [...placeValues(place), itemId, emoji, userId])).changes > 0
}

/** Pins an item. @returns false when it is pinned */
export function addPin(tx: Tx, place: Place, { itemId, userId, at }: MarkRow): boolean {
  const sql = 'INSERT OR IGNORE INTO feed_pin (object, record_id, item_id, user_id, at) VALUES (?, ?, ?, ?, ?)'
  return tx.run(statement(sql, [...placeValues(place), itemId, userId, at])).changes > 0
}

/** Takes a pin away. @returns false when there is none */
export function removePin(tx: Tx, place: Place, itemId: string): boolean {
  const sql = `DELETE FROM feed_pin WHERE ${placeSql} AND item_id = ?`
  return tx.run(statement(sql, [...placeValues(place), itemId])).changes > 0
}

/** Stars an item for a user. @returns false when the user has starred it */
export function addStar(tx: Tx, place: Place, { itemId, userId, at }: MarkRow): boolean {
  const sql = 'INSERT OR IGNORE INTO feed_star (object, record_id, item_id, user_id, at) VALUES (?, ?, ?, ?, ?)'
  return tx.run(statement(sql, [...placeValues(place), itemId, userId, at])).changes > 0
}

/** Takes a user's star away. @returns false when there is none */
export function removeStar(tx: Tx, place: Place, itemId: string, userId: string): boolean {
  const sql = `DELETE FROM feed_star WHERE ${placeSql} AND item_id = ? AND user_id = ?`
  return tx.run(statement(sql, [...placeValues(place), itemId, userId])).changes > 0
}

/** Removes everything that is attached to an item. */
export function removeMarks(tx: Tx, place: Place, itemId: string): void {
  for (const table of ['feed_reaction', 'feed_pin', 'feed_star'])
    tx.run(statement(`DELETE FROM ${table} WHERE ${placeSql} AND item_id = ?`, [...placeValues(place), itemId]))
}

/** Reactions to items of a record, oldest first. @param ids JSON array */
export function reactionsTo(place: Place, ids: string): Statement<GivenReaction> {
  return statement(
    `SELECT item_id AS itemId, emoji, user_id AS userId, at FROM feed_reaction
     WHERE ${placeSql} AND item_id IN (SELECT value FROM json_each(?)) ORDER BY at, emoji, user_id`,
    [...placeValues(place), ids],
  )
}

/** Pins of items of a record. @param ids JSON array */
export function pinsOf(place: Place, ids: string): Statement<MarkRow> {
  return statement(
    `SELECT item_id AS itemId, user_id AS userId, at FROM feed_pin
     WHERE ${placeSql} AND item_id IN (SELECT value FROM json_each(?))`,
    [...placeValues(place), ids],
  )
}

/** Stars of a user on items of a record. @param ids JSON array */
export function starsOf(place: Place, ids: string, userId: string): Statement<MarkRow> {
  return statement(
    `SELECT item_id AS itemId, user_id AS userId, at FROM feed_star
     WHERE ${placeSql} AND item_id IN (SELECT value FROM json_each(?)) AND user_id = ?`,
    [...placeValues(place), ids, userId],
  )
}

/** The reactions to one item, as writes see them. */
export function readReactions(read: Pick<Reads, 'all'>, place: Place, itemId: string): GivenReaction[] {
  return read.all(reactionsTo(place, JSON.stringify([itemId])))
}

/** The condition that an item, under an alias, has a mark of a table; under the alias `k` the mark may have to meet more. */
export function markedAs(alias: string, table: string, more: Condition = { sql: '', values: [] }): Condition {
  return {
    sql: `EXISTS (SELECT 1 FROM ${table} AS k
      WHERE k.object = ${alias}.object AND k.record_id = ${alias}.record_id AND k.item_id = ${alias}.id${more.sql})`,
    values: more.values,
  }
}
