// The table of what names a file. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A record, or an item of its feed, that names a file. */
export interface ReferenceRow {
  readonly file_id: string
  /** Uid. */
  readonly object: string
  readonly record_id: string
  /** Uid; empty for an item of the feed. */
  readonly field: string
  /** Id of an item of the feed; empty for a field. */
  readonly item: string
}

/** A place of a record that may name files: one of its fields, or an item of its feed. */
export type ReferencePlace = Omit<ReferenceRow, 'file_id'>

/** Everything that names a file. */
export function referencesTo(read: Pick<Reads, 'all'>, fileId: string): ReferenceRow[] {
  return read.all(statement<ReferenceRow>('SELECT * FROM storage_reference WHERE file_id = ?', [fileId]))
}

/** Makes a place name exactly these files. */
export function putReferences(tx: Tx, place: ReferencePlace, fileIds: readonly string[]): void {
  const { object, record_id: record, field, item } = place
  const of = 'record_id = ? AND object = ? AND field = ? AND item = ?'
  tx.run(statement(`DELETE FROM storage_reference WHERE ${of}`, [record, object, field, item]))
  const sql = `INSERT INTO storage_reference (file_id, object, record_id, field, item) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`
  for (const id of fileIds) tx.run(statement(sql, [id, object, record, field, item]))
}

/** Takes away everything that a record and its feed name. */
export function dropRecord(tx: Tx, object: string, recordId: string): void {
  tx.run(statement('DELETE FROM storage_reference WHERE record_id = ? AND object = ?', [recordId, object]))
}

/** Takes away some of what an object names; answers whether there may be more. */
export function dropSome(tx: Tx, object: string, limit: number): boolean {
  const sql = `DELETE FROM storage_reference WHERE (file_id, object, record_id, field, item) IN
    (SELECT file_id, object, record_id, field, item FROM storage_reference WHERE object = ? LIMIT ?)`
  return tx.run(statement(sql, [object, limit])).changes === limit
}

/** Takes away what names a file that is gone. */
export function dropFile(tx: Tx, fileId: string): void {
  tx.run(statement('DELETE FROM storage_reference WHERE file_id = ?', [fileId]))
}
