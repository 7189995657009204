// SQL of what schema changes put aside: the list of backups, and the columns and tables that hold them.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldDefinition } from '#shared/object-definition.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** What a backup holds. `table` is a copy a former version made. */
export type BackupKind = 'object' | 'field' | 'conversion' | 'table'

/** The definition a backup brings back. */
export interface BackedUpField {
  readonly name: string
  readonly definition: FieldDefinition
  /** Place among the fields. */
  readonly position: number
  /** What a conversion made of it; absent for a deleted field. */
  readonly next?: FieldDefinition
}

/** An object's item with the items that belonged to it. */
export interface BackedUpObject {
  readonly item: Record<string, unknown>
  readonly children: readonly {
    readonly type: MetadataType
    readonly name: string
    /** Absent in backups of former versions. */
    readonly uid?: string
    readonly item: Record<string, unknown>
  }[]
}

/** One backup. */
export interface SchemaBackup {
  readonly id: string
  readonly kind: BackupKind
  readonly object: string
  readonly objectUid: string | null
  readonly field: string | null
  /** The table that holds the values; of columns the object's own at the time. */
  readonly table: string
  /** Physical columns of a field, main column first. */
  readonly columns: readonly string[]
  /** Values kept; of a conversion those that were lost. */
  readonly records: number
  readonly definition: BackedUpField | BackedUpObject | null
  readonly createdAt: string
  readonly expiresAt: string
}

interface Row {
  id: string
  kind: BackupKind
  object: string
  object_uid: string | null
  field: string | null
  table_name: string
  columns: string | null
  records: number
  definition: string | null
  created_at: string
  expires_at: string | null
}

/** Days a backup is kept. @source D-101 */
export const backupDays = 30

/** The instant a backup made at `createdAt` expires. */
export function expiryOf(createdAt: string): string {
  return new Date(Date.parse(createdAt) + backupDays * 86_400_000).toISOString()
}

/** Remembers a backup. */
export function addBackup(tx: Tx, backup: SchemaBackup): void {
  tx.run(
    statement(
      `INSERT INTO data_schema_backup
        (id, kind, object, object_uid, field, table_name, columns, records, definition, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        backup.id,
        backup.kind,
        backup.object,
        backup.objectUid,
        backup.field,
        backup.table,
        JSON.stringify(backup.columns),
        backup.records,
        backup.definition === null ? null : JSON.stringify(backup.definition),
        backup.createdAt,
        backup.expiresAt,
      ],
    ),
  )
}

/** Every backup, newest first. */
export function allBackups(read: Reader): SchemaBackup[] {
  return read.all<Row>(statement('SELECT * FROM data_schema_backup ORDER BY created_at DESC, id DESC')).map((row) => ({
    id: row.id,
    kind: row.kind,
    object: row.object,
    objectUid: row.object_uid,
    field: row.field,
    table: row.table_name,
    columns: row.columns === null ? [] : (JSON.parse(row.columns) as string[]),
    records: row.records,
    definition: row.definition === null ? null : (JSON.parse(row.definition) as BackedUpField | BackedUpObject),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? expiryOf(row.created_at),
  }))
}

/** Keeps a backup until an instant, longer than it would be. */
export function extendBackup(tx: Tx, id: string, expiresAt: string): void {
  tx.run(
    statement('UPDATE data_schema_backup SET expires_at = ? WHERE id = ? AND expires_at < ?', [
      expiresAt,
      id,
      expiresAt,
    ]),
  )
}

/** Forgets a backup; its columns or table are the caller's concern. */
export function removeBackup(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM data_schema_backup WHERE id = ?', [id]))
}

/** Forgets the backup of an object whose table comes back. */
export function removeTableBackup(tx: Tx, table: string): void {
  tx.run(statement(`DELETE FROM data_schema_backup WHERE kind = 'object' AND table_name = ?`, [table]))
}

/** Notes that an object goes by another name, so that its backups are found under it. */
export function renameBackups(tx: Tx, objectUid: string, object: string, table: string): void {
  tx.run(
    statement('UPDATE data_schema_backup SET object = ?, table_name = ? WHERE object_uid = ?', [
      object,
      table,
      objectUid,
    ]),
  )
}

/** Notes that columns put aside are now part of another table. */
export function moveBackups(tx: Tx, objectUid: string, table: string): void {
  tx.run(
    statement(`UPDATE data_schema_backup SET table_name = ? WHERE object_uid = ? AND kind <> 'object'`, [
      table,
      objectUid,
    ]),
  )
}

/** Whether a table exists. */
export function tableExists(read: Reader, table: string): boolean {
  return read.get(statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, [table])) !== undefined
}
