// What several writers were told is stored, and the search for it afterwards: each value stands in its record, was
// replaced by somebody who had seen it, or is listed as a side of a conflict. Knows records as the API answers them.

/** A value of one field, written once. */
export interface Edit {
  readonly id: string
  readonly field: string
  readonly value: string
  /** What the writer saw in the field, and replaced; null for a new record. */
  readonly replaced: string | null
  /** undefined: the answer did not come. */
  isAcknowledged: true | undefined
}

/** A record that was deleted by somebody who saw `values`. */
export interface Deletion {
  readonly id: string
  readonly values: Readonly<Record<string, unknown>>
  isAcknowledged: true | undefined
}

/** A side of a conflict. */
interface Side {
  readonly value: unknown
}

/** What a machine shows at the end. */
export interface Shown {
  /** Records by id, deleted ones included. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly conflicts: readonly {
    readonly id: string
    readonly state: string
    readonly recordId: string
    readonly field?: string
    readonly winner: Side
    readonly losers: readonly Side[]
  }[]
}

/** Something that was acknowledged and is not to be seen any more. */
interface Missing {
  readonly id: string
  readonly what: string
}

/** Everything that was written. */
export interface EditJournal {
  readonly edits: Edit[]
  readonly deletions: Deletion[]
  /** Words that were put at the end of a text, by record. */
  readonly words: Edit[]
  /** What is acknowledged and neither in its record nor a side of a conflict. */
  missing(shown: Shown): readonly Missing[]
  /** What was written to the records that lost something, and their conflicts, for whoever looks into it. */
  explain(shown: Shown): string
}

/** Makes an empty journal. */
export function createEditJournal(): EditJournal {
  const edits: Edit[] = []
  const deletions: Deletion[] = []
  const words: Edit[] = []
  const missing = (shown: Shown): readonly Missing[] => {
    const lost: Missing[] = []
    const listed = new Set(
      shown.conflicts.flatMap(({ recordId, winner, losers }) =>
        [winner, ...losers].map(({ value }) => `${recordId} ${JSON.stringify(value)}`),
      ),
    )
    const replacedBy = Map.groupBy(edits, ({ id, field, replaced }) => `${id} ${field} ${replaced ?? ''}`)
    const isThere = ({ id, field, value }: Edit): boolean =>
      shown.records.get(id)?.[field] === value ||
      listed.has(`${id} ${JSON.stringify(value)}`) ||
      isReplaced(id, field, value)
    const isReplaced = (id: string, field: string, value: string): boolean =>
      (replacedBy.get(`${id} ${field} ${value}`) ?? []).some((next) => next.isAcknowledged === true || isThere(next))
    for (const edit of edits)
      if (edit.isAcknowledged === true && !isThere(edit))
        lost.push({ id: edit.id, what: `${edit.field} ${edit.value}` })
    for (const { id, value, isAcknowledged } of words)
      if (isAcknowledged === true && !String(shown.records.get(id)?.['notes']).includes(value))
        lost.push({ id, what: `notes ${value}` })
    for (const { id, isAcknowledged } of deletions) {
      const record = shown.records.get(id)
      if (isAcknowledged === true && record !== undefined && record['deleted_at'] === null)
        lost.push({ id, what: 'deletion' })
    }
    return lost
  }
  return {
    edits,
    deletions,
    words,
    missing,
    explain(shown) {
      const ids = new Set(missing(shown).map(({ id }) => id))
      return JSON.stringify(
        {
          written: [...edits, ...words, ...deletions].filter(({ id }) => ids.has(id)),
          records: [...shown.records].filter(([id]) => ids.has(id)),
          conflicts: shown.conflicts.filter(({ recordId }) => ids.has(recordId)),
        },
        null,
        1,
      )
    },
  }
}
