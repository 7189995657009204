// Facts and items as the API shows them (D-136): stored members, and those that are the caller's own.
import type { FeedReaction } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { replyCounts } from '../store.ts'
import type { DisplayParts } from './display-values.ts'
import type { ReactionRow } from './mark-store.ts'
import { pinsOf, reactionsTo, starsOf } from './mark-store.ts'
import type { Person } from './people.ts'
import { actorView } from './people.ts'
import type { RecordPlace } from './place.ts'
import type { FactRow, FeedEntry, FeedItemView, ItemRow } from './row-types.ts'
import { changesOf, itemTypeOf, mentionsOf } from './row-types.ts'
import { showChanges } from './show-changes.ts'
import type { Viewer } from './viewer-store.ts'

/** What showing works with. */
export interface ShowParts extends DisplayParts {
  readonly read: Reads
}

/** The members of an item that are the same for everybody. */
export type StoredItemView = Omit<
  FeedItemView,
  'reactions' | 'replyCount' | 'pinned' | 'pinnedAt' | 'pinnedBy' | 'starred' | 'starredAt' | 'changes'
>

/** An item without what depends on the caller; events carry it. */
export function storedItemView(
  { schema, recordId }: RecordPlace,
  row: ItemRow,
  people: ReadonlyMap<string, Person>,
): StoredItemView {
  const isDeleted = row.is_deleted === 1
  return {
    id: row.id,
    type: row.type,
    object: schema.name,
    recordId,
    actor: actorView(row, people),
    ...(row.body === null ? {} : { body: row.body }),
    mentions: isDeleted ? [] : [...mentionsOf(row)],
    attachments: JSON.parse(row.attachments) as FeedItemView['attachments'],
    ...(row.data === null ? {} : { data: JSON.parse(row.data) as Record<string, unknown> }),
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    visibility: row.visibility,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.edited_at === null ? {} : { editedAt: row.edited_at }),
    isEdited: row.edited_at !== null,
    isDeleted,
  }
}

/** Shows entries of one record, in the order given. */
export async function showEntries(
  parts: ShowParts,
  ctx: RequestContext,
  place: RecordPlace,
  viewer: Viewer,
  entries: readonly FeedEntry[],
): Promise<FeedItemView[]> {
  if (entries.length === 0) return []
  // What a record was made with is the changelog's to tell, and too much for a feed.
  const facts = entries.flatMap(({ kind, row }) =>
    kind === 'fact' && itemTypeOf(row.action) === 'field_change' ? [row] : [],
  )
  const lists = await showChanges(parts, ctx, place.schema, facts.map(changesOf), viewer.feedFields)
  const changes = new Map(facts.map((row, at) => [row.id, lists[at]!]))
  return showWith(parts.read, parts, ctx, place, viewer, entries, changes)
}

/** The same at once, for entries without changes or with these; `read` may be a transaction. */
export function showWith(
  read: Pick<Reads, 'all'>,
  parts: Pick<ShowParts, 'people'>,
  ctx: RequestContext,
  place: RecordPlace,
  viewer: Viewer,
  entries: readonly FeedEntry[],
  changes: ReadonlyMap<string, NonNullable<FeedItemView['changes']>> = new Map(),
): FeedItemView[] {
  const people = parts.people.findAll(entries.flatMap(({ row }) => (row.actor_type === 'user' ? [row.actor_id] : [])))
  const ids = JSON.stringify(entries.map(({ id }) => id))
  const reactions = Map.groupBy(read.all(reactionsTo(place, ids)), ({ itemId }) => itemId)
  const pins = new Map(read.all(pinsOf(place, ids)).map((row) => [row.itemId, row]))
  const stars = new Map(read.all(starsOf(place, ids, ctx.actor.id)).map((row) => [row.itemId, row]))
  const replies = new Map(read.all(replyCounts(place, ids, viewer.items())).map(({ id, n }) => [id, n]))
  return entries.map((entry) => {
    const { id } = entry
    const pin = pins.get(id)
    const star = stars.get(id)
    const stored = entry.kind === 'item' ? storedItemView(place, entry.row, people) : factView(place, entry.row, people)
    return {
      ...stored,
      ...(changes.has(id) ? { changes: changes.get(id)! } : {}),
      reactions: reactionViews(reactions.get(id) ?? [], ctx.actor.id),
      replyCount: replies.get(id) ?? 0,
      pinned: pin !== undefined,
      ...(pin === undefined ? {} : { pinnedAt: pin.at, pinnedBy: pin.userId }),
      starred: star !== undefined,
      ...(star === undefined ? {} : { starredAt: star.at }),
    }
  })
}

/** Reactions by emoji, in the order in which each was first given. */
export function reactionViews(rows: readonly ReactionRow[], me: string): z.output<typeof FeedReaction>[] {
  return [...Map.groupBy(rows, ({ emoji }) => emoji)].map(([emoji, same]) => ({
    emoji,
    userIds: same.map(({ userId }) => userId),
    count: same.length,
    reacted: same.some(({ userId }) => userId === me),
  }))
}

function factView(
  { schema, recordId }: RecordPlace,
  row: FactRow,
  people: ReadonlyMap<string, Person>,
): StoredItemView {
  return {
    id: row.id,
    type: itemTypeOf(row.action),
    object: schema.name,
    recordId,
    actor: actorView(row, people),
    ...(row.action === 'restore' ? { body: 'The record was restored.', data: { action: 'restore' } } : {}),
    mentions: [],
    attachments: [],
    visibility: 'public',
    createdAt: row.at,
    updatedAt: row.at,
    isEdited: false,
    isDeleted: false,
  }
}
