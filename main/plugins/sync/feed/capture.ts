// Writes what people do in feeds into the documents, in the transaction in which they do it. What was touched is gathered,
// and at the end of the job its entries are made to say what its rows say. Knows nothing of peers.
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { FeedPlace, FeedService, TravellingItem } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { readSegment, segmentRoom } from '#main/replication/core/feed-doc.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { DocWriter } from '../engine/docs.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { isKeptAside } from '../store/aside-store.ts'
import type { FeedPatch } from './item-parts.ts'
import { authorOf, authorsOf, changesOf, deletionOf, entriesOf } from './item-parts.ts'
import type { HearConflicts } from './projection.ts'
import { conflictsOf } from './projection.ts'
import type { OpenSegments } from './segments.ts'
import { segmentName, spread } from './segments.ts'

/** The events that tell of items, reactions and pins. */
export const feedEvents = [
  'feed.item.created',
  'feed.item.updated',
  'feed.item.deleted',
  'feed.reaction.added',
  'feed.reaction.removed',
] as const

/** What capturing works with. */
export interface CaptureParts {
  readonly docs: DocWriter
  readonly open: OpenSegments
  readonly feed: Pick<FeedService, 'travelling'>
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly onConflicts: HearConflicts
  /** The id a person has here, whom documents name; the same when left out. */
  readonly localId?: (id: string) => string
}

const same = (id: string): string => id

/** An item that somebody touched. */
interface Touched {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly place: FeedPlace
  readonly item: string
  readonly isNew: boolean
  readonly deletedAt: string | null
}

/** What has to be written of one item. */
export interface Change {
  readonly id: string
  readonly state: TravellingItem | undefined
  readonly deletedAt: string | null
}

/** Makes the listener for {@link feedEvents}. */
export function createFeedCapture({ docs, open, feed, metadata, onConflicts, localId = same }: CaptureParts) {
  const flush = (touched: readonly Touched[]): void => {
    const nameOf = ({ ctx: { actor }, place }: Touched): string =>
      [place.object, place.recordId, actor.type, actor.id].join(' ')
    for (const ofRecord of Map.groupBy(touched, nameOf).values()) writeRecord(ofRecord)
  }

  const writeRecord = (touched: readonly Touched[]): void => {
    const { tx, ctx, place } = touched[0]!
    const write = (segment: number, changes: readonly Change[], by = ctx, author?: string): void =>
      docs.edit(tx, by, segmentName(place, segment), (at) => {
        writeChanges(at, changes, author)
        const ids = new Set(changes.map(({ id }) => id))
        const lost = conflictsOf(place, formatDocName(segmentName(place, segment)), readSegment(at.register()), ids)
        onConflicts(tx, { ...place, ids, by: ctx.actor.id }, lost)
      })
    const segments = open(tx, place)
    const last = segments.last()
    if (last === null) {
      // Nothing of this feed was ever written: its past goes with it, in the name of those whose words it is.
      for (const [segment, items] of spread(feed.travelling(tx, place), (state) => sizeOf({ state }), 0))
        for (const id of authorsOf(items))
          write(segment, items.map(asItIs), { ...ctx, actor: { type: 'user', id: localId(id) } }, id)
      return
    }
    const changes = changesIn(touched, feed.travelling(tx, place, [...new Set(touched.map(({ item }) => item))]))
    const created = new Set(touched.filter(({ isNew }) => isNew).map(({ item }) => item))
    const places = segments.find(changes.map(({ id }) => id).filter((id) => !created.has(id)))
    const unplaced = changes.filter(({ id, state }) => !places.has(id) && state !== undefined)
    const bySegment = spread(unplaced, sizeOf, last, segmentRoom(segments.read(last)!))
    for (const change of changes) {
      const segment = places.get(change.id)
      if (segment !== undefined) bySegment.set(segment, [...(bySegment.get(segment) ?? []), change])
    }
    for (const [segment, ofSegment] of bySegment) write(segment, ofSegment)
  }

  return (event: PlatformEvent, tx: Tx, ctx: RequestContext): void => {
    if (!docs.isRecording(ctx) || event.object === undefined || event.recordId === undefined) return
    const schema = metadata.objectSchema(event.object)
    if (schema === undefined || !schema.enable.sync || isKeptAside(tx, schema.uid, event.recordId)) return
    const { item, feedId } = event.payload as { item?: { id: string; updatedAt: string }; feedId?: string }
    tx.gather(flush, {
      tx,
      ctx,
      place: { object: schema.uid, recordId: event.recordId },
      item: item?.id ?? feedId!,
      isNew: event.type === 'feed.item.created',
      deletedAt: event.type === 'feed.item.deleted' ? item!.updatedAt : null,
    })
  }
}

/**
 * Writes what items have come to; what entries say already is not written again.
 * @param author writes only what this person says; everything when left out
 */
export function writeChanges(place: EditPlace, changes: readonly Change[], author?: string): void {
  const segment = readSegment(place.register())
  const patches: FeedPatch[] = []
  const gone: string[] = []
  for (const { id, state, deletedAt } of changes) {
    const entries = segment.get(id)
    if (deletedAt !== null && entries !== undefined) {
      const deletion = deletionOf(id, deletedAt, entries)
      patches.push(deletion.patch)
      gone.push(...deletion.gone)
    } else if (state !== undefined) {
      const patch = Object.entries(entries === undefined ? entriesOf(state) : changesOf(state, entries))
      patches.push(Object.fromEntries(patch.filter(([key]) => author === undefined || authorOf(state, key) === author)))
    }
  }
  place.remove(gone)
  place.set(Object.fromEntries(patches.flatMap((patch) => Object.entries(patch))))
}

/** One change for each item; items that are neither there nor were deleted are none that travel. */
function changesIn(touched: readonly Touched[], states: readonly TravellingItem[]): Change[] {
  const byId = new Map(states.map((state) => [state.id, state]))
  const changes = new Map<string, Change>()
  for (const { item: id, deletedAt } of touched) {
    const state = byId.get(id)
    const gone = deletedAt ?? changes.get(id)?.deletedAt ?? null
    if (state !== undefined || gone !== null) changes.set(id, { id, state, deletedAt: gone })
  }
  return [...changes.values()]
}

/** An item as it is now. */
export function asItIs(state: TravellingItem): Change {
  return { id: state.id, state, deletedAt: null }
}

/** How much room an item takes in a segment. */
export function sizeOf({ state }: Pick<Change, 'state'>): number {
  return state === undefined ? 0 : JSON.stringify(entriesOf(state)).length
}
