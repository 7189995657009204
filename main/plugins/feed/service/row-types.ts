// Rows of facts and items as SQLite holds them, and what of them is alike. Types and pure readers only.
import type { FeedItem } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { FactAction, StoredChanges } from './facts.ts'
import type { StoredMention } from './mentions.ts'

/** A row of `feed_fact`, without its place. */
export interface FactRow {
  readonly id: string
  readonly at: string
  readonly action: FactAction
  readonly actor_type: string
  readonly actor_id: string
  readonly source: string
  readonly changes: string
  readonly request_id: string | null
  readonly cause_event_id: number | null
  readonly depth: number | null
}

/** A row of `feed_item`, without its place. */
export interface ItemRow {
  readonly number: number
  readonly id: string
  readonly type: FeedItemType
  readonly actor_type: string
  readonly actor_id: string
  readonly source: string
  readonly body: string | null
  readonly mentions: string
  readonly attachments: string
  readonly data: string | null
  readonly parent_id: string | null
  readonly visibility: FeedItemVisibility
  readonly created_at: string
  readonly updated_at: string
  readonly edited_at: string | null
  readonly is_deleted: number
}

/** A type of item. */
export type FeedItemType = FeedItemView['type']

/** Who may see an item. */
export type FeedItemVisibility = FeedItemView['visibility']

/** An item as the API shows it. */
export type FeedItemView = z.output<typeof FeedItem>

/** One entry of a feed: a fact or an item. */
export type FeedEntry =
  | { readonly kind: 'fact'; readonly id: string; readonly row: FactRow }
  | { readonly kind: 'item'; readonly id: string; readonly row: ItemRow }

/** The columns of {@link FactRow}. */
export const factColumns =
  'f.id, f.at, f.action, f.actor_type, f.actor_id, f.source, f.changes, f.request_id, f.cause_event_id, f.depth'

/** The columns of {@link ItemRow}. */
export const itemColumns =
  'i.number, i.id, i.type, i.actor_type, i.actor_id, i.source, i.body, i.mentions, i.attachments, i.data, ' +
  'i.parent_id, i.visibility, i.created_at, i.updated_at, i.edited_at, i.is_deleted'

/** The type a fact has as a feed item. */
export function itemTypeOf(action: FactAction): FeedItemType {
  if (action === 'create') return 'record_create'
  if (action === 'delete') return 'record_delete'
  return action === 'restore' ? 'system' : 'field_change'
}

/** The changes of a fact. */
export function changesOf(row: FactRow): StoredChanges {
  return JSON.parse(row.changes) as StoredChanges
}

/** The mentions of an item. */
export function mentionsOf(row: ItemRow): readonly StoredMention[] {
  return JSON.parse(row.mentions) as StoredMention[]
}
