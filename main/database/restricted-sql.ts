// Runs one foreign SELECT on a read-only connection that shows nothing but the views it is given. Runs in a process of
// its own, which the host kills at its limit. Knows no object and no right.
import BetterSqlite3 from 'better-sqlite3'
import { registerFunctions } from './query/functions.ts'

/** A foreign statement and everything it may see. */
export interface RestrictedQuery {
  readonly sql: string
  /** Values by position, or by name without the sign in front. */
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>
  /** Rows beyond this are cut off. */
  readonly limit: number
  /** Views by name with the SELECT each stands for and the tables it reads; they are the whole world of the statement. */
  readonly views: readonly { readonly name: string; readonly select: string; readonly tables: readonly string[] }[]
}

/** What a foreign statement answered. */
export interface RestrictedRows {
  readonly columns: readonly { readonly name: string; readonly type: string | null }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly truncated: boolean
}

const heapLimitBytes = 256 * 1024 * 1024

/** The statement is refused before it runs; the message says why. */
export class RestrictedSqlError extends Error {}

/**
 * Runs the statement.
 * @throws RestrictedSqlError for anything that is not one reading statement over the views; engine errors as they are
 * @source safety row C9
 */
export function runRestrictedSql(file: string, query: RestrictedQuery): RestrictedRows {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    connection.pragma(`hard_heap_limit = ${heapLimitBytes}`)
    connection.pragma('trusted_schema = OFF')
    connection.pragma('temp_store = MEMORY')
    registerFunctions(connection)
    for (const { name, select } of query.views) {
      connection.exec(`CREATE TEMP VIEW "${name.replaceAll('"', '""')}" AS ${select}`)
    }
    connection.pragma('query_only = ON')
    const statement = prepare(connection, query.sql)
    checkAccess(connection, query)
    const rows: unknown[][] = []
    let truncated = false
    for (const row of statement.raw(true).iterate(query.params)) {
      if (rows.length === query.limit) {
        truncated = true
        break
      }
      rows.push((row as unknown[]).map(jsonValue))
    }
    return { columns: statement.columns().map(({ name, type }) => ({ name, type })), rows, truncated }
  } finally {
    connection.close()
  }
}

function prepare(connection: BetterSqlite3.Database, sql: string): BetterSqlite3.Statement {
  const statement = connection.prepare(sql)
  if (!statement.reader || !statement.readonly)
    throw new RestrictedSqlError('The statement must read and nothing else.')
  return statement
}

/**
 * Reads the compiled program: every table and index it opens must belong to one of the views. This holds whatever the
 * text looks like.
 */
function checkAccess(connection: BetterSqlite3.Database, query: RestrictedQuery): void {
  const allowed = new Set(query.views.flatMap(({ tables }) => tables))
  const owners = new Map(
    (
      connection.prepare('SELECT rootpage, tbl_name FROM main.sqlite_schema WHERE rootpage > 0').all() as {
        rootpage: number
        tbl_name: string
      }[]
    ).map(({ rootpage, tbl_name }) => [rootpage, tbl_name]),
  )
  const program = connection.prepare(`EXPLAIN ${query.sql.replace(/^\s*explain(\s+query\s+plan)?\b/i, '')}`)
  const main = 0
  for (const step of program.iterate(query.params) as Iterable<{ opcode: string; p2: number; p3: number }>) {
    if (step.opcode === 'OpenRead' || step.opcode === 'ReopenIdx') {
      const owner = step.p3 === main ? owners.get(step.p2) : undefined
      if (owner === undefined || !allowed.has(owner))
        throw new RestrictedSqlError('The statement reads a hidden table.')
    } else if (step.opcode.startsWith('OpenWrite') || step.opcode === 'VUpdate') {
      throw new RestrictedSqlError('The statement must read and nothing else.')
    }
  }
}

/** Bytes as base64, integers beyond the exact range of JSON as text. */
function jsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  return value
}
