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

/** What became of rows: see {@link Part}. */
interface Found {
  readonly letters: Buffer
  readonly errors: Map<number, readonly RowError[]>
}

/** Keeps how far an import is. */
export interface DirectProgress {
  /** Stores what became of all rows with every transaction that writes some. */
  readonly observer: SliceObserver
  /** What became of the rows of a slice that is done. */
  settle(outcomes: Iterable<RowOutcome>): void
}

/**
 * Makes it for an import with a key; undefined for one without.
 * @param total rows of the import
 */
export function keepProgress(key: EffectKey | undefined, total: number): DirectProgress | undefined {
  const keep = key?.keepPart
  if (keep === undefined) return undefined
  const settled: Found = { letters: Buffer.alloc(total, ' '), errors: new Map() }
  return {
    observer: {
      // Beside what is settled: a transaction that is lost is tried again with fewer rows.
      written(tx, outcomes) {
        const { letters, errors } = noted(
          { letters: Buffer.from(settled.letters), errors: new Map(settled.errors) },
          outcomes,
        )
        keep(tx, JSON.stringify({ rows: letters.toString('latin1'), errors: [...errors] } satisfies Part))
      },
    },
    settle: (outcomes) => void noted(settled, outcomes),
  }
}

function noted(found: Found, outcomes: Iterable<RowOutcome>): Found {
  for (const { row, operation, waits, errors } of outcomes) {
    // One that waits is tried again by whoever goes on.
    found.letters.write(waits === true ? ' ' : marks[operation], row - 1)
    if (waits === true || errors === undefined) found.errors.delete(row)
    else if (found.errors.size < maxKeptErrors) found.errors.set(row, errors)
  }
  return found
}
