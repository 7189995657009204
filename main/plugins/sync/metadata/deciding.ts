// What deciding about a removed item writes into documents: it is back with what went along with it, or stays removed by
// somebody who has seen all there is. Knows documents; no conflict and no request.
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { Capture } from './capture.ts'
import { overlayKey } from './capture.ts'
import { baseOf } from './entry-keys.ts'
import { seenLog } from './removed-objects.ts'
import { flagRecords, markDue, objectOfPart, readParts, readRemovedParts, readRow } from './store.ts'
import type { DocKey } from './store.ts'
import { writeRemoved } from './write-entries.ts'

/** What deciding works with. */
export interface DecidingParts {
  readonly docs: Pick<DocWriter, 'edit' | 'read'>
  readonly clock: Clock
  readonly noteClaim: Capture['noteClaim']
}

/** Writes decisions about removed items. */
export interface RemovalDecisions {
  /** Has an item back, with what was removed along with it and with what it is a part of. */
  bringBack(tx: Tx, ctx: RequestContext, document: DocKey): void
  /** Removes an item once more that is removed, with all parts of it: what was written up to now was seen. */
  keepRemoved(tx: Tx, ctx: RequestContext, document: DocKey): void
}

/** Makes what writes them. */
export function createRemovalDecisions({ docs, clock, noteClaim }: DecidingParts): RemovalDecisions {
  const isRemoved = (tx: Tx, key: DocKey): boolean => readRow(tx, key)?.isDeleted === true
  /** What an item was removed along with, by its uid. */
  const removedWith = (tx: Tx, { type, uid }: DocKey): unknown => {
    const value = docs.read(tx, { kind: 'metadata', type, uid })?.register.get('_del')?.winner[1]
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['with'] : undefined
  }

  const around = (tx: Tx, { type, uid }: DocKey): DocKey[] => {
    const below = type === 'overlay' ? [baseOf({ type, uid })] : []
    const object = objectOfPart(tx, { type, uid })
    const above = object === null ? [] : [{ type: 'object', uid: object }]
    const along = [overlayKey({ type, uid }), ...(type === 'object' ? readRemovedParts(tx, uid) : [])]
    return [...below, ...above, ...along.filter((one) => removedWith(tx, one) === uid)]
  }

  return {
    bringBack(tx, ctx, document) {
      const due = [document]
      const seen = new Set<string>()
      for (const key of due) {
        const { type, uid } = key
        if (seen.has(`${type}/${uid}`) || (key !== document && !isRemoved(tx, key))) continue
        seen.add(`${type}/${uid}`)
        docs.edit(tx, ctx, { kind: 'metadata', type, uid }, (place) => {
          place.set({ _del: null })
          noteClaim(tx, { type, uid }, place)
          markDue(tx, { type, uid }, ctx.actor, clock.iso())
        })
        // The new table has nothing of what the documents of its records hold.
        if (type === 'object') flagRecords(tx, uid)
        due.push(...around(tx, key))
      }
    },
    keepRemoved(tx, ctx, { type, uid }) {
      const parts = type === 'object' ? readParts(tx, uid) : []
      for (const key of [{ type, uid }, ...parts]) {
        const along = key.uid === uid ? removedWith(tx, key) : uid
        docs.edit(tx, ctx, { kind: 'metadata', type: key.type, uid: key.uid }, (place) => {
          writeRemoved(place, {
            by: ctx.actor.id,
            seen: seenLog(tx),
            with: typeof along === 'string' ? along : undefined,
          })
          noteClaim(tx, key, place)
        })
      }
    },
  }
}
