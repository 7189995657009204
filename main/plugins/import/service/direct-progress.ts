// How far a direct import with an Idempotency-Key is, stored in the transactions that write its rows: where it is cut off, a
// repeat of the key goes on with the rows that are left (D-42).
import type { EffectKey } from '#main/kernel/context.ts'
import type { RowError, RowOutcome } from './row-outcome.ts'
import type { SliceObserver } from './row-plan.ts'

/** Errors that are kept; a report names no more of them. */
const maxKeptErrors = 1_000

const marks = { create: 'c', update: 'u', skip: 's', fail: 'f' } as const
const operations = new Map(
  Object.entries(marks).map(([operation, mark]) => [mark, operation as RowOutcome['operation']]),
)

/** As it is stored: neither ids nor values, but for those that an error names. */
interface Part {
  /** One letter per row, a blank for a row that is left. */
  readonly rows: string
  /** Of rows that failed, with their numbers. */
  readonly errors: readonly (readonly [row: number, errors: readonly RowError[]])[]
}

/** What became of the rows that an interrupted call wrote, without those that wait for later rows. */
export function outcomesOf(key: EffectKey | undefined): RowOutcome[] {
  // It may have been cut off before the first row.
  if (!key?.part) return []
  const { rows, errors } = JSON.parse(key.part) as Part
  const errorsOfRow = new Map(errors)
  const outcomes: RowOutcome[] = []
  for (const [at, letter] of [...rows].entries()) {
    const operation = operations.get(letter as (typeof marks)[keyof typeof marks])
    const found = errorsOfRow.get(at + 1)
    if (operation !== undefined) outcomes.push({ row: at + 1, operation, ...(found && { errors: found }) })
  }
  return outcomes
}

/**
 * Stores what became of the rows of an import with every transaction of it.
 * @param total rows of the import
 * @param before outcomes of earlier slices
 */
export function keepProgress(
  key: EffectKey | undefined,
  total: number,
  before: ReadonlyMap<number, RowOutcome>,
): SliceObserver | undefined {
  const keep = key?.keepPart
  if (keep === undefined) return undefined
  return {
    written(tx, outcomes) {
      const rows = Array.from({ length: total }, () => ' ')
      const errors: [number, readonly RowError[]][] = []
      const all = new Map(before)
      for (const outcome of outcomes) all.set(outcome.row, outcome)
      for (const { row, operation, waits, errors: found } of all.values()) {
        // It is tried again by whoever goes on.
        if (waits === true) continue
        rows[row - 1] = marks[operation]
        if (found !== undefined && errors.length < maxKeptErrors) errors.push([row, found])
      }
      keep(tx, JSON.stringify({ rows: rows.join(''), errors } satisfies Part))
    },
  }
}
