// The tables of uploads in chunks. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** An upload as it is stored. */
export interface UploadRow {
  readonly id: string
  readonly file_id: string
  readonly created_by: string
  /** As that of its file, which may be gone before it. */
  readonly key_id: string | null
  /** SHA-256 of the token, hexadecimal. */
  readonly token_hash: string
  readonly filename: string
  readonly total_size: number
  readonly chunk_size: number
  readonly total_chunks: number
  readonly status: 'in_progress' | 'completing' | 'completed' | 'failed' | 'expired'
  readonly started_at: number
  readonly expires_at: number
}

/** A chunk that has arrived. */
export interface ChunkRow {
  readonly chunk_index: number
  readonly size: number
  readonly sha256: string
}

/** Adds an upload. */
export function insertUpload(tx: Tx, row: UploadRow): void {
  const sql = `INSERT INTO storage_upload (id, file_id, created_by, token_hash, filename, total_size, chunk_size,
    total_chunks, status, started_at, expires_at, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const { id, file_id: file, created_by: by, token_hash: token, filename, total_size: total } = row
  const { chunk_size: size, total_chunks: chunks, status, started_at: at, expires_at: expires, key_id: key } = row
  tx.run(statement(sql, [id, file, by, token, filename, total, size, chunks, status, at, expires, key]))
}

/** One upload. */
export function readUpload(read: Pick<Reads, 'get'>, id: string): UploadRow | undefined {
  return read.get(statement<UploadRow>('SELECT * FROM storage_upload WHERE id = ?', [id]))
}

/** The upload that brings a file. */
export function uploadOfFile(read: Pick<Reads, 'get'>, fileId: string): UploadRow | undefined {
  return read.get(statement<UploadRow>('SELECT * FROM storage_upload WHERE file_id = ?', [fileId]))
}

/** Changes the state of an upload. */
export function putUploadStatus(tx: Tx, id: string, status: UploadRow['status']): void {
  tx.run(statement('UPDATE storage_upload SET status = ? WHERE id = ?', [status, id]))
}

/** Removes an upload with its chunks. */
export function deleteUpload(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM storage_upload WHERE id = ?', [id]))
}

/** Forgets the chunks of an upload. */
export function deleteChunks(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM storage_chunk WHERE upload_id = ?', [id]))
}

/** Uploads in some states whose time is over. */
export function lapsedUploads(
  read: Pick<Reads, 'all'>,
  before: number,
  states: readonly UploadRow['status'][],
): UploadRow[] {
  const sql = `SELECT * FROM storage_upload WHERE expires_at <= ? AND status IN (${states.map(() => '?').join(', ')})
    LIMIT 100`
  return read.all(statement<UploadRow>(sql, [before, ...states]))
}

/** Ids of the uploads whose chunks are kept. */
export function openUploads(read: Pick<Reads, 'all'>): Pick<UploadRow, 'id'>[] {
  return read.all(
    statement<Pick<UploadRow, 'id'>>(
      `SELECT id FROM storage_upload WHERE status IN ('in_progress', 'completing', 'failed')`,
    ),
  )
}

/** Uploads that the end of the process has met while they were put together go on. */
export function reopenUploads(tx: Tx): void {
  tx.run(statement(`UPDATE storage_upload SET status = 'in_progress' WHERE status = 'completing'`))
}

/** The chunks of an upload in order. */
export function readChunks(read: Pick<Reads, 'all'>, uploadId: string): ChunkRow[] {
  const sql = 'SELECT chunk_index, size, sha256 FROM storage_chunk WHERE upload_id = ? ORDER BY chunk_index'
  return read.all(statement<ChunkRow>(sql, [uploadId]))
}

/** One chunk. */
export function readChunk(read: Pick<Reads, 'get'>, uploadId: string, index: number): ChunkRow | undefined {
  const sql = 'SELECT chunk_index, size, sha256 FROM storage_chunk WHERE upload_id = ? AND chunk_index = ?'
  return read.get(statement<ChunkRow>(sql, [uploadId, index]))
}

/** Notes a chunk in place of the one that was there. */
export function putChunk(tx: Tx, uploadId: string, { chunk_index: index, size, sha256 }: ChunkRow): void {
  const sql = `INSERT INTO storage_chunk (upload_id, chunk_index, size, sha256) VALUES (?, ?, ?, ?)
    ON CONFLICT (upload_id, chunk_index) DO UPDATE SET size = excluded.size, sha256 = excluded.sha256`
  tx.run(statement(sql, [uploadId, index, size, sha256]))
}

/** Forgets a chunk whose bytes are not those that arrived. */
export function deleteChunk(tx: Tx, uploadId: string, index: number): void {
  tx.run(statement('DELETE FROM storage_chunk WHERE upload_id = ? AND chunk_index = ?', [uploadId, index]))
}
