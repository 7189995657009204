// The tables of files, rules and the signing key. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A file as it is stored. */
export interface FileRow {
  readonly id: string
  readonly organization_id: string | null
  readonly scope: 'user' | 'private' | 'public' | 'system'
  readonly bucket: string
  readonly name: string
  /** Without the dot. */
  readonly extension: string
  readonly mime_type: string
  readonly size: number
  readonly sha256: string | null
  /**
   * `uploaded`: its bytes are here, nobody has completed it; `away`: it is complete, and its bytes are on other machines;
   * `lost`: it was ready, and its bytes are gone.
   */
  readonly status: 'pending' | 'uploaded' | 'ready' | 'away' | 'lost'
  /** JSON. */
  readonly metadata: string
  readonly created_by: string
  readonly created_at: number
  readonly updated_at: number
  /** When an upload that is not completed lapses; null for others. */
  readonly expires_at: number | null
  /** Device id of the machine it was uploaded on; null: this one. */
  readonly home: string | null
  /** The API key narrowed to permission sets that uploaded it; null: none, or one of another machine. */
  readonly key_id: string | null
}

/** What uploading makes of an announced file. */
export type FileBytes = Pick<FileRow, 'extension' | 'mime_type' | 'size' | 'sha256' | 'status' | 'updated_at'> &
  Pick<FileRow, 'expires_at'>

const columns =
  'id, organization_id, scope, bucket, name, extension, mime_type, size, sha256, status, metadata, created_by, ' +
  'created_at, updated_at, expires_at, home, key_id'

/** Adds a file. */
export function insertFile(tx: Tx, row: FileRow): void {
  const names = columns.split(', ') as (keyof FileRow)[]
  const sql = `INSERT INTO storage_file (${columns}) VALUES (${names.map(() => '?').join(', ')})`
  const values = names.map((name) => row[name])
  tx.run(statement(sql, values))
}

/** One file. */
export function readFile(read: Pick<Reads, 'get'>, id: string): FileRow | undefined {
  return read.get(statement<FileRow>(`SELECT ${columns} FROM storage_file WHERE id = ?`, [id]))
}

/** Stores what is known of the bytes of a file. */
export function putBytes(tx: Tx, id: string, bytes: FileBytes): void {
  const { extension, mime_type: type, size, sha256, status, updated_at: at, expires_at: expires } = bytes
  const sql = `UPDATE storage_file SET extension = ?, mime_type = ?, size = ?, sha256 = ?, status = ?, updated_at = ?,
    expires_at = ? WHERE id = ?`
  tx.run(statement(sql, [extension, type, size, sha256, status, at, expires, id]))
}

/** Makes a ready file one without bytes, or the other way round. */
export function putStatus(tx: Tx, id: string, status: FileRow['status']): void {
  tx.run(statement('UPDATE storage_file SET status = ? WHERE id = ?', [status, id]))
}

/** Removes a file. */
export function deleteFile(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM storage_file WHERE id = ?', [id]))
}

/** Whether the bytes of any file should lie here. */
export function namesBytes(read: Pick<Reads, 'get'>, sha256: string): boolean {
  return (
    read.get(statement(`SELECT 1 AS one FROM storage_file WHERE sha256 = ? AND status <> 'away' LIMIT 1`, [sha256])) !==
    undefined
  )
}

/** Bytes all files take here, each counted, those announced too. */
export function usedBytes(read: Pick<Reads, 'get'>): number {
  return read.get(
    statement<{ used: number }>(`SELECT coalesce(sum(size), 0) AS used FROM storage_file WHERE status <> 'away'`),
  )!.used
}

/** Which files a list shows. */
export interface FileListQuery {
  readonly owner: string
  /** Of the owner's files only those of this narrowed key; null: all. */
  readonly key: string | null
  /** Scopes of which every file is shown, not the owner's alone. */
  readonly open: readonly string[]
  /** Undefined: whatever the organization. */
  readonly organizationId: string | null | undefined
  readonly scope: string | undefined
  readonly search: string | undefined
  /** Only what no record and no item of a feed names. */
  readonly unused: boolean
  /** Only smaller ids. */
  readonly below: string | null
  readonly limit: number
}

