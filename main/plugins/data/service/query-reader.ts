// Reads the members of a list query that are not filters or field names: page, flags, search words (D-72 to D-76).
import { invalidQuery } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import { readLooseConditions } from '#shared/filter/loose-conditions.ts'
import { parseFilter, parseFilterText } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { parseSelect } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { DeletedMode, SearchRequest } from '#main/database/query/find-request.ts'
import { defaultTop } from '#main/database/query/find-request.ts'
import type { RecordQuery } from '../api.ts'

/** Filter and loose conditions, joined with AND (D-73). @throws invalid_query */
export function readFilter(schema: ObjectSchema, query: RecordQuery, env: QueryEnv): Filter | null {
  const { filter, conditions, analytics, parsed } = query
  const given =
    filter === undefined || filter === null || filter === ''
      ? null
      : typeof filter === 'string'
        ? parseFilterText(filter)
        : parseFilter(filter)
  const loose = conditions === undefined ? null : readLooseConditions(schema, conditions, env)
  return allOf(given, loose, analytics?.where, parsed?.filter)
}

/** Page size and offset. @throws invalid_query */
export function readPage(
  query: RecordQuery,
  standard = defaultTop,
): { top: number; skip: number; cursor: string | null } {
  const { cursor } = query
  if (cursor !== undefined && cursor !== null && typeof cursor !== 'string') {
    throw invalidQuery('cursor', 'The cursor must be text.', { path: '' })
  }
  return {
    top: readInteger(query.top, 'top') ?? standard,
    skip: readInteger(query.skip, 'skip') ?? 0,
    cursor: cursor === undefined || cursor === null || cursor === '' ? null : cursor,
  }
}

/** A flag: a boolean, or its words in a query string (D-12). @throws invalid_query */
export function readFlag(value: unknown, parameter: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === '1' || value === '') return true
  if (value === 'false' || value === '0') return false
  throw invalidQuery(parameter, 'The value must be true, false, 1 or 0.', { path: '' })
}

/** Which records take part (D-60). @throws invalid_query */
export function readDeleted(value: unknown): DeletedMode {
  if (value === undefined || value === null || value === '') return 'exclude'
  if (value === 'exclude' || value === 'include' || value === 'only') return value
  throw invalidQuery('deleted', 'The value must be exclude, include or only.', { path: '' })
}

/** The full-text query; null when there is none (an empty search is no search, D-88). @throws invalid_query */
export function readSearch(query: RecordQuery): SearchRequest | null {
  const { search } = query
  if (search === undefined || search === null) return null
  const given = typeof search === 'string' ? { query: search } : search
  if (typeof given !== 'object' || Array.isArray(given))
    throw invalidQuery('search', 'The search must be text.', { path: '' })
  const words = given as { query?: unknown; fields?: unknown; operator?: unknown }
  if (typeof words.query !== 'string') throw invalidQuery('search', 'The search needs a text.', { path: 'query' })
  const operator = words.operator ?? 'and'
  if (operator !== 'and' && operator !== 'or') {
    throw invalidQuery('search', 'The operator must be "and" or "or".', { path: 'operator' })
  }
  if (words.query.trim() === '') return null
  const fields = parseSelect(words.fields ?? query.searchFields, 'searchFields') ?? []
  return { query: words.query, fields, operator }
}

function readInteger(value: unknown, parameter: string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value)
  throw invalidQuery(parameter, 'The value must be written in decimal digits.', { path: '' })
}
