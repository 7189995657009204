// Follows records and objects: every write of a tracked record becomes a fact in its transaction, a purge takes all of it
// away, and what belonged to an object goes when its backup has expired.
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { removeWords } from './service/body-word-store.ts'
import { factOf, joinedChanges } from './service/facts.ts'
import type { Place } from './service/place.ts'
import {
  addLeaving,
  anyPlace,
  deletePlace,
  insertFact,
  readBodies,
  readFactChanges,
  readLeaving,
  removeLeaving,
  replaceFactChanges,
} from './store.ts'

/** What the listeners work with. */
export interface FollowerParts {
  readonly read: Reads
  readonly write: Write
  readonly ids: Ids
  readonly log: Logger
  readonly metadata: Pick<MetadataService, 'objectSchema'>
}

/** The events that become facts. */
export const factEvents = ['record.created', 'record.updated', 'record.deleted', 'record.restored'] as const

/** The listeners. */
export interface RecordFollower {
  /** Writes the fact of a {@link factEvents} event: one insert, and none where no history is kept. */
  note(event: PlatformEvent, tx: Tx, ctx: Pick<RequestContext, 'entrySource'>): void
  /** Takes away everything of a purged record (D-59). */
  forget(event: PlatformEvent, tx: Tx): void
  /** Notes that the last of a deleted object is gone (D-101). */
  leave(event: PlatformEvent, tx: Tx): void
  /** Takes away what is left of objects that are gone, a few records per write; one round after the other. */
  clear(): Promise<void>
  /** Ends clearing after the present write; the next start goes on with it. */
  stop(): Promise<void>
}

/** Pieces of work whose fact is remembered. */
const maxWorks = 1_000

/** Records of one write while an object is cleared. */
const placesPerWrite = 50

/** Makes the listeners. */
export function createRecordFollower({ read, write, ids, log, metadata }: FollowerParts): RecordFollower {
  let stopped = false
  let clearing = Promise.resolve()
  /** Ids of facts by the piece of work they tell of. */
  const works = new Map<string, string>()

  const clearObject = async (object: string): Promise<void> => {
    let some = true
    while (some && !stopped) {
      some = await write('feed.clear', (tx) => {
        for (let at = 0; at < placesPerWrite; at += 1) {
          const place = anyPlace(tx, object)
          if (place === undefined) {
            removeLeaving(tx, object)
            return false
          }
          removePlace(tx, place)
        }
        return true
      })
    }
  }

  const clear = (): Promise<void> => {
    clearing = clearing
      .then(async () => {
        for (const object of readLeaving(read)) await clearObject(object)
      })
      .catch((error: unknown) => log.error({ err: error }, 'The feeds of a deleted object could not be removed.'))
    return clearing
  }

  return {
    clear,
    stop() {
      stopped = true
      return clearing
    },
    note(event, tx, { entrySource }) {
      const schema = metadata.objectSchema(event.object!)
      const fact = schema === undefined ? null : factOf(schema, event)
      if (fact === null) return
      const place = { object: schema!.uid, recordId: event.recordId! }
      const { work } = event
      const told = work === undefined ? undefined : works.get(work)
      const before = told === undefined ? undefined : readFactChanges(tx, place, told)
      if (before !== undefined) {
        replaceFactChanges(tx, place, told!, joinedChanges(before, fact.changes))
        return
      }
      const id = ids.uuid()
      insertFact(tx, place, id, fact, entrySource === undefined ? event : { ...event, source: entrySource })
      if (work === undefined) return
      if (works.size >= maxWorks) works.delete(works.keys().next().value!)
      works.set(work, id)
    },
    forget({ object, recordId }, tx) {
      const schema = metadata.objectSchema(object!)
      if (schema !== undefined) removePlace(tx, { object: schema.uid, recordId: recordId! })
    },
    leave({ payload }, tx) {
      const { kind, objectUid } = payload as { kind: string; objectUid: string | null }
      if (kind !== 'object' || objectUid === null) return
      addLeaving(tx, objectUid)
      tx.afterCommit(() => void clear())
    },
  }
}

function removePlace(tx: Tx, place: Place): void {
  for (const { number, body } of readBodies(tx, place)) removeWords(tx, place, number, body)
  deletePlace(tx, place)
}
