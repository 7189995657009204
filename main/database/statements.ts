// Keeps prepared statements of one connection by their SQL text. Knows neither transactions nor who asks.
import type { RunResult, Statement } from '#main/kernel/database.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import type BetterSqlite3 from 'better-sqlite3'
import { translateEngineError } from './engine-errors.ts'
import type { Connection } from './open.ts'

type Prepared = BetterSqlite3.Statement<[readonly unknown[]], unknown>

/** Runs statements on one connection, preparing each text once. */
export interface Statements {
  all<Row>(statement: Statement<Row>): Row[]
  get<Row>(statement: Statement<Row>): Row | undefined
  run(statement: Statement<unknown>): RunResult
  /** Runs statements that return nothing, without keeping them. */
  exec(sql: string): void
  /** Forgets every prepared statement; needed after each change of the schema. */
  clear(): void
  /** Number of statements run so far. */
  count(): number
  /** Rises with every statement that may have changed something, whether or not it answered rows. */
  writes(): number
  /** Number of statements kept. */
  size(): number
}

/** Makes the cache of one connection; at most `capacity` statements are kept. */
export function createStatements(connection: Connection, capacity = 500): Statements {
  const kept = createRecentMap<Prepared>(capacity)
  let count = 0
  let writes = 0

  /** Statements that answer rows may change some too: those that return what they wrote. */
  const noted = (prepared: Prepared): Prepared => {
    if (!prepared.readonly) writes += 1
    return prepared
  }

  const prepare = (sql: string): Prepared => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    const prepared = connection.prepare(sql) as unknown as Prepared
    kept.set(sql, prepared)
    return prepared
  }

  return {
    all<Row>(statement: Statement<Row>) {
      count += 1
      try {
        return noted(prepare(statement.sql)).all(statement.parameters) as Row[]
      } catch (error) {
        throw translateEngineError(error)
      }
    },
    get<Row>(statement: Statement<Row>) {
      count += 1
      try {
        return noted(prepare(statement.sql)).get(statement.parameters) as Row | undefined
      } catch (error) {
        throw translateEngineError(error)
      }
    },
    run(statement) {
      count += 1
      try {
        const result = prepare(statement.sql).run(statement.parameters)
        if (result.changes > 0) writes += 1
        return result
      } catch (error) {
        throw translateEngineError(error)
      }
    },
    exec(sql) {
      count += 1
      try {
        // Another process may have changed tables meanwhile. Statements that read notice it and look again; those that
        // change a table trust what the connection knew, and would miss a new column.
        connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
        connection.exec(sql)
      } catch (error) {
        throw translateEngineError(error)
      }
    },
    clear: kept.clear,
    count: () => count,
    writes: () => writes,
    size: kept.size,
  }
}
