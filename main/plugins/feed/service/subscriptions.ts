// Who hears of a record (D-142). Owners are subscribed without a row, so that creating a record costs nothing; a row says
// otherwise, also that somebody ended it.
import { hash } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { readCreatedAt } from '#main/database/query/object-rows.ts'
import { feedError } from '../errors.ts'
import { requireLive } from './items.ts'
import type { Place, RecordPlace } from './place.ts'
import type { StoredSubscription, SubscriptionView } from './subscription-store.ts'
import { addSubscription, putSubscription, readSubscription, readSubscriptions } from './subscription-store.ts'

/** A record with its owner. */
export type OwnedPlace = RecordPlace & { readonly owner: string | null }

/** What a subscription asks for. */
export type SubscriptionInput = Pick<SubscriptionView, 'events' | 'channels'>

/** What subscriptions work with. */
export interface SubscriptionParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly known: SubscribedRecords
}

/** The operations. */
export interface Subscriptions {
  /** @throws subscription_already_exists with `onlyNew` */
  put(ctx: RequestContext, place: OwnedPlace, input: SubscriptionInput, onlyNew: boolean): Promise<SubscriptionView>
  /** @throws subscription_not_found */
  get(ctx: RequestContext, place: OwnedPlace): SubscriptionView
  /** @throws subscription_not_found */
  end(ctx: RequestContext, place: OwnedPlace): Promise<void>
  /** Subscribes users who have no subscription and never ended one. */
  addAll(tx: Tx, place: Place, userIds: readonly string[]): void
  /** Every subscription in force, that of the owner too. */
  inForce(place: Place, owner: string | null): Pick<StoredSubscription, 'userId' | 'events' | 'channels'>[]
  /** The users who ended their subscription to a record. */
  ended(place: Place): ReadonlySet<string>
}

const usual: SubscriptionInput = { events: ['all'], channels: ['in_app'] }

/** Makes the operations. */
export function createSubscriptions({ read, write, clock, ids, known }: SubscriptionParts): Subscriptions {
  /** The subscription a user has; the one an owner has without a row included. */
  const present = (reader: Pick<Reads, 'get'>, place: OwnedPlace, userId: string): StoredSubscription | undefined => {
    const stored = readSubscription(reader, place, userId)
    if (stored !== undefined) return stored.active ? stored : undefined
    if (place.owner !== userId) return undefined
    const since = readCreatedAt(reader, place.schema, place.recordId) ?? clock.iso()
    return { ...usual, id: impliedId(place, userId), userId, active: true, createdAt: since, updatedAt: since }
  }

  return {
    put(ctx, place, input, onlyNew) {
      const userId = ctx.actor.id
      return write('feed.subscribe', (tx) => {
        requireLive(tx, place)
        const before = present(tx, place, userId)
        if (before !== undefined && onlyNew) throw feedError('subscription_already_exists')
        const now = clock.iso()
        const next: StoredSubscription = {
          id: before?.id ?? ids.uuid(),
          userId,
          events: [...new Set(input.events)],
          channels: [...new Set(input.channels)],
          active: true,
          createdAt: before?.createdAt ?? now,
          updatedAt: now,
        }
        putSubscription(tx, place, next)
        known.add(place.recordId)
        return viewOf(place, next)
      })
    },
    get(ctx, place) {
      const found = present(read, place, ctx.actor.id)
      if (found === undefined) throw feedError('subscription_not_found')
      return viewOf(place, found)
    },
    end(ctx, place) {
      return write('feed.unsubscribe', (tx) => {
        const found = present(tx, place, ctx.actor.id)
        if (found === undefined) throw feedError('subscription_not_found')
        putSubscription(tx, place, { ...found, active: false, updatedAt: clock.iso() })
      })
    },
    addAll(tx, place, userIds) {
      const now = clock.iso()
      for (const userId of new Set(userIds))
        addSubscription(tx, place, { ...usual, id: ids.uuid(), userId, active: true, createdAt: now, updatedAt: now })
      if (userIds.length > 0) known.add(place.recordId)
    },
    inForce(place, owner) {
      const stored = readSubscriptions(read, place)
      const implied = owner !== null && !stored.some(({ userId }) => userId === owner)
      return [...stored.filter(({ active }) => active), ...(implied ? [{ ...usual, userId: owner }] : [])]
    },
    ended: (place) => new Set(readSubscriptions(read, place).flatMap(({ active, userId }) => (active ? [] : [userId]))),
  }
}

function viewOf({ schema, recordId }: RecordPlace, stored: StoredSubscription): SubscriptionView {
  return { ...stored, object: schema.name, recordId }
}

/** The same for the same record and user: a UUID of version 8. */
function impliedId({ object, recordId }: Place, userId: string): string {
  const hex = hash('sha256', JSON.stringify([object, recordId, userId]), 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Remembers records. */
export interface SubscribedRecords {
  add(recordId: string): void
  /** False only for records that were never added. */
  mayHave(recordId: string): boolean
}

/** The last five hexadecimal digits of an id are random: 2^20 groups, 128 kB. */
const digits = 5

/** Makes an empty memory. */
export function createSubscribedRecords(): SubscribedRecords {
  const bits = new Uint8Array(16 ** digits / 8)
  const groupOf = (recordId: string): number => Number.parseInt(recordId.slice(-digits), 16)
  return {
    add(recordId) {
      const group = groupOf(recordId)
      bits[group >> 3]! |= 1 << (group & 7)
    },
    mayHave(recordId) {
      const group = groupOf(recordId)
      return (bits[group >> 3]! & (1 << (group & 7))) !== 0
    },
  }
}
