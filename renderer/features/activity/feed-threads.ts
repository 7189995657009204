// Owns arranging a flat list of items: pinned ones on top, replies below what they answer. Pure.
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

/** Arranges items that come newest first; `apart` takes the pinned ones out of their place. */
export function arrangeThreads(items: readonly FeedItem[], apart: boolean): Threads {
  const known = new Map<string, Thread>()
  // The list may have moved by one between two pages: an item then comes twice.
  for (const item of items) if (!known.has(item.id)) known.set(item.id, { item, replies: [] })
  const tops: Thread[] = []
  for (const thread of known.values()) {
    const { parentId } = thread.item
    const parent = parentId === undefined ? undefined : known.get(parentId)
    if (parent) parent.replies.unshift(thread.item)
    else tops.push(thread)
  }
  const pinned = apart ? tops.filter(({ item }) => item.pinned) : []
  return { pinned, rest: tops.filter((thread) => !pinned.includes(thread)) }
}
