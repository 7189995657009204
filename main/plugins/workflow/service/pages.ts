// Pages of approvals (D-14): limits, and cursors that belong to one list only.
import { hash } from 'node:crypto'
import { validationError } from '#shared/errors.ts'

/** What of a list is asked for. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

const usual = 50
const most = 200

/**
 * Reads limit and cursor.
 * @param binding everything that makes the list this list and no other
 * @returns `after` is the key of the last entry of the page before; null for the first page
 * @throws validation_error
 */
export function readPage(query: PageQuery, binding: string): { limit: number; after: string | null } {
  const limit = query.limit ?? usual
  if (limit < 1 || limit > most) {
    const code = limit < 1 ? 'min_value' : 'max_value'
    const constraint = limit < 1 ? 1 : most
    throw validationError([{ field: 'limit', code, message: `The limit is 1 to ${most}.`, value: limit, constraint }])
  }
  if (query.cursor === undefined) return { limit, after: null }
  const key = Buffer.from(query.cursor.slice(0, 500), 'base64url').toString('utf8').slice(digestLength)
  if (cursorOf(key, binding) === query.cursor) return { limit, after: key }
  const message = 'The cursor does not belong to this list.'
  throw validationError([{ field: 'cursor', code: 'invalid_format', message }])
}

const digestLength = 16

/** The cursor behind an entry. */
export function cursorOf(key: string, binding: string): string {
  const digest = hash('sha256', `${binding}\n${key}`).slice(0, digestLength)
  return Buffer.from(digest + key).toString('base64url')
}
