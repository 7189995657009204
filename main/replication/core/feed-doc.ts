// The feed of a record as documents of at most 256 items each. A segment is a register, like a record: what can be edited
// of an item apart has a key of its own, of two concurrent writes of one key the later wins, and the other is kept. Knows
// how keys are made and when a segment is full, nothing of what a comment or a reaction is.
import type { Register } from './register.ts'
import type { RegisterValue } from './types.ts'

/** A segment with this many items gets no new ones. @source sync.md section 3 */
export const FEED_SEGMENT_SIZE = 256

/** A segment with this many characters of values gets no new items, so that one update of all of it can travel. */
export const FEED_SEGMENT_CHARS = 256 * 1024

/** What a key of a segment says. */
export type FeedKey =
  /** What never changes of an item. */
  | { readonly kind: 'item'; readonly item: string }
  /** One thing about an item that is edited by itself. */
  | { readonly kind: 'part'; readonly item: string; readonly part: string }
  /** One person's reaction to an item. */
  | ({ readonly kind: 'reaction' } & ReactionKey)

/** A reaction in its parts. */
export interface ReactionKey {
  readonly item: string
  readonly emoji: string
  readonly user: string
}

/** The entries of one item in a segment, by their whole keys. */
export type FeedItemEntries = ReadonlyMap<string, RegisterValue>

/** What a segment holds, by item. */
export type FeedSegment = ReadonlyMap<string, FeedItemEntries>

/**
 * The key of a part of an item.
 * @throws RangeError for an item with a `#` or a `|`
 */
export function partKey(item: string, part: string): string {
  if (/[#|]/.test(item)) throw new RangeError('Ids have no "#" and no "|".')
  return `${item}#${part}`
}

/**
 * The key of one person's reaction to an item.
 * @throws RangeError for an item or a user with a `|`
 */
export function reactionKey({ item, emoji, user }: ReactionKey): string {
  if (/[#|]/.test(item) || user.includes('|')) throw new RangeError('Ids have no "|".')
  return `${item}|${emoji}|${user}`
}

/** Takes a key apart; null for what is none: of a newer version or of a hostile peer. */
export function parseFeedKey(key: string): FeedKey | null {
  const end = key.search(/[#|]/)
  if (end < 0) return key === '' ? null : { kind: 'item', item: key }
  const item = key.slice(0, end)
  if (item === '') return null
  if (key[end] === '#') return { kind: 'part', item, part: key.slice(end + 1) }
  const last = key.lastIndexOf('|')
  if (last === end || last === key.length - 1) return null
  return { kind: 'reaction', item, emoji: key.slice(end + 1, last), user: key.slice(last + 1) }
}

/** What a register says as a segment. Keys that are none are passed over. */
export function readSegment(register: Register): FeedSegment {
  const segment = new Map<string, Map<string, RegisterValue>>()
  for (const [key, value] of register) {
    const item = parseFeedKey(key)?.item
    if (item === undefined) continue
    const entries = segment.get(item)
    if (entries === undefined) segment.set(item, new Map([[key, value]]))
    else entries.set(key, value)
  }
  return segment
}

/** How much room a segment has: how many items more, and characters of values. */
export function segmentRoom(segment: FeedSegment): { readonly items: number; readonly chars: number } {
  let chars = 0
  for (const entries of segment.values()) {
    for (const [key, { winner }] of entries) chars += key.length + JSON.stringify(winner[1]).length
  }
  return { items: FEED_SEGMENT_SIZE - segment.size, chars: FEED_SEGMENT_CHARS - chars }
}
