// Builds an index of a large table in slices. CREATE INDEX holds the write lock until it is done; here the lock is held
// for one slice at a time. The entries are sorted from a snapshot without any lock, appended slice by slice to an index
// of a table of their own (the holder), brought up to date from a log that triggers keep, and then the finished index is
// handed over to the large table by a change of the stored schema: an index of equal columns with equal row numbers is the
// same tree of pages, whichever table it belongs to.
//
// Rows pass through the holder: it is emptied after each slice while the index is not attached to it, so that what was
// appended stays. A committed state always has the index attached, and dropping the holder frees all of it.
import type { IndexShape } from '#main/kernel/database.ts'
import type { LogCopy } from '../log-sync.ts'
import type { Connection } from '../open.ts'
import { editSchema } from './add-columns.ts'
import { createIndexSql, indexRows } from './physical-indexes.ts'
import { quoteName } from './sql-text.ts'

const holder = '_index_build'
const entries = '_index_build_entries'
const log = '_index_build_log'
const sorted = 'index_build_sorted'
const triggers = ['insert', 'update', 'delete'].map((event) => `_index_build_${event}`)

/** The statements that drop what a build left behind; what it had built goes with its holder. */
export const dropUnfinishedBuildSql: readonly string[] = [
  ...triggers.map((name) => `DROP TRIGGER IF EXISTS ${name}`),
  `DROP TABLE IF EXISTS ${holder}`,
  `DROP TABLE IF EXISTS ${log}`,
]

/**
 * Drops what a build that was cut off left behind in a file that nobody else writes to.
 * @param copy takes what that writes for a second place
 */
export function dropUnfinishedBuild(connection: Connection, copy?: LogCopy): void {
  const found = connection.prepare(`SELECT 1 FROM sqlite_schema WHERE name IN ('${holder}', '${log}')`).get()
  if (found === undefined) return
  connection
    .transaction(() => {
      for (const sql of dropUnfinishedBuildSql) connection.exec(sql)
      copy?.mark()
    })
    .immediate()
  copy?.take()
}

/** A build under way; the steps are called in order and each holds the write lock only while it runs. */
export interface IndexBuild {
  /** Makes holder and log. Takes the write lock for a moment. */
  begin(): void
  /** Sorts the entries of all rows. Takes no lock; lasts as long as the table is large. */
  sort(): void
  /** Appends, or catches up with, one slice. @returns false when nothing is left but to finish */
  slice(): boolean
  /** Catches up with the last changes and hands the index over. */
  finish(): void
}

/** What a slice may take: others wait for it. */
const sliceMs = 12
const firstSlice = 4_000
const logSlice = 2_000

/**
 * Makes the build of one index on a read-write connection of its own.
 * @throws Error from any step; the caller then runs {@link dropUnfinishedBuildSql}
 * @source https://www.sqlite.org/fileformat2.html#index_b_trees
 */
