// Counts, up to a small bound, how many records an index search would yield, so that a list can choose between
// "read few and sort" and "walk in order until the page is full". Answers are reused for a while.
import type { Reads, Statement } from '#main/kernel/database.ts'

/** Matches from here on count as many. */
export const manyMatches = 1_000

/** Answers whether a statement that counts up to a limit reaches it. */
export interface MatchEstimator {
  /** Row of the statement: `{matches}`. */
  hasMany(statement: Statement<{ matches: number }>): boolean
  clear(): void
}

const maxRemembered = 5_000
const usesPerAnswer = 200

/** Makes an estimator over a reading connection; `limit` is the one its statements count to. */
export function createMatchEstimator(read: Pick<Reads, 'get'>, limit = manyMatches): MatchEstimator {
  const answers = new Map<string, { many: boolean; uses: number }>()
  return {
    hasMany(statement) {
      const key = `${statement.sql}\n${JSON.stringify(statement.parameters)}`
      const known = answers.get(key)
      if (known && known.uses++ < usesPerAnswer) return known.many
      const many = (read.get(statement)?.matches ?? 0) >= limit
      if (answers.size >= maxRemembered) answers.clear()
      answers.set(key, { many, uses: 0 })
      return many
    },
    clear: () => answers.clear(),
  }
}
