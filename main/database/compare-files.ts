// Compares tables of the open database with those of a closed one, row by row of a key. Knows no plugin's tables and no
// folder; runs in a process of its own, because it reads both.
import type { Connection } from './open.ts'
import { quoteName } from './schema/sql-text.ts'

/** A table to compare: rows are the same by `keys`, and unchanged where `version` is equal. */
export interface ComparedTable {
  readonly table: string
  readonly keys: readonly string[]
  readonly version: string
  /** Leaves out rows in the trash. */
  readonly liveOnly?: true
  /** Most keys of differing rows to tell; none by default. */
  readonly told?: number
}

/** How the closed file's rows differ from the open one's, as a way back to them would change these. */
export interface TableComparison {
  readonly table: string
  /** Rows of the open file; null without the table. */
  readonly now: number | null
  /** Rows of the closed file; null without the table. */
  readonly then: number | null
  /** Rows of the closed file alone, of the open file alone, and those in both with another version. */
  readonly returning: number
  readonly going: number
  readonly reverting: number
  readonly rows: readonly { readonly key: readonly unknown[]; readonly change: 'returning' | 'going' | 'reverting' }[]
}

const changes = ['returning', 'going', 'reverting'] as const

/** Compares each of the tables. @throws Error when the file is no database */
export function compareTables(
  connection: Connection,
  file: string,
  tables: readonly ComparedTable[],
): TableComparison[] {
  connection.prepare('ATTACH ? AS other').run(file)
  try {
    return tables.map((table) => compareOne(connection, table))
  } finally {
    connection.exec('DETACH other')
  }
}

function compareOne(connection: Connection, compared: ComparedTable): TableComparison {
  const { table, keys, version, liveOnly, told = 0 } = compared
  const isThere = (schema: string): boolean =>
    connection.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !==
    undefined
  const has = { main: isThere('main'), other: isThere('other') }
  const list = keys.map(quoteName).join(', ')
  const source = (schema: 'main' | 'other'): string =>
    `(SELECT ${list}, ${quoteName(version)} AS v FROM ${schema}.${quoteName(table)} ${liveOnly ? 'WHERE deleted_at IS NULL' : ''})`
  const count = (sql: string): number => connection.prepare(sql).pluck().get() as number
  const now = has.main ? count(`SELECT count(*) FROM ${source('main')}`) : null
  const then = has.other ? count(`SELECT count(*) FROM ${source('other')}`) : null
  const nothing = { table, now, then, returning: 0, going: 0, reverting: 0, rows: [] }
  if (now === null || then === null) return { ...nothing, returning: then ?? 0, going: now ?? 0 }
  const same = keys.map((key) => `a.${quoteName(key)} = b.${quoteName(key)}`).join(' AND ')
  const missing = (from: 'main' | 'other', to: 'main' | 'other'): string =>
    `FROM ${source(from)} AS a WHERE NOT EXISTS (SELECT 1 FROM ${source(to)} AS b WHERE ${same})`
  const parts = {
    returning: missing('other', 'main'),
    going: missing('main', 'other'),
    reverting: `FROM ${source('other')} AS a JOIN ${source('main')} AS b ON ${same} WHERE a.v IS NOT b.v`,
  }
  const rows = changes.flatMap((change) =>
    told === 0
      ? []
      : connection
          .prepare(`SELECT ${keys.map((key) => `a.${quoteName(key)}`).join(', ')} ${parts[change]} LIMIT ${told}`)
          .raw()
          .all()
          .map((key) => ({ key: key as unknown[], change })),
  )
  const counted = Object.fromEntries(changes.map((change) => [change, count(`SELECT count(*) ${parts[change]}`)]))
  return { ...nothing, ...counted, rows }
}
