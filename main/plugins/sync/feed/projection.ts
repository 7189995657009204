// Turns merged segments into items, and tells of what was lost to concurrent edits. Knows entries and the door of the feed,
// nothing of peers.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { FeedPlace, FeedService, TravellingItem } from '#main/plugins/feed/api.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import type { FeedSegment } from '#main/replication/core/feed-doc.ts'
import { parseFeedKey, readSegment } from '#main/replication/core/feed-doc.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { DocWriter, MergedDocument } from '../engine/docs.ts'
import { PURGED_KEY } from '../write/record-edits.ts'
import { itemOf, lossesOf } from './item-parts.ts'
import type { OpenSegments } from './segments.ts'

/** Two edits of one item that did not know of each other. */
export interface FeedConflict {
  /** Uid of the object. */
  readonly object: string
  readonly recordId: string
  /** Name of the segment. */
  readonly document: string
  readonly itemId: string
  /** What of the item: `body`, or a part of its data (`data`, `data.done` …). */
  readonly part: string
  /** What is shown; the deletion where the item was deleted. Bodies are `{text, mentions}`. */
  readonly winner: RegisterEntry
  /** What gave way; it stays in the document until somebody who has seen it edits the item. */
  readonly loser: RegisterEntry
}

/** What projecting works with. */
export interface ProjectionParts {
  readonly docs: Pick<DocWriter, 'read'>
  readonly open: OpenSegments
  readonly feed: Pick<FeedService, 'travelling' | 'applyRemote'>
  readonly onConflicts: HearConflicts
}

/**
 * Hears, in the transaction, of everything that is lost of some items: on every machine alike, after each change of them,
 * also when nothing is lost any more.
 * @param by who has edited the items here; null for what comes from elsewhere
 */
export type HearConflicts = (
  tx: Tx,
  items: FeedPlace & { readonly ids: ReadonlySet<string>; readonly by: string | null },
  conflicts: readonly FeedConflict[],
) => void

/** Makes the projection of segments. */
export function createFeedProjection({ docs, open, feed, onConflicts }: ProjectionParts) {
  /** What replies here answer that is neither in this segment nor in the rows: it may be deleted, and has a stub again. */
  const parentsElsewhere = (tx: Tx, place: FeedPlace, segment: FeedSegment, items: readonly TravellingItem[]) => {
    const wanted = parentsOf(items).filter((id) => !segment.has(id))
    if (wanted.length === 0) return []
    const present = new Set(feed.travelling(tx, place, wanted).map(({ id }) => id))
    const segments = open(tx, place)
    const found = segments.find(wanted.filter((id) => !present.has(id)))
    return [...found].flatMap(([id, at]) => itemsIn(segments.read(at)!, [id]))
  }

  /** A record that was removed for good takes its feed along, whatever was said in it meanwhile. */
  const isPurged = (tx: Tx, { object, recordId }: FeedPlace): boolean =>
    markAt(docs.read(tx, { kind: 'record', object, record: recordId })?.register, PURGED_KEY) !== null

  return (tx: Tx, ctx: RequestContext, { name, document, changedKeys }: MergedDocument): 'done' | 'later' => {
    if (name.kind !== 'feed') return 'done'
    const place = { object: name.object, recordId: name.record }
    const segment = readSegment(document.register)
    const touched = changedKeys === null ? new Set(segment.keys()) : itemsOf(changedKeys)
    const changed = itemsIn(segment, touched)
    const parents = itemsIn(
      segment,
      parentsOf(changed).filter((id) => !touched.has(id)),
    )
    const items = [...changed, ...parents, ...parentsElsewhere(tx, place, segment, changed)]
    if (items.length === 0) return 'done'
    if (feed.applyRemote(tx, ctx, place, items, { past: changedKeys === null }) === 'later')
      return isPurged(tx, place) ? 'done' : 'later'
    onConflicts(tx, { ...place, ids: touched, by: null }, conflictsOf(place, formatDocName(name), segment, touched))
    return 'done'
  }
}

/** What is lost of some items of a segment. @param document name of the segment */
export function conflictsOf(
  place: FeedPlace,
  document: string,
  segment: FeedSegment,
  ids: Iterable<string>,
): FeedConflict[] {
  const { object, recordId } = place
  return [...ids].flatMap((itemId) => {
    const entries = segment.get(itemId)
    return entries === undefined
      ? []
      : lossesOf(itemId, entries).map(({ part, winner, loser }) => ({
          object,
          recordId,
          document,
          itemId,
          part,
          winner,
          loser,
        }))
  })
}

function itemsOf(keys: Iterable<string>): Set<string> {
  const items = new Set<string>()
  for (const key of keys) {
    const parsed = parseFeedKey(key)
    if (parsed !== null) items.add(parsed.item)
  }
  return items
}

function itemsIn(segment: FeedSegment, ids: Iterable<string>): TravellingItem[] {
  const items: TravellingItem[] = []
  for (const id of ids) {
    const entries = segment.get(id)
    const item = entries === undefined ? null : itemOf(id, entries)
    if (item !== null) items.push(item)
  }
  return items
}

function parentsOf(items: readonly TravellingItem[]): string[] {
  return [
    ...new Set(items.flatMap(({ parentId, deletedAt }) => (parentId === null || deletedAt !== null ? [] : [parentId]))),
  ]
}
