// Pages of feeds and changelogs (D-14): limits, and cursors that belong to one list only. Knows no rows.
import { hash } from 'node:crypto'
import { validationError } from '#shared/errors.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'

/** One page of a list. */
export interface PageRequest {
  readonly limit: number
  /** Only what is older than this id; null for the first page. */
  readonly below: string | null
}

/** How many entries a page has when nothing is said, and at most. */
export interface PageBounds {
  readonly usual: number
  readonly most: number
}

/**
 * Reads limit and cursor.
 * @param binding everything that makes the list this list and no other
 * @throws validation_error
 */
export function readPage(
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  bounds: PageBounds,
  binding: readonly unknown[],
): PageRequest {
  const limit = query.limit ?? bounds.usual
  if (limit < 1 || limit > bounds.most) {
    const code = limit < 1 ? 'min_value' : 'max_value'
    const constraint = limit < 1 ? 1 : bounds.most
    const message = `The limit is 1 to ${bounds.most}.`
    throw validationError([{ field: 'limit', code, message, value: limit, constraint }])
  }
  return { limit, below: query.cursor === undefined ? null : openCursor(query.cursor, binding) }
}

/** The entries of a page and where the next one begins, out of one entry more than the page has. */
export function cutPage<T extends { readonly id: string }>(
  found: readonly T[],
  { limit }: PageRequest,
  binding: readonly unknown[],
): { shown: T[]; hasMore: boolean; nextCursor?: string } {
  const shown = found.slice(0, limit)
  const hasMore = found.length > limit
  return { shown, hasMore, ...(hasMore ? { nextCursor: makeCursor(shown.at(-1)!.id, binding) } : {}) }
}

function makeCursor(id: string, binding: readonly unknown[]): string {
  return Buffer.from(`${digest(id, binding)}${id}`).toString('base64url')
}

function openCursor(cursor: string, binding: readonly unknown[]): string {
  const text = Buffer.from(cursor.slice(0, 200), 'base64url').toString('latin1')
  const id = parseUuid(text.slice(digestLength))
  if (id !== null && makeCursor(id, binding) === cursor) return id
  const message = 'The cursor does not belong to this list.'
  throw validationError([{ field: 'cursor', code: 'invalid_format', message }])
}

const digestLength = 16

/** Holds nothing secret: it only tells a damaged or foreign cursor. */
function digest(id: string, binding: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([id, ...binding]), 'hex').slice(0, digestLength)
}
