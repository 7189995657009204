// The full-text index over the bodies of items. Every word carries a mark of its record, so that a search costs what the
// record's feed is long, not what the workspace holds. Documents leave with the very words they came with, as it takes for
// nothing of them to stay in the file (D4); a change of how words are folded therefore rebuilds this index.
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { parseSearch } from '#main/database/full-text/search-query.ts'
import { markedText } from '#main/database/full-text/search-text.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import type { Place } from './place.ts'
import type { Condition } from './viewer-store.ts'

/** Adds the words of a body. */
export function addWords(tx: Pick<Tx, 'run'>, place: Place, number: number, body: string | null): void {
  if (body === null) return
  tx.run(statement('INSERT INTO feed_word (rowid, body) VALUES (?, ?)', [number, markedText(body, markOf(place))]))
}

/** Removes the words of a body; it must be the one they came from. */
export function removeWords(tx: Pick<Tx, 'run'>, place: Place, number: number, body: string | null): void {
  if (body === null) return
  const sql = `INSERT INTO feed_word (feed_word, rowid, body) VALUES ('delete', ?, ?)`
  tx.run(statement(sql, [number, markedText(body, markOf(place))]))
}

/**
 * The condition of a search over items of a record, with the alias `i` (D-88).
 * @throws validation_error with more terms than a search may have
 */
export function searchCondition(place: Place, text: string): Condition {
  const query = parsed(text, markOf(place))
  const hits = 'SELECT rowid FROM feed_word WHERE feed_word MATCH ?'
  if (query?.match != null) return { sql: `i.number IN (${hits})`, values: [query.match] }
  if (query?.exclude != null)
    return { sql: `i.body IS NOT NULL AND i.number NOT IN (${hits})`, values: [query.exclude] }
  return { sql: 'FALSE', values: [] }
}

function parsed(text: string, mark: string): ReturnType<typeof parseSearch> {
  try {
    return parseSearch(text, 'and', mark)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { reason, limit } = error.details
    throw validationError([{ field: 'query', code: 'max_items', message: String(reason), constraint: limit }])
  }
}

/** Twelve digits of the record's id: enough to keep records apart, and equally long for all. */
function markOf({ recordId }: Place): string {
  return recordId.replaceAll('-', '').slice(-12)
}
