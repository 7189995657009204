// Copies of all rows that a database holds of records, of what people say of them and of sync: what a backup of the model
// is, and what comes back when it is restored. Knows tables, nothing of what is in them.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { addWords } from '#main/plugins/feed/service/body-word-store.ts'

/** Rows by table. */
export type TableImage = ReadonlyMap<string, readonly Record<string, unknown>[]>

/** The tables that an image has: records, what deletions did, what people said, and everything of sync. */
export function imageTables(read: Pick<Reads, 'all'>): readonly string[] {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND (name GLOB 'o_*' OR name GLOB 'sync_*'
    OR name IN ('data_delete_effect', 'data_autonumber', 'feed_fact', 'feed_item', 'feed_reaction', 'feed_pin', 'feed_subscription')) ORDER BY name`
  return read.all(statement<{ name: string }>(sql)).map(({ name }) => name)
}

/** Copies the rows of some tables; @param withAside with what changes of definitions have put aside in them */
export function takeImage(read: Pick<Reads, 'all'>, tables: readonly string[], withAside: boolean): TableImage {
  return new Map(
    tables.map((table) => {
      const rows = read.all(statement<Record<string, unknown>>(`SELECT * FROM "${table}"`))
      return [
        table,
        rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => withAside || !isAside(name)))),
      ]
    }),
  )
}

/** Puts an image in place of what the tables hold. */
export function putImage(tx: Pick<Tx, 'run'>, image: TableImage): void {
  for (const [table, rows] of image) {
    tx.run(statement(`DELETE FROM "${table}"`))
    for (const row of rows) {
      const columns = Object.keys(row)
      const sql = `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
      tx.run(statement(sql, Object.values(row)))
    }
  }
  putWords(tx, image.get('feed_item') ?? [])
}

/** Whether a column holds what a change of definitions has put aside. */
export function isAside(column: string): boolean {
  return column.startsWith('$')
}

/** The index over what people said is no table with rows: it is made anew. */
function putWords(tx: Pick<Tx, 'run'>, items: readonly Record<string, unknown>[]): void {
  tx.run(statement(`INSERT INTO feed_word (feed_word) VALUES ('delete-all')`))
  for (const item of items) {
    const place = { object: item['object'] as string, recordId: item['record_id'] as string }
    addWords(tx, place, item['number'] as number, item['body'] as string | null)
  }
}
