// The door for other machines: makes items, reactions and pins what they are elsewhere. Compares with the rows, so that
// whatever comes twice or late changes nothing, and raises the events of what did change. Knows no documents.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FeedService, TravellingItem } from '../api.ts'
import { deleteItem, emptyItem, hasReplies, insertItem, readItem, updateItem } from '../store.ts'
import { addWords, removeWords } from './body-word-store.ts'
import { parseEmoji } from './marks.ts'
import { announceItem, dropStub, namesOf } from './items.ts'
import { addPin, addReaction, pinsOf, readReactions, removeMarks, removePin, removeReaction } from './mark-store.ts'
import { mentionedUsers } from './mentions.ts'
import type { People } from './people.ts'
import type { RecordPlace } from './place.ts'
import type { ItemRow } from './row-types.ts'
import { mentionsOf } from './row-types.ts'
import { isTravelling } from './travelling-item-store.ts'

/** What the door works with. */
export interface RemoteParts {
  readonly clock: Clock
  readonly people: People
  /** The object of a uid. */
  readonly schemaOf: (uid: string) => ObjectSchema | undefined
  /** Subscribes users to a record who have no subscription and never ended one. */
  readonly subscribe: (tx: Tx, place: RecordPlace, userIds: readonly string[]) => void
}

/** People are not told of what is older than this when it comes with the past of a workspace. */
const newsMs = 24 * 60 * 60_000

/** One item on its way in. */
interface Arrival {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly place: RecordPlace
  readonly item: TravellingItem
  /** What its events say beside the item. */
  readonly more: Readonly<Record<string, unknown>>
}

