// Files that are sent in chunks, over any number of connections and starts of the host (D-184).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { UploadProgress } from '#shared/contracts/storage.ts'
import { storageLimits } from '#shared/contracts/storage.ts'
import { platformError, PlatformError, validationError } from '#shared/errors.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { storageError } from '../errors.ts'
import type { FileBytes, FileRow } from '../store.ts'
import { deleteFile, insertFile, putBytes, readFile } from '../store.ts'
import type { Arrived, ArrivalRules } from './arriving-bytes.ts'
import type { ByteStore } from './byte-store.ts'
import type { ChunkRow, UploadRow } from './chunk-store.ts'
import {
  deleteChunk,
  deleteChunks,
  deleteUpload,
  insertUpload,
  putChunk,
  putUploadStatus,
  readChunk,
  readChunks,
  readUpload,
} from './chunk-store.ts'
import type { FileAccess } from './file-access.ts'
import { hasUploaded } from './file-access.ts'
import type { FileAnnouncement, Files } from './files.ts'
import { pendingMs } from './files.ts'
import type { ChunkPlace, PartialFiles } from './partial-files.ts'
import type { IncomingBytes } from './uploads.ts'
import { bareTag } from './uploads.ts'

/** What the caller says of the chunks it sent. */
export type NamedPart = { readonly chunkIndex: number; readonly eTag?: string | undefined }

/** Uploads in chunks. */
export interface ChunkedUploads {
  start(
    ctx: RequestContext,
    announcement: FileAnnouncement & { readonly totalSize: number; readonly chunkSize: number },
  ): Promise<{ upload: UploadRow; resumeToken: string }>
  /** @throws upload_not_found, upload_expired, resume_token_invalid, chunk_invalid, conflict once it is complete */
  put(
    ctx: RequestContext,
    chunk: { readonly uploadId: string; readonly index: string; readonly token: string | undefined },
    bytes: IncomingBytes,
  ): Promise<ChunkRow>
  /** @throws upload_not_found */
  progress(ctx: RequestContext, uploadId: string): UploadProgress
  /** Puts the chunks together; again it answers the same. @throws upload_incomplete, checksum_mismatch and more */
  complete(ctx: RequestContext, uploadId: string, parts: readonly NamedPart[]): Promise<FileRow>
  /** @throws upload_not_found, conflict */
  abort(ctx: RequestContext, uploadId: string): Promise<string>
}

/** What they work with. */
export interface ChunkedParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly bytes: ByteStore
  readonly partials: PartialFiles
  readonly files: Files
  readonly access: FileAccess
}