/** Files by falling id; `used` is 1 for one that something names. */
export function listFiles(read: Pick<Reads, 'all'>, query: FileListQuery): (FileRow & { readonly used: 0 | 1 })[] {
  const { owner, key, open, organizationId, scope, search, unused, below, limit } = query
  const used = 'EXISTS (SELECT 1 FROM storage_reference WHERE storage_reference.file_id = storage_file.id)'
  const conditions = [
    `(created_by = ? AND (? IS NULL OR key_id = ?) AND scope <> 'system' OR scope IN (${open.map(() => '?').join(', ')}))`,
  ]
  const values: unknown[] = [owner, key, key, ...open]
  const add = (sql: string, ...given: unknown[]): void => {
    conditions.push(sql)
    values.push(...given)
  }
  if (organizationId !== undefined) add('(organization_id IS NULL OR organization_id = ?)', organizationId)
  if (scope !== undefined) add('scope = ?', scope)
  if (search !== undefined) add(`name LIKE ? ESCAPE '\\'`, `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
  if (unused) add(`NOT ${used}`)
  if (below !== null) add('id < ?', below)
  const sql = `SELECT ${columns}, ${used} AS used FROM storage_file WHERE ${conditions.join(' AND ')}
    ORDER BY id DESC LIMIT ?`
  return read.all(statement(sql, [...values, limit]))
}

/** Announced files whose time is over; those of chunked uploads are not among them. */
export function lapsedFiles(read: Pick<Reads, 'all'>, now: number, limit: number): FileRow[] {
  const sql = `SELECT ${columns} FROM storage_file WHERE expires_at <= ?
    AND NOT EXISTS (SELECT 1 FROM storage_upload WHERE storage_upload.file_id = storage_file.id) LIMIT ?`
  return read.all(statement<FileRow>(sql, [now, limit]))
}

/** Files that are or were ready whose checksum begins with two digits. */
export function filesWithBytes(
  read: Pick<Reads, 'all'>,
  digits: string,
): Pick<FileRow, 'id' | 'sha256' | 'size' | 'status'>[] {
  const sql = `SELECT id, sha256, size, status FROM storage_file
    WHERE sha256 IS NOT NULL AND sha256 >= ? AND sha256 < ? AND status IN ('ready', 'lost')`
  // Of hexadecimal digits, g comes after all.
  return read.all(statement(sql, [digits, `${digits}g`]))
}

/** Ids of the complete files above an id, those whose bytes are not here too. */
export function completeFiles(read: Pick<Reads, 'all'>, after: string, limit: number): Pick<FileRow, 'id'>[] {
  const sql = `SELECT id FROM storage_file WHERE id > ? AND sha256 IS NOT NULL AND status IN ('ready', 'away', 'lost')
    ORDER BY id LIMIT ?`
  return read.all(statement(sql, [after, limit]))
}

/** Whether a file of this id is complete and its bytes are not here. */
export function namesElsewhere(read: Pick<Reads, 'get'>, id: string): boolean {
  const sql = `SELECT 1 AS one FROM storage_file WHERE id = ? AND status IN ('away', 'lost')`
  return read.get(statement(sql, [id])) !== undefined
}

/** Complete files whose bytes are not here, newest first. @param below only what comes after this one; null for all */
export function filesElsewhere(
  read: Pick<Reads, 'all'>,
  below: Pick<FileRow, 'created_at' | 'id'> | null,
  limit: number,
): FileRow[] {
  const sql = `SELECT ${columns} FROM storage_file WHERE status IN ('away', 'lost') AND (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`
  return read.all(statement<FileRow>(sql, [below?.created_at ?? Number.MAX_SAFE_INTEGER, below?.id ?? '', limit]))
}

/** The rules by scope, as JSON. */
export function readRules(read: Pick<Reads, 'all'>): { readonly scope: string; readonly rule: string }[] {
  return read.all(statement('SELECT scope, rule FROM storage_rule ORDER BY scope'))
}

/** Replaces all rules. */
export function putRules(tx: Tx, rules: readonly { readonly scope: string; readonly rule: string }[]): void {
  tx.run(statement('DELETE FROM storage_rule'))
  for (const { scope, rule } of rules)
    tx.run(statement('INSERT INTO storage_rule (scope, rule) VALUES (?, ?)', [scope, rule]))
}

/** A key as it is sealed. */
export function readKey(read: Pick<Reads, 'get'>, name: string): string | undefined {
  return read.get(statement<{ sealed: string }>('SELECT sealed FROM storage_key WHERE name = ?', [name]))?.sealed
}

/** Stores a key in place of the one that was there. */
export function putKey(tx: Tx, name: string, sealed: string): void {
  const sql =
    'INSERT INTO storage_key (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed'
  tx.run(statement(sql, [name, sealed]))
}
