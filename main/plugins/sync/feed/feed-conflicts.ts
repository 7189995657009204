// What is lost in feeds, as rows of conflicts: one for each part of an item, with all that gave way. Knows no document.
import type { Tx } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import { createEntryHistory } from '../conflicts/base-value.ts'
import type { ConflictDraft, ConflictSide } from '../conflicts/conflict-store.ts'
import { openConflict, openOfRecord, settleConflict } from '../conflicts/conflict-store.ts'
import type { FeedConflict, HearConflicts } from './projection.ts'

/** Makes the keeper of conflicts in feeds. @param sideOf who wrote an entry */
export function createFeedConflicts(sideOf: (entry: RegisterEntry) => ConflictSide, now: () => string): HearConflicts {
  return (tx, { object, recordId, ids, by }, conflicts) => {
    const at = now()
    // The segment an item is in says nothing of it: the name is one for all of them.
    const feed = formatDocName({ kind: 'feed', object, record: recordId, segment: 0 })
    const parts = Map.groupBy(conflicts, ({ itemId, part }) => `${feed}#${itemId}#${part}`)
    for (const [doc, losses] of parts) openConflict(tx, draftOf(tx, doc, losses, sideOf), at)
    for (const { id, doc, isReopened } of openOfRecord(tx, { object, recordId })) {
      const [name, item = ''] = doc.split('#')
      const isMeant = name === feed && ids.has(item) && !parts.has(doc)
      if (isMeant && (by !== null || !isReopened))
        settleConflict(tx, id, { choice: by === null ? 'elsewhere' : 'edit', by, at })
    }
  }
}

function draftOf(
  tx: Tx,
  doc: string,
  losses: readonly FeedConflict[],
  sideOf: (entry: RegisterEntry) => ConflictSide,
): ConflictDraft {
  const { object, recordId, document, winner, loser: first } = losses[0]!
  // A deletion writes over every part that its writer has seen, under one stamp.
  const names = [{ ...nameOfEntry(winner), key: first[0] }, ...losses.map(({ loser }) => nameOfEntry(loser))]
  const base = createEntryHistory(tx).commonBase(document, names)
  const losers = losses.map(({ loser }) => sideOf(loser))
  return {
    kind: 'text',
    doc,
    object,
    recordId,
    field: '',
    winner: sideOf(winner),
    losers,
    ...(base === null ? {} : { base: base.value }),
  }
}
