// Files that are sent at once: with the request that makes them, or to a signed address and completed afterwards (D-184).
import { storageLimits } from '#shared/contracts/storage.ts'
import { platformError, validationError } from '#shared/errors.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { storageError } from '../errors.ts'
import type { FileBytes, FileRow } from '../store.ts'
import { insertFile, putBytes, readFile } from '../store.ts'
import type { ArrivedBytes, ByteStore } from './byte-store.ts'
import type { FileAccess } from './file-access.ts'
import { hasUploaded } from './file-access.ts'
import type { FileAnnouncement, Files } from './files.ts'
import { announcedType } from './media-types.ts'
import { isTextType } from './text-types.ts'
import type { Lender } from './lenders.ts'
import type { SignedTokens } from './signed-tokens.ts'

/** Bytes as they come with a request. */
export interface IncomingBytes {
  readonly stream: AsyncIterable<Uint8Array>
  /** Content type of the request. */
  readonly contentType: string
  /** What the request says of its length; undefined when it says nothing. */
  readonly length: number | undefined
}

/** Uploads at once. */
export interface Uploads {
  /** Takes the bytes of a file nothing else is known of yet. @throws file_too_large */
  receive(ctx: RequestContext, source: AsyncIterable<Uint8Array>, length?: number): Promise<ArrivedBytes>
  /** Makes a file of arrived bytes, or discards them. */
  create(ctx: RequestContext, announcement: FileAnnouncement, arrived: ArrivedBytes): Promise<FileRow>
  discard(arrived: ArrivedBytes): Promise<void>
  /** Announces a file that is sent to a signed address. */
  presign(
    ctx: RequestContext,
    announcement: FileAnnouncement & { readonly size: number },
  ): Promise<{ file: FileRow; token: string; expiresInSeconds: number }>
  /** Takes the bytes of an announced file. @throws signed_url_invalid, gone, chunk_invalid, file_type_not_allowed */
  putSigned(ctx: RequestContext, token: string, bytes: IncomingBytes): Promise<FileRow>
  /** Makes an announced file ready. @throws file_not_found, upload_incomplete, upload_expired, checksum_mismatch */
  complete(ctx: RequestContext, fileId: string, eTag: string | undefined): Promise<FileRow>
}

/** What uploads work with. */
export interface UploadParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly bytes: ByteStore
  readonly files: Files
  readonly access: FileAccess
  readonly tokens: SignedTokens
  readonly lenderOf: (ctx: RequestContext) => Lender
  readonly lenderNow: (lender: Lender) => RequestContext | undefined
}

const presignedSeconds = 900

