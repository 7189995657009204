// The database as the library sees it: a Kysely whose reads go to the read-only connection and whose writes are jobs of
// the write queue. Loaded with the library, at its first use.
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Reads, Write } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** What the library's statements run on. */
export interface QueuedDatabase {
  readonly read: Pick<Reads, 'all'>
  readonly write: Write
  /** Called after the COMMIT of each statement that changed rows of a table. */
  readonly onChange: (table: string) => void
}

/**
 * Makes the Kysely. Every statement is a job of its own: the library is told that there are no transactions, and what it
 * consumes once it consumes with one conditional DELETE.
 */
export function createQueuedKysely(database: QueuedDatabase): Kysely<unknown> {
  const connection: DatabaseConnection = {
    executeQuery: (query) => execute(database, query),
    streamQuery: () => {
      throw new Error('Streaming is not offered.')
    },
  }
  const refuse = (): Promise<never> => Promise.reject(new Error('Transactions are not offered to the library.'))
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  }
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

async function execute<Row>(database: QueuedDatabase, query: CompiledQuery): Promise<QueryResult<Row>> {
  const run = statement<Row>(query.sql, query.parameters.map(bindable))
  const { kind } = query.query
  if (kind === 'SelectQueryNode' || kind === 'RawNode') return { rows: database.read.all(run) }
  const returns = 'returning' in query.query && query.query.returning !== undefined
  return database.write(`auth.${kind}`, (tx) => {
    const rows = returns ? tx.all(run) : []
    const changes = returns ? rows.length : tx.run(run).changes
    if (changes > 0) tx.afterCommit(() => database.onChange(tableOf(query.sql)))
    return { rows, numAffectedRows: BigInt(changes) }
  })
}

/** The table a statement changes: the first quoted name of its text. */
function tableOf(sql: string): string {
  return /"([^"]+)"/.exec(sql)?.[1] ?? ''
}

/** SQLite knows neither booleans nor dates. */
function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  return value instanceof Date ? value.toISOString() : value
}
