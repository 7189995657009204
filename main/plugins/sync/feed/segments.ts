// The segments of one record's feed: which there are, which of them has an item, and where new items go. Knows keys and
// room, nothing of what an item is.
import type { Reads } from '#main/kernel/database.ts'
import type { FeedPlace } from '#main/plugins/feed/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import type { FeedSegment, segmentRoom } from '#main/replication/core/feed-doc.ts'
import { FEED_SEGMENT_CHARS, FEED_SEGMENT_SIZE, readSegment } from '#main/replication/core/feed-doc.ts'
import type { DocWriter } from '../engine/docs.ts'

/** Room for items. */
export type Room = ReturnType<typeof segmentRoom>

/** The segments of one feed as they are at a moment; each is loaded once. */
export interface FeedSegments {
  /** Null for one that is not there. */
  read(segment: number): FeedSegment | null
  /** The number of the last segment; null when the feed has no document yet. */
  last(): number | null
  /** The segments of items, newest first, so that what was written lately is found at once; items of none are left out. */
  find(items: Iterable<string>): Map<string, number>
}

/** Looks at the segments of a feed. */
export type OpenSegments = (reads: Pick<Reads, 'get'>, place: FeedPlace) => FeedSegments

/** Records whose last segment is remembered. */
const maxRemembered = 1_000

const empty: Room = { items: FEED_SEGMENT_SIZE, chars: FEED_SEGMENT_CHARS }

/** The name of a segment's document. */
export function segmentName({ object, recordId }: FeedPlace, segment: number): DocName {
  return { kind: 'feed', object, record: recordId, segment }
}

/** Makes the access to segments. */
export function createOpenSegments(docs: Pick<DocWriter, 'read'>): OpenSegments {
  /** A segment that was there at some time: no more than where to begin to look. */
  const hints = new Map<string, number>()

  return (reads, place) => {
    const key = `${place.object}/${place.recordId}`
    const loaded = new Map<number, FeedSegment | null>()

    const read = (segment: number): FeedSegment | null => {
      let found = loaded.get(segment)
      if (found !== undefined) return found
      const document = docs.read(reads, segmentName(place, segment))
      loaded.set(segment, (found = document === null ? null : readSegment(document.register)))
      return found
    }

    const last = (): number | null => {
      const hint = hints.get(key) ?? 0
      // What was remembered may have been rolled back since.
      let at = read(hint) === null ? 0 : hint
      if (read(at) === null) return null
      while (read(at + 1) !== null) at += 1
      hints.delete(key)
      if (at > 0) hints.set(key, at)
      if (hints.size > maxRemembered) hints.delete(hints.keys().next().value!)
      return at
    }

    return {
      read,
      last,
      find(items) {
        const found = new Map<string, number>()
        const wanted = new Set(items)
        for (let at = wanted.size === 0 ? -1 : (last() ?? -1); at >= 0 && wanted.size > 0; at -= 1) {
          const segment = read(at)
          for (const item of wanted) if (segment?.has(item) === true) found.set(item, at)
          for (const item of found.keys()) wanted.delete(item)
        }
        return found
      },
    }
  }
}

/**
 * Puts new things into segments, in order: into the first one while it has room, then into ones after it.
 * @param first a segment, and the room it has; undefined for one that is not there yet
 */
export function spread<T>(
  things: readonly T[],
  sizeOf: (thing: T) => number,
  first: number,
  room: Room = empty,
): Map<number, T[]> {
  const spreadOut = new Map<number, T[]>()
  let at = first
  let { items, chars } = room
  for (const thing of things) {
    if (items <= 0 || chars <= 0) {
      at += 1
      ;({ items, chars } = empty)
    }
    items -= 1
    chars -= sizeOf(thing)
    const there = spreadOut.get(at)
    if (there === undefined) spreadOut.set(at, [thing])
    else there.push(thing)
  }
  return spreadOut
}
