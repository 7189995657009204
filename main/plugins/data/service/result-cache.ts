// Keeps short answers of long reads for as long as nobody writes anything: a dashboard that is opened again, or by the
// next person with the same rights, does not count all rows anew. The statement holds the rights, so that two callers
// share an answer only where they would get the same one. Beside plan-cache.ts, not in it: an answer ends with every
// write of anybody, and would take the plans along.
import type { Statement } from '#main/kernel/database.ts'
import { statementKey } from '#main/kernel/database.ts'

/** The memory of one host. */
export interface ResultCache {
  get(statement: Statement): readonly unknown[] | undefined
  /**
   * Keeps an answer.
   * @param version of the database when the read began; an answer that others have overtaken meanwhile is not kept
   */
  put(statement: Statement, version: number, rows: readonly unknown[]): void
}

const maxAnswers = 200
const maxRows = 500
const maxBytes = 32_000

/**
 * Makes the memory.
 * @param version rises with every write and every change of tables
 */
export function createResultCache(version: () => number): ResultCache {
  const answers = new Map<string, string>()
  let keptAt = -1

  /** Forgets what was true before the last write. */
  const refresh = (): void => {
    if (keptAt === version()) return
    keptAt = version()
    answers.clear()
  }

  return {
    get(statement) {
      refresh()
      if (answers.size === 0) return undefined
      const text = answers.get(statementKey(statement))
      // Callers change the rows they get.
      return text === undefined ? undefined : (JSON.parse(text) as unknown[])
    },
    put(statement, since, rows) {
      refresh()
      if (since !== keptAt || rows.length > maxRows || !rows.every(isPlain)) return
      const text = JSON.stringify(rows)
      const key = statementKey(statement)
      if (text.length + key.length > maxBytes) return
      if (answers.size >= maxAnswers) answers.clear()
      answers.set(key, text)
    },
  }
}

/** Whether JSON brings the row back as it is: bytes and numbers without an end would not be the same. */
function isPlain(row: unknown): boolean {
  return Object.values(row as object).every(
    (value) => value === null || typeof value === 'string' || Number.isFinite(value),
  )
}
