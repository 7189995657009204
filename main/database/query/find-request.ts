// What a list asks for, after parsing and before any field is looked up.
import type { Filter } from '#shared/filter/filter.ts'
import type { SearchOperator } from '#shared/filter/resolved-filter.ts'
import type { SortTerm } from '#shared/filter/sort.ts'
import { invalidQuery } from '#shared/errors.ts'

/** A full-text query; `fields` narrows it, empty means every searched field. */
export interface SearchRequest {
  readonly query: string
  readonly fields: readonly string[]
  readonly operator: SearchOperator
}

/** Which records take part (D-60). */
export type DeletedMode = 'exclude' | 'include' | 'only'

/** One list request. */
export interface FindRequest {
  /** The caller's filter; null for every record. */
  readonly filter: Filter | null
  /** Condition of the caller's rights, ANDed; may use every field and is no part of the cursor's binding. */
  readonly rowCondition?: Filter | null
  readonly sort: readonly SortTerm[]
  /** Own field names; null for all readable ones. `id`, `created_at`, `updated_at` are always kept (D-77). */
  readonly select?: readonly string[] | null
  readonly top: number
  readonly skip?: number
  readonly cursor?: string | null
  readonly deleted?: DeletedMode
  /** Full-text query of the `search` parameter. */
  readonly search?: SearchRequest | null
}

/** Page size without `top`. */
export const defaultTop = 20
/** Largest page. */
export const maxTop = 1_000

/**
 * Checks page size and offset.
 * @throws invalid_query
 * @source D-75
 */
export function checkPage(top: number, skip: number, cursor: string | null | undefined, largest = maxTop): void {
  if (!Number.isInteger(top) || top < 1)
    throw invalidQuery('top', 'The page size must be an integer from 1.', { path: '' })
  if (top > largest) throw invalidQuery('top', `The page size is at most ${largest}.`, { path: '', limit: largest })
  if (!Number.isSafeInteger(skip) || skip < 0)
    throw invalidQuery('skip', 'The offset must be an integer from 0.', { path: '' })
  if (skip > 0 && cursor) throw invalidQuery('cursor', 'A cursor and an offset exclude each other.', { path: '' })
}