/** Makes the door. */
export function createRemoteDoor(parts: RemoteParts): FeedService['applyRemote'] {
  const { clock, people } = parts

  const announce = (
    { tx, ctx, place, item, more }: Arrival,
    what: 'created' | 'updated' | 'deleted',
    row: ItemRow,
    extra: Readonly<Record<string, unknown>> = {},
  ): void => {
    if (!place.schema.enable.feeds) return
    const { id, type } = item.actor
    // Of many items at once, each is news of who wrote it; its changes are news of who sent them.
    const isAuthor = ctx.actor.type === type && ctx.actor.id === id
    const told = what === 'created' && !isAuthor ? { ...ctx, actor: item.actor } : ctx
    announceItem(people, tx, told, place, `feed.item.${what}`, row, { ...more, ...extra })
  }

  const subscribe = ({ tx, place, item }: Arrival, users: readonly string[]): void =>
    parts.subscribe(
      tx,
      place,
      [...users, ...mentionedUsers(item.mentions)].filter((id) => people.find(id) !== undefined),
    )

  const insert = (arrival: Arrival): ItemRow => {
    const { tx, place, item } = arrival
    const row = rowOf(item)
    const number = insertItem(tx, place, row)
    addWords(tx, place, number, row.body)
    subscribe(arrival, item.actor.type === 'user' ? [item.actor.id] : [])
    const stored: ItemRow = { ...row, number, is_deleted: 0 }
    announce(arrival, 'created', stored)
    return stored
  }

  const change = (arrival: Arrival, present: ItemRow): ItemRow => {
    const { tx, place, item } = arrival
    const { body, mentions, data, visibility, updated_at, edited_at } = rowOf(item)
    const dataBefore: unknown = present.data === null ? null : JSON.parse(present.data)
    const isSame =
      body === present.body &&
      isDeepStrictEqual(item.mentions, mentionsOf(present)) &&
      isDeepStrictEqual(item.data, dataBefore) &&
      visibility === present.visibility &&
      edited_at === present.edited_at
    if (isSame) return present
    const next: ItemRow = { ...present, body, mentions, data, visibility, updated_at, edited_at }
    updateItem(tx, next)
    if (body !== present.body) {
      removeWords(tx, place, present.number, present.body)
      addWords(tx, place, present.number, body)
    }
    subscribe(arrival, [])
    announce(arrival, 'updated', next)
    return next
  }

  /** A deleted item leaves a stub exactly where somebody has replied to it (D-138). */
  const remove = (arrival: Arrival, present: ItemRow | undefined): void => {
    const { tx, place, item } = arrival
    const at = item.deletedAt!
    const keepsPlace = hasReplies(tx, place, item.id)
    const names = namesOf(item.mentions)
    if (present === undefined) {
      if (!keepsPlace) return
      emptyItem(tx, insertItem(tx, place, { ...rowOf(item), body: null, data: null, mentions: names }), names, at)
      return
    }
    const wasThere = present.is_deleted === 0
    if (wasThere) {
      removeWords(tx, place, present.number, present.body)
      removeMarks(tx, place, present.id)
    }
    if (!keepsPlace) deleteItem(tx, present.number)
    else {
      if (present.visibility !== item.visibility || present.edited_at !== item.editedAt)
        updateItem(tx, { ...present, visibility: item.visibility, edited_at: item.editedAt })
      emptyItem(tx, present.number, names, at)
    }
    dropStub(tx, place, present.parent_id)
    if (!wasThere) return
    const gone = { ...present, body: null, data: null, attachments: '[]', updated_at: at, is_deleted: 1 }
    announce(arrival, 'deleted', gone)
  }

  const react = ({ tx, ctx, place, item }: Arrival): void => {
    const wanted = item.reactions.filter(({ emoji }) => parseEmoji(emoji) === emoji)
    const keyOf = (one: { emoji: string; userId: string }): string => JSON.stringify([one.emoji, one.userId])
    const present = new Map(readReactions(tx, place, item.id).map((one) => [keyOf(one), one]))
    const tell = (what: 'added' | 'removed', emoji: string, userId: string): void => {
      if (!place.schema.enable.feeds) return
      const payload = { feedId: item.id, emoji, userId, visibility: item.visibility }
      tx.emit(ctx, {
        type: `feed.reaction.${what}`,
        object: place.schema.name,
        recordId: place.recordId,
        payload,
      })
    }
    for (const { emoji, userId, at } of wanted) {
      const before = present.get(keyOf({ emoji, userId }))
      present.delete(keyOf({ emoji, userId }))
      if (before?.at === at) continue
      const one = { itemId: item.id, emoji, userId }
      if (before !== undefined) removeReaction(tx, place, one)
      addReaction(tx, place, one, at)
      if (before === undefined) tell('added', emoji, userId)
    }
    for (const { emoji, userId } of present.values()) {
      removeReaction(tx, place, { itemId: item.id, emoji, userId })
      tell('removed', emoji, userId)
    }
  }

  const pin = (arrival: Arrival, row: ItemRow): void => {
    const { tx, place, item } = arrival
    const [before] = tx.all(pinsOf(place, JSON.stringify([item.id])))
    if (before?.userId === item.pin?.userId && before?.at === item.pin?.at) return
    removePin(tx, place, item.id)
    if (item.pin !== null) addPin(tx, place, { itemId: item.id, ...item.pin })
    if ((before === undefined) !== (item.pin === null)) announce(arrival, 'updated', row, { pinned: item.pin !== null })
  }

  const take = (arrival: Arrival): void => {
    const { tx, place, item } = arrival
    const present = readItem(tx, place, item.id)
    if (item.deletedAt !== null) return remove(arrival, present)
    // What is deleted stays deleted.
    if (present?.is_deleted === 1) return
    const row = present === undefined ? insert(arrival) : change(arrival, present)
    react(arrival)
    pin(arrival, row)
  }

  return (tx, ctx, { object, recordId }, items, { past = false } = {}) => {
    const schema = parts.schemaOf(object)
    if (schema === undefined || !isStored(tx, schema, recordId)) return 'later'
    const place: RecordPlace = { object, recordId, schema }
    const since = new Date(clock.now() - newsMs).toISOString()
    for (const item of items.filter(({ type }) => isTravelling(type)).toSorted((a, b) => turnOf(a) - turnOf(b))) {
      const isOld = past && (item.editedAt ?? item.createdAt) < since
      take({ tx, ctx, place, item, more: isOld ? { quiet: true } : {} })
    }
    return 'done'
  }
}

/** What is replied to comes before its replies, and goes after them. */
function turnOf({ deletedAt, parentId }: TravellingItem): number {
  if (deletedAt === null) return parentId === null ? 0 : 1
  return parentId === null ? 3 : 2
}

function rowOf(item: TravellingItem): Omit<ItemRow, 'number' | 'is_deleted'> {
  return {
    id: item.id,
    type: item.type,
    actor_type: item.actor.type,
    actor_id: item.actor.id,
    source: item.source,
    body: item.body,
    mentions: JSON.stringify(item.mentions),
    attachments: '[]',
    data: item.data === null ? null : JSON.stringify(item.data),
    parent_id: item.parentId,
    visibility: item.visibility,
    created_at: item.createdAt,
    updated_at: item.editedAt ?? item.createdAt,
    edited_at: item.editedAt,
  }
}