export function createIndexBuild(connection: Connection, index: IndexShape): IndexBuild {
  const columns = [...new Set(index.keys.map((key) => key.column))]
  const own = new Map(columns.map((column, i) => [column, `k${i}`]))
  const kept = [...own.values()].join(', ')
  const from = (row: string): string => columns.map((column) => `${row}.${quoteName(column)}`).join(', ')
  const rows = (row: string): string => `${row}.${indexRows(index)}`
  const table = quoteName(index.table)
  const entriesSql = `CREATE INDEX ${entries} ON ${holder} (${index.keys
    .map(({ column, noCase }) => `${own.get(column)!}${noCase ? ' COLLATE NOCASE' : ''}`)
    .join(', ')})`
  let root = 0
  let next = 1
  let size = firstSlice
  let total = 0
  /** Entries of the log that are in the index. */
  let caughtUp = 0

  const write = <T>(work: () => T): T => connection.transaction(work).immediate()
  const count = (sql: string): number => Number(connection.prepare(sql).pluck().get() ?? 0)

  const detach = (): void => {
    root = count(`SELECT rootpage FROM sqlite_schema WHERE name = '${entries}'`)
    inSchema(connection, () => connection.exec(`DELETE FROM sqlite_schema WHERE name = '${entries}'`))
  }
  const give = (name: string, owner: string, sql: string): void => {
    const insert = `INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('index', ?, ?, ?, ?)`
    connection.prepare(insert).run(name, owner, root, sql)
  }
  const attach = (): void => inSchema(connection, () => give(entries, holder, entriesSql))
  /** Empties the holder without touching the index. */
  const emptyHolder = (): void => {
    detach()
    connection.exec(`DELETE FROM ${holder}`)
    attach()
  }

  /** Brings the index from the state at `caughtUp` of the log to that at `until`. */
  const catchUp = (until: number): void => {
    const first = `SELECT min(seq) FROM ${log} WHERE seq > ${caughtUp} AND seq <= ${until} GROUP BY r`
    const changed = `SELECT r FROM ${log} WHERE seq > ${caughtUp} AND seq <= ${until}`
    const later = `SELECT min(seq) FROM ${log} WHERE seq > ${until} AND r IN (${changed}) GROUP BY r`
    // An entry of the log says what its row was before: the first one what the index has, the next one what became of it.
    const insert = (seqs: string): string =>
      `INSERT INTO ${holder} (r, ${kept}) SELECT r, ${kept} FROM ${log} WHERE was = 1 AND seq IN (${seqs})`
    detach()
    connection.exec(insert(first))
    attach()
    // Row by row: without a condition all of the index would be emptied.
    connection.exec(`DELETE FROM ${holder} WHERE r IN (${changed})`)
    connection.exec(insert(later))
    connection.exec(`INSERT INTO ${holder} (r, ${kept}) SELECT t.rowid, ${from('t')} FROM ${table} AS t
      WHERE ${rows('t')} AND t.rowid IN (${changed} EXCEPT SELECT r FROM ${log} WHERE seq > ${until})`)
    emptyHolder()
    caughtUp = until
  }
  const requireComplete = (): void => {
    const built = count(`SELECT count(*) FROM ${holder} INDEXED BY ${entries} WHERE r >= 0 OR r < 0`)
    if (built !== total) throw new Error(`The index ${index.name} has ${built} of ${total} entries.`)
  }
  const newest = (): number => count(`SELECT max(seq) FROM ${log}`)

  return {
    begin() {
      const types = new Map(
        (connection.pragma(`table_info(${table})`) as { name: string; type: string }[]).map((row) => [
          row.name,
          row.type,
        ]),
      )
      const typed = columns.map((column) => `${own.get(column)!} ${types.get(column)!}`).join(', ')
      const remember = (event: string, row: 'old' | 'new', was: string): string =>
        `CREATE TRIGGER _index_build_${event.slice(0, 6).toLowerCase()} AFTER ${event} ON ${table} BEGIN
          INSERT INTO ${log} (r, was, ${kept}) VALUES (${row}.rowid, ${was}, ${from(row)}); END`
      const watched = [...new Set([...columns, 'deleted_at'])].map(quoteName).join(', ')
      write(() => {
        for (const sql of dropUnfinishedBuildSql) connection.exec(sql)
        connection.exec(`CREATE TABLE ${holder} (r INTEGER PRIMARY KEY, ${typed}) STRICT`)
        connection.exec(entriesSql)
        connection.exec(
          `CREATE TABLE ${log} (seq INTEGER PRIMARY KEY, r INTEGER NOT NULL, was INTEGER NOT NULL, ${typed}) STRICT`,
        )
        connection.exec(remember('INSERT', 'new', '0'))
        connection.exec(remember(`UPDATE OF ${watched}`, 'old', rows('old')))
        connection.exec(remember('DELETE', 'old', rows('old')))
      })
    },

    sort() {
      connection.exec(`DROP TABLE IF EXISTS temp.${sorted}`)
      const order = index.keys
        .map(({ column, noCase }) => `t.${quoteName(column)}${noCase ? ' COLLATE NOCASE' : ''}`)
        .join(', ')
      // One snapshot says what the entries are and up to where they know of changes.
      connection.transaction(() => {
        caughtUp = newest()
        connection.exec(
          `CREATE TEMP TABLE ${sorted} AS SELECT t.rowid AS r, ${columns
            .map((column) => `t.${quoteName(column)} AS ${own.get(column)!}`)
            .join(', ')} FROM ${table} AS t WHERE ${rows('t')} ORDER BY ${order}, t.rowid`,
        )
      })()
      total = count(`SELECT max(rowid) FROM temp.${sorted}`)
    },

    slice() {
      const started = performance.now()
      if (next <= total) {
        const end = next + size
        write(() => {
          connection.exec(`INSERT INTO ${holder} (r, ${kept})
            SELECT r, ${kept} FROM temp.${sorted} WHERE rowid >= ${next} AND rowid < ${end}`)
          emptyHolder()
        })
        next = end
        const tookMs = performance.now() - started
        size = Math.max(500, Math.round(size * Math.min(1.5, Math.max(0.5, sliceMs / tookMs))))
        if (next > total) requireComplete()
        return true
      }
      if (newest() - caughtUp <= logSlice) return false
      write(() => catchUp(caughtUp + logSlice))
      return true
    },

    finish() {
      write(() => {
        catchUp(newest())
        detach()
        editSchema(connection, () => give(index.name, index.table, createIndexSql(index)))
        for (const sql of dropUnfinishedBuildSql) connection.exec(sql)
      })
      connection.exec(`DROP TABLE temp.${sorted}`)
    },
  }
}

/**
 * Changes the stored schema for this connection's eyes alone: before COMMIT it is as it was, so that nobody else has to
 * read it anew.
 */
function inSchema(connection: Connection, edit: () => void): void {
  connection.unsafeMode(true)
  try {
    connection.pragma('writable_schema = ON')
    edit()
  } finally {
    connection.pragma('writable_schema = RESET')
    connection.unsafeMode(false)
  }
}
