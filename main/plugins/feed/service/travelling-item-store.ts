// Items as machines tell each other of them, read from the rows. Knows who may see nothing: everything travels.
import type { ChangeSource } from '#shared/events.ts'
import { clientFeedTypes } from '#shared/contracts/feed.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { TravellingItem } from '../api.ts'
import type { MarkRow } from './mark-store.ts'
import { pinsOf, reactionsTo } from './mark-store.ts'
import type { Place } from './place.ts'
import { placeSql, placeValues } from './place.ts'
import type { ItemRow } from './row-types.ts'
import { itemColumns, mentionsOf } from './row-types.ts'

/** Types in SQL: words of the contract, no input. */
const travels = `type IN (${clientFeedTypes.map((type) => `'${type}'`).join(', ')})`

/** Whether items of a type travel: those that people write, as the platform's own tell of this machine. */
export function isTravelling(type: string): type is TravellingItem['type'] {
  return (clientFeedTypes as readonly string[]).includes(type)
}

/** @see FeedService.travelling */
export function travellingItems(
  reads: Pick<Reads, 'all'>,
  place: Place,
  ids: readonly string[] | undefined,
): TravellingItem[] {
  const named = ids === undefined ? '' : 'AND id IN (SELECT value FROM json_each(?))'
  const rows = reads.all(
    statement<ItemRow>(
      `SELECT ${itemColumns} FROM feed_item AS i WHERE ${placeSql} AND ${travels} ${named} ORDER BY i.id`,
      [...placeValues(place), ...(ids === undefined ? [] : [JSON.stringify(ids)])],
    ),
  )
  if (rows.length === 0) return []
  const found = JSON.stringify(rows.map(({ id }) => id))
  const reactions = Map.groupBy(reads.all(reactionsTo(place, found)), ({ itemId }) => itemId)
  const pins = new Map(reads.all(pinsOf(place, found)).map((pin) => [pin.itemId, pin]))
  return rows.map((row) => ({
    id: row.id,
    type: row.type as TravellingItem['type'],
    actor: { type: row.actor_type as TravellingItem['actor']['type'], id: row.actor_id },
    source: row.source as ChangeSource,
    parentId: row.parent_id,
    createdAt: row.created_at,
    body: row.body,
    mentions: mentionsOf(row),
    data: row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>),
    visibility: row.visibility,
    editedAt: row.edited_at,
    deletedAt: row.is_deleted === 1 ? row.updated_at : null,
    reactions: (reactions.get(row.id) ?? []).map(({ emoji, userId, at }) => ({ emoji, userId, at })),
    pin: pinOf(pins.get(row.id)),
  }))
}

/** @see FeedService.travellingRecords */
export function travellingRecords(
  reads: Pick<Reads, 'all'>,
  object: string,
  after: string,
  limit: number,
): { recordId: string; items: number }[] {
  const sql = `SELECT record_id AS recordId, count(*) AS items FROM feed_item
    WHERE object = ? AND record_id > ? AND ${travels} GROUP BY record_id ORDER BY record_id LIMIT ?`
  return reads.all(statement<{ recordId: string; items: number }>(sql, [object, after, limit]))
}

/** @see FeedService.travellingCount */
export function travellingCount(reads: Pick<Reads, 'get'>, object: string): number {
  const sql = `SELECT count(*) AS n FROM feed_item WHERE object = ? AND ${travels}`
  return reads.get(statement<{ n: number }>(sql, [object]))!.n
}

function pinOf(pin: MarkRow | undefined): TravellingItem['pin'] {
  return pin === undefined ? null : { userId: pin.userId, at: pin.at }
}