/** Makes the uploads at once. */
export function createUploads(parts: UploadParts): Uploads {
  const { read, write, clock, bytes, files, access, tokens, lenderOf, lenderNow } = parts
  const limitBytes = storageLimits.singleBytes
  const tooLarge = (): Error => storageError('file_too_large', { limitBytes })

  const receive: Uploads['receive'] = (ctx, source, length = 0) => {
    access.requireOpen(ctx)
    // Frames of a multipart body come on top.
    if (length > limitBytes + 1_048_576) throw tooLarge()
    return bytes.receive(source, { limitBytes, tooMany: tooLarge, signal: ctx.signal })
  }

  return {
    receive,
    discard: bytes.discard,
    async create(ctx, announcement, arrived) {
      try {
        const file = files.announce(ctx, announcement, arrived.size)
        const { mimeType, extension } = await files.judge(file, arrived)
        const { sha256 } = arrived
        const ready: FileRow = { ...file, mime_type: mimeType, extension, sha256, status: 'ready', expires_at: null }
        await bytes.keep(arrived, () =>
          write('storage.upload', (tx) => {
            files.requireQuota(tx, ready.size)
            insertFile(tx, ready)
            files.announceReady(tx, ctx, ready)
          }),
        )
        return ready
      } finally {
        await bytes.discard(arrived)
      }
    },
    async presign(ctx, announcement) {
      const { size } = announcement
      const file = files.announce(ctx, announcement, size)
      if (size > limitBytes) throw tooLarge()
      files.judgeEarly(file)
      const expires = clock.now() + presignedSeconds * 1_000
      const token = tokens.make(file.id, 'upload', expires, lenderOf(ctx))
      await write('storage.presign', (tx) => {
        files.requireQuota(tx, size)
        insertFile(tx, file)
      })
      return { file, token, expiresInSeconds: presignedSeconds }
    },
    async putSigned(ctx, token, { stream, contentType, length }) {
      const { fileId: id, by } = tokens.open(token, 'upload')
      const file = readFile(read, id)
      requirePending(file, clock.now())
      if (by === undefined || lenderNow(by) === undefined) throw storageError('signed_url_invalid')
      requireLikeAnnounced(file, contentType)
      const wrongLength = (): Error => storageError('chunk_invalid', { reason: 'size', expectedBytes: file.size })
      if (length !== undefined && length !== file.size) throw wrongLength()
      const arrived = await bytes.receive(stream, { limitBytes: file.size, tooMany: wrongLength, signal: ctx.signal })
      try {
        if (arrived.size !== file.size) throw wrongLength()
        const { mimeType, extension } = await files.judge(file, arrived, true)
        const put: FileBytes = {
          extension,
          mime_type: mimeType,
          size: file.size,
          sha256: arrived.sha256,
          status: 'uploaded',
          updated_at: clock.now(),
          expires_at: file.expires_at,
        }
        await bytes.keep(arrived, () =>
          write('storage.put', (tx) => {
            requirePending(readFile(tx, id), clock.now())
            putBytes(tx, id, put)
          }),
        )
        return { ...file, ...put }
      } finally {
        await bytes.discard(arrived)
      }
    },
    complete(ctx, fileId, eTag) {
      access.requireOpen(ctx)
      return write('storage.complete', (tx) => {
        const file = requireOwnFile(tx, ctx, fileId)
        if (file.status === 'pending' || file.status === 'uploaded') requireInTime(file, clock.now())
        if (file.status === 'pending' || file.sha256 === null)
          throw storageError('upload_incomplete', { fileId: file.id })
        if (eTag !== undefined && bareTag(eTag) !== file.sha256)
          throw storageError('checksum_mismatch', { fileId: file.id, expected: file.sha256 })
        if (file.status !== 'uploaded') return file
        const ready: FileRow = { ...file, status: 'ready', updated_at: clock.now(), expires_at: null }
        putBytes(tx, file.id, ready)
        files.announceReady(tx, ctx, ready)
        return ready
      })
    },
  }
}

/** A checksum as it may be written in headers. */
export function bareTag(given: string): string {
  return given
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
}

/** @throws file_not_found for files of others, too */
function requireOwnFile(tx: Tx, ctx: RequestContext, given: string): FileRow {
  const id = parseUuid(given)
  if (id === null) {
    const message = 'The id is not a UUID.'
    throw validationError([{ field: 'fileId', code: 'invalid_uuid', message, value: given }])
  }
  const file = readFile(tx, id)
  if (file === undefined || !hasUploaded(ctx, file)) throw storageError('file_not_found', { fileId: id })
  return file
}

function requirePending(file: FileRow | undefined, now: number): asserts file is FileRow {
  if (file === undefined) throw storageError('file_not_found')
  if (file.status !== 'pending') throw platformError('gone', { reason: 'upload_used' })
  requireInTime(file, now)
}

function requireInTime({ id, expires_at: expires }: FileRow, now: number): void {
  if (expires !== null && expires <= now) throw storageError('upload_expired', { fileId: id })
}

/** What the sender calls the bytes must be of the announced family; types that clients send by themselves say nothing. */
function requireLikeAnnounced(file: FileRow, contentType: string): void {
  const [given, announced] = [announcedType(contentType), announcedType(file.mime_type)]
  if (given === null || announced === null || given === 'application/json') return
  const familyOf = (type: string): string => (isTextType(type) ? 'text' : type.split('/', 1)[0]!)
  if (familyOf(given) !== familyOf(announced)) throw storageError('file_type_not_allowed', { announced, found: given })
}
