// What other plugins may ask of the activity of records. Types only.
import type { z } from 'zod'
import type { FeedMention, FeedVisibility, clientFeedTypes, feedRoutes } from '#shared/contracts/feed.ts'
import type { Actor, ChangeSource } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'

/** An item the platform writes by itself (D-144). */
export interface SystemItemDraft {
  readonly object: string
  readonly recordId: string
  readonly type: 'approval' | 'sharing' | 'system'
  readonly body?: string
  readonly data?: Readonly<Record<string, unknown>>
  /** Default: the actor of the context. */
  readonly actor?: Actor
}

/** A value that stays as it is; object and field by their names. */
export interface KeptValue {
  readonly object: string
  readonly recordId: string
  readonly field: string
  readonly value: unknown
}

/** A record, by the uid of its object, which no rename changes. */
export interface FeedPlace {
  readonly object: string
  readonly recordId: string
}

/**
 * An item people write, with everything that belongs to it and to everybody: what machines tell each other of it. Items
 * the platform writes, stars and subscriptions do not travel.
 */
export interface TravellingItem {
  readonly id: string
  readonly type: (typeof clientFeedTypes)[number]
  readonly actor: Pick<Actor, 'type' | 'id'>
  readonly source: ChangeSource
  /** What it replies to; may be a fact, which only the machine has that wrote it. */
  readonly parentId: string | null
  readonly createdAt: string
  readonly body: string | null
  readonly mentions: readonly z.output<typeof FeedMention>[]
  readonly data: Readonly<Record<string, unknown>> | null
  readonly visibility: z.output<typeof FeedVisibility>
  readonly editedAt: string | null
  /** When it was deleted; of the rest, only who it was by and for is left then. */
  readonly deletedAt: string | null
  readonly reactions: readonly TravellingReaction[]
  readonly pin: { readonly userId: string; readonly at: string } | null
}

/** Somebody's reaction to an item. */
export interface TravellingReaction {
  readonly emoji: string
  readonly userId: string
  readonly at: string
}

/** What a plugin does in the transaction of a change of an item; what it throws rolls the change back. */
export interface ItemChangeAlong {
  before(tx: Tx): void
  after(tx: Tx): void
}

/** The activity service. */
export interface FeedService {
  /** Writes an item in the transaction of the change it tells of; nothing when the object has no feeds. */
  addSystemItem(tx: Tx, ctx: RequestContext, draft: SystemItemDraft): void
  /**
   * Notes in the history of a record that what stands in a field was decided for: an entry whose old and new values are
   * the same, with the source the context gives its entries. No item of the feed; nothing where no history is kept.
   */
  noteKept(tx: Tx, ctx: RequestContext, kept: KeptValue): void
  /**
   * Adds a comment that everybody sees who sees the record, as `POST /data/:object/:recordId/feed` does.
   * @throws resource_not_found, feed_permission_denied, validation_error
   */
  comment(
    ctx: RequestContext,
    record: { readonly object: string; readonly recordId: string },
    body: string,
  ): Promise<{ readonly feedId: string; readonly recordId: string; readonly createdAt: string }>
  /**
   * Changes an item of the caller's own, as `PUT /data/:object/:recordId/feed/:feedId` does.
   * @throws resource_not_found, feed_item_not_found, feed_permission_denied, feed_item_not_editable, validation_error
   */
  change(
    ctx: RequestContext,
    item: { readonly object: string; readonly recordId: string; readonly feedId: string },
    change: z.output<NonNullable<typeof feedRoutes.updateFeedItem.body>>,
    along?: ItemChangeAlong,
  ): Promise<void>
  /**
   * Those of the records that somebody but the system has changed since they were made, as their history says; null where
   * the object keeps none. @param object its name
   */
  changedByPeople(reads: Pick<Reads, 'all' | 'get'>, object: string, ids: readonly string[]): ReadonlySet<string> | null
  /** Whether a caller may see an item of a record at this moment; for whoever hands on events of feeds. Never throws. */
  sees(ctx: RequestContext, record: { readonly object: string; readonly recordId: string }, feedId: string): boolean
  /** The items of a record that travel, stubs too, oldest first; with ids only those of them that are there. */
  travelling(reads: Pick<Reads, 'all'>, place: FeedPlace, ids?: readonly string[]): TravellingItem[]
  /** The next records of an object that have items that travel, in the order of their ids, and how many each has. */
  travellingRecords(
    reads: Pick<Reads, 'all'>,
    object: string,
    after: string,
    limit: number,
  ): { readonly recordId: string; readonly items: number }[]
  /** How many items of an object travel. */
  travellingCount(reads: Pick<Reads, 'get'>, object: string): number
  /**
   * Makes items of a record as another machine has them: rows, words, subscriptions of people known here, and the events
   * of what changed, with the source of the context. Asks for no rights and mails nobody; doing it again changes nothing.
   * @param ctx of who made the change, with the source `sync`
   * @param options `past`: nobody is told of what is older than a day
   * @returns `later` when the object or the record is not here; nothing is done then
   */
  applyRemote(
    tx: Tx,
    ctx: RequestContext,
    place: FeedPlace,
    items: readonly TravellingItem[],
    options?: { readonly past?: boolean },
  ): 'done' | 'later'
  /** Takes who knows names of people without an account here: what they wrote on their machines is shown under them. */
  nameOthers(lookup: (id: string) => string | undefined): void
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    feed: FeedService
  }
}
