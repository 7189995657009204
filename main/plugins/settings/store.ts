// SQL of the table settings_option: JSON values by option name. Relies on its primary key only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** Every stored value by option name; options at their default have none. */
export function readOptions(read: Pick<Reads, 'all'>): Map<string, unknown> {
  const rows = read.all(statement<{ name: string; value: string }>('SELECT name, value FROM settings_option'))
  return new Map(rows.map((row) => [row.name, JSON.parse(row.value) as unknown]))
}

/** Stores a value in place of an older one. */
export function putOption(tx: Tx, row: { name: string; value: unknown; at: string; by: string }): void {
  tx.run(
    statement(
      `INSERT INTO settings_option (name, value, updated_at, updated_by) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
      [row.name, JSON.stringify(row.value), row.at, row.by],
    ),
  )
}

/** Sets an option back to its default. */
export function deleteOption(tx: Tx, name: string): void {
  tx.run(statement('DELETE FROM settings_option WHERE name = ?', [name]))
}
