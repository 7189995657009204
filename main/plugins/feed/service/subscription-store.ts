// SQL of subscriptions. A row with `active` 0 remembers that somebody does not want to hear of a record.
import type { FeedSubscription } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Place } from './place.ts'
import { placeSql, placeValues } from './place.ts'

/** A subscription as the API shows it. */
export type SubscriptionView = z.output<typeof FeedSubscription>

/** What a user wants to hear of. */
export type SubscriptionWord = SubscriptionView['events'][number]

/** A stored subscription, without its place. */
export type StoredSubscription = Pick<
  SubscriptionView,
  'id' | 'userId' | 'events' | 'channels' | 'active' | 'createdAt' | 'updatedAt'
>

interface Row {
  user_id: string
  id: string
  events: string
  channels: string
  active: number
  created_at: string
  updated_at: string
}

const columns = 'user_id, id, events, channels, active, created_at, updated_at'

/** The subscription of a user to a record, ended ones too. */
export function readSubscription(
  read: Pick<Reads, 'get'>,
  place: Place,
  userId: string,
): StoredSubscription | undefined {
  const sql = `SELECT ${columns} FROM feed_subscription WHERE ${placeSql} AND user_id = ?`
  const row = read.get(statement<Row>(sql, [...placeValues(place), userId]))
  return row === undefined ? undefined : toSubscription(row)
}

/** Every subscription to a record, ended ones too. */
export function readSubscriptions(read: Pick<Reads, 'all'>, place: Place): StoredSubscription[] {
  const sql = `SELECT ${columns} FROM feed_subscription WHERE ${placeSql} ORDER BY created_at, user_id`
  return read.all(statement<Row>(sql, placeValues(place))).map(toSubscription)
}

/** Creates or replaces a subscription. */
export function putSubscription(tx: Pick<Tx, 'run'>, place: Place, subscription: StoredSubscription): void {
  tx.run(
    statement(
      `INSERT OR REPLACE INTO feed_subscription (object, record_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [...placeValues(place), ...valuesOf(subscription)],
    ),
  )
}

/** Creates a subscription where the user has none and never ended one. */
export function addSubscription(tx: Pick<Tx, 'run'>, place: Place, subscription: StoredSubscription): void {
  tx.run(
    statement(
      `INSERT OR IGNORE INTO feed_subscription (object, record_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [...placeValues(place), ...valuesOf(subscription)],
    ),
  )
}

/** The records with subscriptions that are in force, each once, in no order. */
export function subscribedRecords(read: Pick<Reads, 'slices'>): AsyncIterable<Place[]> {
  return read.slices<Place>((last) =>
    statement(
      `SELECT DISTINCT object, record_id AS recordId FROM feed_subscription
       WHERE active = 1 AND (object, record_id) > (?, ?) ORDER BY object, record_id LIMIT 1000`,
      [last?.object ?? '', last?.recordId ?? ''],
    ),
  )
}

function valuesOf(given: StoredSubscription): unknown[] {
  return [
    given.userId,
    given.id,
    JSON.stringify(given.events),
    JSON.stringify(given.channels),
    given.active ? 1 : 0,
    given.createdAt,
    given.updatedAt,
  ]
}

function toSubscription(row: Row): StoredSubscription {
  return {
    id: row.id,
    userId: row.user_id,
    events: JSON.parse(row.events) as SubscriptionView['events'],
    channels: JSON.parse(row.channels) as SubscriptionView['channels'],
    active: row.active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
