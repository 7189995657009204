// Keeps the statistics of the query planner fresh: without them it may choose an index that then needs a sort.
// Knows no tables.
import { statement } from '#main/kernel/database.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'

/** The keeper of one database. */
export interface StatisticsKeeper {
  /** Analyses what has none, or has grown or shrunk tenfold since it was analysed. Cheap when there is nothing to do. */
  refresh(): Promise<void>
  stop(): void
}

const everyMs = 30_000
/** Rows looked at per index: a large table then holds the event loop for tens of milliseconds, not for seconds. */
const rowsPerIndex = 400
/** All tables, not only those this connection has queried. */
const allTables = 0x10002
/** Names the statements instead of running them. */
const onlyName = 0x1

/**
 * Makes the keeper; it looks twice a minute whether anything was written.
 * @param groups number of transactions committed so far
 */
export function keepStatistics(options: { write: Write; groups: () => number; log: Logger }): StatisticsKeeper {
  let seen = options.groups()

  const refresh = async (): Promise<void> => {
    const due = await options.write('statistics due', (tx) => {
      tx.all(statement(`PRAGMA analysis_limit = ${rowsPerIndex}`))
      const rows = tx.all<Record<string, string>>(statement(`PRAGMA optimize = ${allTables | onlyName}`))
      return rows.flatMap((row) => Object.values(row))
    })
    // A job each: of a large table's cold pages one alone may take a while. As DDL: plans and statements that were made
    // without these figures are dropped.
    for (const sql of due) await options.write('statistics', (tx) => tx.ddl(sql))
    // Connections read the figures together with the schema: the readers look again when it seems to have changed.
    if (due.length > 0)
      await options.write('statistics', (tx) =>
        tx.ddl('CREATE TABLE "_statistics_changed" (x); DROP TABLE "_statistics_changed"'),
      )
  }

  const timer = setInterval(() => {
    if (options.groups() === seen) return
    refresh()
      .catch((error: unknown) => options.log.warn({ err: error }, 'The statistics of the query planner are not fresh.'))
      .finally(() => {
        seen = options.groups()
      })
  }, everyMs).unref()

  return { refresh, stop: () => clearInterval(timer) }
}
