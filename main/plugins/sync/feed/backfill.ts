// Makes documents of the feeds there are when sync is turned on, a few records at a time. Feeds that have documents get
// what was written and deleted while nothing was recorded. Knows no progress but where it stopped.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { FeedPlace, FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import { segmentRoom } from '#main/replication/core/feed-doc.ts'
import type { BackfillWriter } from '../engine/docs.ts'
import { isKeptAside } from '../store/aside-store.ts'
import { needsProject, readNames } from '../store/doc-store.ts'
import type { Change } from './capture.ts'
import { asItIs, sizeOf, writeChanges } from './capture.ts'
import { authorOf, authorsOf, changesOf, itemOf } from './item-parts.ts'
import type { OpenSegments } from './segments.ts'
import { segmentName, spread } from './segments.ts'

/** What the backfill works with. */
export interface BackfillParts {
  readonly open: OpenSegments
  readonly feed: Pick<FeedService, 'travelling' | 'travellingRecords' | 'travellingCount'>
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
  /** The present instant, ISO 8601. */
  now(): string
}

/** A slice ends with the record in which it reaches this many items. */
const itemsPerSlice = 200
const recordsPerSlice = 50

/** Makes the backfill of feeds. */
export function createFeedBackfill({ open, feed, metadata, now }: BackfillParts) {
  /** Uids of the objects whose records travel, in the order in which they are made. */
  const objects = (): string[] =>
    metadata
      .objectSchemas()
      .filter(({ enable }) => enable.sync)
      .map(({ uid }) => uid)
      .toSorted()

  const make = (tx: Tx, object: string, recordId: string, write: BackfillWriter): void => {
    const place = { object, recordId }
    if (isKeptAside(tx, object, recordId)) return
    if (open(tx, place).read(0) !== null) {
      mend(tx, place, write)
      return
    }
    for (const [segment, items] of spread(feed.travelling(tx, place), (state) => sizeOf({ state }), 0))
      writeAll(segmentName(place, segment), items.map(asItIs), write)
  }

  /** Writes what the rows of a feed have and its documents have not, and deletes what only the documents have. */
  const mend = (tx: Tx, place: FeedPlace, write: BackfillWriter): void => {
    const { object, recordId } = place
    const segments = open(tx, place)
    const last = segments.last()
    const isWaiting = readNames(tx, `f/${object}/${recordId}/`, '', 10_000).some(
      ({ flags }) => (flags & needsProject) !== 0,
    )
    if (last === null || isWaiting) return
    const states = new Map(feed.travelling(tx, place).map((state) => [state.id, state]))
    const bySegment = new Map<number, Change[]>()
    const known = new Set<string>()
    const authors = new Set<string>()
    const add = (segment: number, change: Change): void => {
      const changes = bySegment.get(segment)
      if (changes === undefined) bySegment.set(segment, [change])
      else changes.push(change)
    }
    for (let at = 0; at <= last; at += 1) {
      for (const [id, entries] of segments.read(at) ?? []) {
        known.add(id)
        const said = itemOf(id, entries)
        const state = states.get(id)
        if (said === null || said.deletedAt !== null) continue
        if (state === undefined) add(at, { id, state, deletedAt: now() })
        else {
          const keys = Object.keys(changesOf(state, entries))
          if (keys.length > 0) add(at, { id, state, deletedAt: null })
          // Who took a reaction back may have said nothing else.
          for (const key of keys) authors.add(authorOf(state, key))
        }
      }
    }
    const fresh = [...states.values()].filter(({ id }) => !known.has(id))
    const room = segmentRoom(segments.read(last)!)
    for (const [segment, items] of spread(fresh, (state) => sizeOf({ state }), last, room))
      for (const state of items) add(segment, { id: state.id, state, deletedAt: null })
    for (const [segment, changes] of bySegment) {
      writeAll(segmentName(place, segment), changes, write, authors)
      const gone = changes.filter(({ state }) => state === undefined)
      if (gone.length > 0)
        write(segmentName(place, segment), 'system', (edit) => writeChanges(edit, gone), { mend: true })
    }
  }

  /** Writes what people have said in the name of each: nobody speaks for others where it arrives. */
  const writeAll = (
    name: DocName,
    changes: readonly Change[],
    write: BackfillWriter,
    more: ReadonlySet<string> = new Set(),
  ): void => {
    const items = changes.flatMap(({ state }) => state ?? [])
    const kept = changes.filter(({ state }) => state !== undefined)
    for (const author of new Set([...authorsOf(items), ...more]))
      write(name, author, (edit) => writeChanges(edit, kept, author), { mend: true })
  }

  /** Feeds all of whose items are gone have no rows to begin with. */
  const mendEmpty = (tx: Tx, after: string, write: BackfillWriter): { next: string | null; done: number } => {
    const names = readNames(tx, 'f/', after, recordsPerSlice)
    const schemas = new Map(metadata.objectSchemas().map((schema) => [schema.uid, schema]))
    for (const { name } of names) {
      const parsed = parseDocName(name)
      if (parsed?.kind !== 'feed' || parsed.segment !== 0) continue
      const place = { object: parsed.object, recordId: parsed.record }
      const schema = schemas.get(parsed.object)
      if (schema?.enable.sync !== true || feed.travelling(tx, place).length > 0) continue
      // The feed of a record that is not here waits for it, or went with it.
      if (isStored(tx, schema, parsed.record)) mend(tx, place, write)
    }
    const last = names.at(-1)
    return { next: names.length < recordsPerSlice || last === undefined ? null : `!${last.name}`, done: 0 }
  }

  return {
    compare(tx: Tx, name: DocName, write: BackfillWriter): void {
      if (name.kind !== 'feed' || isKeptAside(tx, name.object, name.record)) return
      const schema = metadata.objectSchemas().find(({ uid }) => uid === name.object)
      if (schema?.enable.sync === true && !schema.abstract && isStored(tx, schema, name.record))
        mend(tx, { object: name.object, recordId: name.record }, write)
    },
    backfill(tx: Tx, after: string | null, write: BackfillWriter): { next: string | null; done: number } {
      if (after?.startsWith('!') === true) return mendEmpty(tx, after.slice(1), write)
      const [from = '', afterRecord = ''] = after?.split('/') ?? []
      let done = 0
      for (const object of objects().filter((uid) => uid >= from)) {
        const records = feed.travellingRecords(tx, object, object === from ? afterRecord : '', recordsPerSlice)
        for (const { recordId, items } of records) {
          make(tx, object, recordId, write)
          done += items
          if (done >= itemsPerSlice) return { next: `${object}/${recordId}`, done }
        }
        if (records.length === recordsPerSlice) return { next: `${object}/${records.at(-1)!.recordId}`, done }
      }
      return { next: '!', done }
    },
    backfillTotal: (reads: Pick<Reads, 'get'>): number =>
      objects().reduce((total, object) => total + feed.travellingCount(reads, object), 0),
  }
}
