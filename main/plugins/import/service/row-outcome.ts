// What became of one row, as the engine answers it and jobs keep it.
import type { FieldError } from '#shared/errors.ts'
import type { BulkResultItem } from '#main/plugins/data/api.ts'

/** One problem with a row. */
export interface RowError {
  readonly field?: string
  readonly code: string
  readonly message: string
}

/** Value before and after the import, by field. */
export type RowChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

/** What became of a row. */
export interface RowOutcome {
  /** From 1; the header does not count. */
  readonly row: number
  readonly operation: 'create' | 'update' | 'skip' | 'fail'
  readonly id?: string
  readonly errors?: readonly RowError[]
  /** The row failed only because it names records of its own object that are not there yet: later rows may be those. */
  readonly waits?: true
  /** For creates of jobs in objects with values of the engine: the digest of the record. */
  readonly seal?: string
  /** For updates of jobs: what the row changed. */
  readonly changes?: RowChanges
  /** Once the job was undone: what stayed and why; empty when nothing did. */
  readonly kept?: readonly RowError[]
}

/** The outcome without what the record held: the names of changed fields stay, the digest goes. */
export function withoutValues({ seal: _seal, changes, ...rest }: RowOutcome): RowOutcome {
  if (changes === undefined) return rest
  return { ...rest, changes: Object.fromEntries(Object.keys(changes).map((name) => [name, [null, null]])) }
}

/** The problems of a record that was not written, one per field. */
export function errorsOf(result: Pick<BulkResultItem, 'errors'>): RowError[] {
  const error = result.errors?.[0]
  const fieldErrors = (error?.details['fieldErrors'] as FieldError[] | undefined) ?? []
  if (fieldErrors.length > 0) return fieldErrors.map(({ field, code, message }) => ({ field, code, message }))
  return [{ code: error?.code ?? 'internal_error', message: error?.message ?? 'The row was not written.' }]
}
