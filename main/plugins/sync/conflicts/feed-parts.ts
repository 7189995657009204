// Conflicts about what people wrote in a feed: which item and which part of it, how its values are shown, and what taking one
// of them writes. Knows no request.
import type { z } from 'zod'
import type { feedRoutes } from '#shared/contracts/feed.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { Conflict } from './conflict-store.ts'

/** A part of an item: `body`, `data` or a member of its data such as `data.done`. */
export interface FeedPart {
  readonly id: string
  readonly part: string
}

/** What changes an item. */
type FeedChange = z.output<NonNullable<typeof feedRoutes.updateFeedItem.body>>

/** The part a conflict is about; null for one about something else. */
export function feedPartOf({ doc }: Pick<Conflict, 'doc'>): FeedPart | null {
  const [name = '', id, part] = doc.split('#')
  return name.startsWith('f/') && id !== undefined && part !== undefined ? { id, part } : null
}

/** A value of a part as people read it: of words the text. */
export function saidIn(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'text')) return value
  return (value as { text: Json }).text
}

/** What makes a part of an item this value, and leaves the others. */
export function changeTo({ part }: FeedPart, value: Json): FeedChange {
  if (part === 'body') {
    const mentions = typeof value === 'object' && value !== null ? (value as { mentions?: Json }).mentions : undefined
    const given = Array.isArray(mentions) ? { mentions: mentions as unknown as FeedChange['mentions'] } : {}
    return { body: String(saidIn(value) ?? ''), ...given }
  }
  if (part === 'data') return { data: (value ?? {}) as Record<string, unknown> }
  return { data: { [part.slice('data.'.length)]: value } }
}
