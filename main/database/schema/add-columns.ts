// Adds columns to a table of any size at once. ALTER TABLE looks at every row of a STRICT table to see whether the
// default fits; new columns are not in the rows at all, so that only the stored text of the table has to change.
import type { Connection } from '../open.ts'
import { quoteName } from './sql-text.ts'

/**
 * Adds columns at the end of a table inside the open transaction; existing rows read the default.
 * @param definitions name, type and default of each column as in CREATE TABLE; the default must fit the type
 * @throws Error when the table is unknown or the definitions are no SQL; the caller then rolls back
 * @source https://www.sqlite.org/lang_altertable.html#otheralter
 */
export function addColumns(connection: Connection, table: string, definitions: readonly string[]): void {
  const text = connection.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`).pluck().get(table)
  if (typeof text !== 'string') throw new Error(`There is no table ${table}.`)
  // What stands behind the last bracket are the options of the table.
  const end = text.lastIndexOf(')')
  const next = `${text.slice(0, end).trimEnd()},\n  ${definitions.join(',\n  ')}\n${text.slice(end)}`
  editSchema(connection, () => {
    connection.prepare(`UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?`).run(next, table)
  })
  // Reading the schema anew shows whether it is one.
  connection.prepare(`SELECT * FROM ${quoteName(table)} LIMIT 0`).get()
}

/** Runs `edit` with write access to the stored schema and tells every connection that it changed. */
export function editSchema(connection: Connection, edit: () => void): void {
  connection.unsafeMode(true)
  try {
    connection.pragma('writable_schema = ON')
    edit()
    const version = connection.pragma('schema_version', { simple: true })
    connection.pragma(`schema_version = ${Number(version) + 1}`)
  } finally {
    connection.pragma('writable_schema = RESET')
    connection.unsafeMode(false)
  }
}
