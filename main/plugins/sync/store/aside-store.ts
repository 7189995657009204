// SQL of the records a machine held before it joined a workspace: rows in, rows out. Judges nothing.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { selectMakers } from '#main/database/query/object-rows.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { hasDoc } from './doc-store.ts'

/** Keeps an object aside, and all records there are of it. */
export function keepAside(tx: Pick<Tx, 'run'>, schema: ObjectSchema): void {
  tx.run(statement('INSERT OR IGNORE INTO sync_aside (object, record) VALUES (?, ?)', [schema.uid, '']))
  const sql = `INSERT OR IGNORE INTO sync_aside (object, record) SELECT ?, id FROM (${selectMakers(schema)})`
  tx.run(statement(sql, [schema.uid]))
}

/** Whether a record is on this machine alone; one that others have by the same id is not. */
export function isKeptAside(read: Pick<Reads, 'get'>, object: string, record: string): boolean {
  const found = read.get(statement('SELECT 1 FROM sync_aside WHERE object = ? AND record = ?', [object, record]))
  return found !== undefined && !hasDoc(read, formatDocName({ kind: 'record', object, record }))
}

/** Whether an object was here before; what the workspace has of it, has a document. */
export function isObjectAside(read: Pick<Reads, 'get'>, object: string): boolean {
  return read.get(statement("SELECT 1 FROM sync_aside WHERE object = ? AND record = ''", [object])) !== undefined
}

/** How many records are kept aside, by the uid of their object; those that others have by the same id are not. */
export function countAside(read: Pick<Reads, 'all'>): ReadonlyMap<string, number> {
  const sql = `SELECT object, count(*) AS n FROM sync_aside WHERE record <> ''
    AND NOT EXISTS (SELECT 1 FROM sync_doc WHERE name = 'r/' || object || '/' || record) GROUP BY object`
  return new Map(read.all(statement<{ object: string; n: number }>(sql)).map(({ object, n }) => [object, n]))
}

/** Keeps records of an object aside no more, or one that is gone for good. */
export function endAside(tx: Pick<Tx, 'run'>, object: string, record?: string): void {
  const one = record === undefined ? '' : ' AND record = ?'
  tx.run(
    statement(`DELETE FROM sync_aside WHERE object = ?${one}`, [object, ...(record === undefined ? [] : [record])]),
  )
}