/** Makes the uploads in chunks. */
export function createChunkedUploads(parts: ChunkedParts): ChunkedUploads {
  const { read, write, clock, ids, bytes, partials, files, access } = parts
  /** Completions under way: a second call waits for the first. */
  const completing = new Map<string, Promise<FileRow>>()

  const turns = new Map<string, Promise<void>>()

  /** One after the other: a chunk has one place. */
  const inTurn = (key: string, work: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(key) ?? Promise.resolve()).catch(() => undefined).then(work)
    turns.set(key, turn)
    const forget = (): void => {
      if (turns.get(key) === turn) turns.delete(key)
    }
    turn.then(forget, forget)
    return turn
  }

  const find = (from: Pick<Reads, 'get'>, ctx: RequestContext, given: string): UploadRow => {
    const id = parseUuid(given)
    const upload = id === null ? undefined : readUpload(from, id)
    if (upload === undefined || !hasUploaded(ctx, upload))
      throw storageError('upload_not_found', { uploadId: given.slice(0, 200) })
    return upload
  }

  const requireInTime = ({ id, status, expires_at: expires }: UploadRow): void => {
    if (status === 'completed') return
    if (status === 'expired' || expires <= clock.now()) throw storageError('upload_expired', { uploadId: id })
  }

  const requireOpen = (upload: UploadRow): void => {
    requireInTime(upload)
    if (upload.status === 'completed' || upload.status === 'completing')
      throw platformError('conflict', { reason: `upload_${upload.status}`, uploadId: upload.id })
  }

  /** A chunk that is not there yet, straight into its place. */
  const putInPlace = (
    ctx: RequestContext,
    place: ChunkPlace,
    source: AsyncIterable<Uint8Array>,
    rules: ArrivalRules,
    check: (arrived: Arrived) => void,
  ): Promise<void> => {
    const { uploadId, index } = place
    const notedBytes = (): number => {
      const upload = readUpload(read, uploadId)
      const last = upload && readChunks(read, uploadId).at(-1)
      return last ? last.chunk_index * upload.chunk_size + last.size : 0
    }
    const note = async (arrived: Arrived): Promise<void> => {
      check(arrived)
      await write('storage.chunk', (tx) => {
        requireOpen(find(tx, ctx, uploadId))
        putChunk(tx, uploadId, { chunk_index: index, ...arrived })
        putUploadStatus(tx, uploadId, 'in_progress')
      })
    }
    return partials.write(place, source, rules, { note, notedBytes })
  }

  /**
   * A chunk that is there, or on its way, beside its place first: until it is whole the other one counts, and bytes that are
   * the same are not written again.
   */
  const putAgain = async (
    ctx: RequestContext,
    place: ChunkPlace,
    source: AsyncIterable<Uint8Array>,
    rules: ArrivalRules,
    check: (arrived: Arrived) => void,
  ): Promise<void> => {
    const { uploadId, index } = place
    const arrived = await bytes.receive(source, rules)
    try {
      check(arrived)
      await inTurn(`${uploadId}/${index}`, async () => {
        const isSame = readChunk(read, uploadId, index)?.sha256 === arrived.sha256
        await write('storage.chunk', (tx) => {
          requireOpen(find(tx, ctx, uploadId))
          if (!isSame) deleteChunk(tx, uploadId, index)
          putUploadStatus(tx, uploadId, 'in_progress')
        })
        if (isSame) return
        await putInPlace(ctx, place, createReadStream(arrived.temporary), rules, check)
      })
    } finally {
      await bytes.discard(arrived)
    }
  }

  /** @throws upload_incomplete with all chunks that are not there */
  const requireAll = (from: Pick<Reads, 'all'>, { id, total_chunks: count }: UploadRow): readonly ChunkRow[] => {
    const chunks = readChunks(from, id)
    if (chunks.length === count) return chunks
    const arrived = new Set(chunks.map((chunk) => chunk.chunk_index))
    const all = Array.from({ length: count }, (_, index) => index)
    throw storageError('upload_incomplete', { uploadId: id, missing: all.filter((index) => !arrived.has(index)) })
  }

  const assemble = async (ctx: RequestContext, upload: UploadRow): Promise<FileRow> => {
    const chunks = await write('storage.completing', (tx) => {
      requireOpen(find(tx, ctx, upload.id))
      const all = requireAll(tx, upload)
      putUploadStatus(tx, upload.id, 'completing')
      return all
    })
    try {
      const known = chunks.map(({ chunk_index: index, size, sha256 }) => ({ index, size, sha256 }))
      const whole = await partials.finish(upload.id, upload.total_size, known)
      if ('lacking' in whole) {
        const { lacking } = whole
        await write('storage.chunk', (tx) => {
          for (const index of lacking) deleteChunk(tx, upload.id, index)
        })
        throw storageError('upload_incomplete', { uploadId: upload.id, missing: lacking })
      }
      const arrived = await bytes.take(whole)
      try {
        const announced = readFile(read, upload.file_id)!
        const { mimeType, extension } = await files.judge(announced, arrived)
        const { size, sha256 } = arrived
        const made: FileBytes = {
          extension,
          mime_type: mimeType,
          size,
          sha256,
          status: 'ready',
          updated_at: clock.now(),
          expires_at: null,
        }
        const ready: FileRow = { ...announced, ...made }
        await bytes.keep(arrived, () =>
          write('storage.complete', (tx) => {
            files.requireQuota(tx, 0)
            putBytes(tx, ready.id, made)
            putUploadStatus(tx, upload.id, 'completed')
            deleteChunks(tx, upload.id)
            files.announceReady(tx, ctx, ready)
          }),
        )
        await partials.remove(upload.id)
        return ready
      } finally {
        await bytes.discard(arrived)
      }
    } catch (error) {
      const isRefused = error instanceof PlatformError && error.category === 'validation'
      await write('storage.completing', (tx) =>
        putUploadStatus(tx, upload.id, isRefused ? 'failed' : 'in_progress'),
      ).catch(() => undefined)
      throw error
    }
  }

  return {
    async start(ctx, announcement) {
      const { totalSize, chunkSize } = announcement
      const file = files.announce(ctx, announcement, totalSize)
      const limitBytes = storageLimits.chunkedBytes
      if (totalSize > limitBytes) throw storageError('file_too_large', { limitBytes })
      files.judgeEarly(file)
      const resumeToken = randomBytes(32).toString('base64url')
      const upload: UploadRow = {
        id: ids.uuid(),
        file_id: file.id,
        created_by: ctx.actor.id,
        key_id: file.key_id,
        token_hash: hashOf(resumeToken).toString('hex'),
        filename: file.name,
        total_size: totalSize,
        chunk_size: chunkSize,
        total_chunks: Math.ceil(totalSize / chunkSize),
        status: 'in_progress',
        started_at: file.created_at,
        expires_at: file.created_at + pendingMs,
      }
      await write('storage.start', (tx) => {
        files.requireQuota(tx, totalSize)
        insertFile(tx, file)
        insertUpload(tx, upload)
      })
      return { upload, resumeToken }
    },
    async put(ctx, { uploadId, index: text, token }, { stream, length }) {
      access.requireOpen(ctx)
      const upload = find(read, ctx, uploadId)
      requireInTime(upload)
      const own = Buffer.from(upload.token_hash, 'hex')
      if (token === undefined || !timingSafeEqual(hashOf(token), own))
        throw storageError('resume_token_invalid', { uploadId: upload.id })
      requireOpen(upload)
      const index = /^\d{1,9}$/.test(text) ? Number(text) : -1
      if (index < 0 || index >= upload.total_chunks)
        throw storageError('chunk_invalid', { reason: 'index', totalChunks: upload.total_chunks })
      const isLast = index === upload.total_chunks - 1
      const expectedBytes = isLast ? upload.total_size - index * upload.chunk_size : upload.chunk_size
      const wrongLength = (): Error =>
        storageError('chunk_invalid', { reason: 'size', chunkIndex: index, expectedBytes })
      if (length !== undefined && length !== expectedBytes) throw wrongLength()
      let sha256 = ''
      const check = (arrived: Arrived): void => {
        if (arrived.size !== expectedBytes) throw wrongLength()
        sha256 = arrived.sha256
      }
      const place = { uploadId: upload.id, index, position: index * upload.chunk_size }
      const rules = { limitBytes: expectedBytes, tooMany: wrongLength, signal: ctx.signal }
      const key = `${upload.id}/${index}`
      if (turns.has(key) || readChunk(read, upload.id, index) !== undefined)
        await putAgain(ctx, place, stream, rules, check)
      else await inTurn(key, () => putInPlace(ctx, place, stream, rules, check))
      return { chunk_index: index, size: expectedBytes, sha256 }
    },
    progress(ctx, uploadId) {
      access.requireOpen(ctx)
      const upload = find(read, ctx, uploadId)
      const isDone = upload.status === 'completed'
      const isOver = !isDone && upload.expires_at <= clock.now()
      const chunks = readChunks(read, upload.id)
      const received = isDone
        ? Array.from({ length: upload.total_chunks }, (_, index) => index)
        : chunks.map((chunk) => chunk.chunk_index)
      const uploadedSize = isDone ? upload.total_size : chunks.reduce((sum, { size }) => sum + size, 0)
      const gap = received.findIndex((chunk, index) => chunk !== index)
      return {
        uploadId: upload.id,
        fileId: upload.file_id,
        filename: upload.filename,
        totalSize: upload.total_size,
        uploadedSize,
        totalChunks: upload.total_chunks,
        uploadedChunks: gap === -1 ? received.length : gap,
        receivedChunks: received,
        percentComplete: Math.floor((uploadedSize * 10_000) / upload.total_size) / 100,
        status: isOver ? 'expired' : upload.status,
        startedAt: new Date(upload.started_at).toISOString(),
        expiresAt: new Date(upload.expires_at).toISOString(),
      }
    },
    async complete(ctx, uploadId, named) {
      access.requireOpen(ctx)
      const upload = find(read, ctx, uploadId)
      const running = completing.get(upload.id)
      if (running !== undefined) return running
      requireInTime(upload)
      requireKnown(named, upload.total_chunks)
      if (upload.status === 'completed') {
        const file = readFile(read, upload.file_id)
        if (file === undefined) throw storageError('upload_not_found', { uploadId: upload.id })
        return file
      }
      const chunks = requireAll(read, upload)
      for (const { chunkIndex, eTag } of named)
        if (eTag !== undefined && bareTag(eTag) !== chunks[chunkIndex]!.sha256)
          throw storageError('checksum_mismatch', { chunkIndex, expected: chunks[chunkIndex]!.sha256 })
      const work = assemble(ctx, upload).finally(() => completing.delete(upload.id))
      completing.set(upload.id, work)
      return work
    },
    async abort(ctx, uploadId) {
      access.requireOpen(ctx)
      const id = await write(
        'storage.abort',
        (tx) => {
          const upload = find(tx, ctx, uploadId)
          if (upload.status === 'completed' || upload.status === 'completing')
            throw platformError('conflict', { reason: `upload_${upload.status}`, uploadId: upload.id })
          deleteUpload(tx, upload.id)
          deleteFile(tx, upload.file_id)
          return upload.id
        },
        { whenFull: true },
      )
      await partials.remove(id)
      return id
    },
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** @throws validation_error for a part that is none, or is named twice */
function requireKnown(named: readonly NamedPart[], totalChunks: number): void {
  const seen = new Set<number>()
  for (const [at, { chunkIndex }] of named.entries()) {
    const field = `parts.${at}.chunkIndex`
    if (chunkIndex >= totalChunks)
      throw validationError([
        {
          field,
          code: 'max_value',
          message: 'There is no such chunk.',
          value: chunkIndex,
          constraint: totalChunks - 1,
        },
      ])
    if (seen.has(chunkIndex))
      throw validationError([
        { field, code: 'duplicate_value', message: 'The chunk is named twice.', value: chunkIndex },
      ])
    seen.add(chunkIndex)
  }
}
