// Pages of lists outside of records (D-14): limits, and cursors that belong to one list only. Knows no rows.
import { hash } from 'node:crypto'
import { validationError } from '#shared/errors.ts'

/** What of a list is asked for; an empty cursor is none. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** How many entries a page has when nothing is said, and at most. */
export interface PageBounds {
  readonly usual: number
  readonly most: number
}

/** The bounds of lists that need no others. */
export const standardBounds: PageBounds = { usual: 50, most: 200 }

/** Everything that makes a list this list and no other; JSON values. */
export type ListBinding = readonly unknown[]

/** Where a page begins. */
export interface PageStart {
  readonly limit: number
  /** The key of the last entry of the page before; null for the first page. */
  readonly after: string | null
}

/** A page, and where the next one begins. */
export interface ListPage<T> {
  shown: T[]
  hasMore: boolean
  nextCursor?: string
}

/** Reads limit and cursor. @throws validation_error */
export function readPage(query: PageQuery, { usual, most }: PageBounds, binding: ListBinding): PageStart {
  const limit = query.limit ?? usual
  if (limit < 1 || limit > most) {
    const code = limit < 1 ? 'min_value' : 'max_value'
    const constraint = limit < 1 ? 1 : most
    throw validationError([{ field: 'limit', code, message: `The limit is 1 to ${most}.`, value: limit, constraint }])
  }
  return { limit, after: query.cursor ? openCursor(query.cursor, binding) : null }
}

/** The page of what was found after its start, which is one entry more than fits when there are any. */
export function cutPage<T>(
  found: readonly T[],
  { limit }: PageStart,
  keyOf: (entry: T) => string,
  binding: ListBinding,
): ListPage<T> {
  const shown = found.slice(0, limit)
  const hasMore = found.length > limit
  return { shown, hasMore, ...(hasMore ? { nextCursor: makeCursor(keyOf(shown.at(-1)!), binding) } : {}) }
}

/** A page of a list that is in memory, in the order of its keys. @throws validation_error */
export function pageOf<T>(
  all: readonly T[],
  query: PageQuery,
  bounds: PageBounds,
  keyOf: (entry: T) => string,
  binding: ListBinding,
): ListPage<T> {
  const start = readPage(query, bounds, binding)
  const { after } = start
  return cutPage(after === null ? all : all.filter((entry) => keyOf(entry) > after), start, keyOf, binding)
}

const digestLength = 16

/** Holds nothing secret: the digest only tells a damaged or foreign cursor. */
function makeCursor(key: string, binding: ListBinding): string {
  const digest = hash('sha256', JSON.stringify([key, ...binding])).slice(0, digestLength)
  return Buffer.from(digest + key).toString('base64url')
}

function openCursor(cursor: string, binding: ListBinding): string {
  const key = Buffer.from(cursor.slice(0, 500), 'base64url').toString('utf8').slice(digestLength)
  if (makeCursor(key, binding) === cursor) return key
  const message = 'The cursor does not belong to this list.'
  throw validationError([{ field: 'cursor', code: 'invalid_format', message }])
}
