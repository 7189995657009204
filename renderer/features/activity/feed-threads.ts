// Owns arranging items: pinned ones on top, replies below what they answer. Pure.
import type { FeedItem } from './feed-queries.ts'

/** An item with the replies that are known of it, oldest first. */
export interface Thread {
  item: FeedItem
  replies: FeedItem[]
}

/** Items as they are shown. */
export interface Threads {
  pinned: Thread[]
  /** Newest first; replies whose item is not loaded stand alone. */
  rest: Thread[]
}

/**
 * Arranges items that come newest first. `top` are the pinned ones of the whole record, whatever else is loaded; none where
 * they are not to stand apart. A pinned reply stands on top and in its conversation.
 */
export function arrangeThreads(items: readonly FeedItem[], top: readonly FeedItem[]): Threads {
  const known = new Map<string, Thread>()
  // The list may have moved by one between two pages: an item then comes twice.
  for (const item of [...top, ...items]) if (!known.has(item.id)) known.set(item.id, { item, replies: [] })
  const pinned = new Set(top.map(({ id }) => id))
  const rest: Thread[] = []
  for (const thread of known.values()) {
    const { id, parentId } = thread.item
    const parent = parentId === undefined ? undefined : known.get(parentId)
    if (parent) parent.replies.push(thread.item)
    else if (!pinned.has(id)) rest.push(thread)
  }
  // Ids are in the order of writing.
  for (const { replies } of known.values()) replies.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { pinned: [...pinned].flatMap((id) => known.get(id) ?? []), rest }
}
