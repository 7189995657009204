// Sends the bytes of a file, so that nothing of it runs in the place of the application (D-188).
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { writeDisposition } from '#main/kernel/content-disposition.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { platformError } from '#shared/errors.ts'
import type { Reads } from '#main/kernel/database.ts'
import { bytesPassed } from '#main/kernel/passing-bytes.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import { storageError } from '../errors.ts'
import type { FileRow } from '../store.ts'
import { readFile } from '../store.ts'
import type { ByteStore } from './byte-store.ts'
import type { FileAccess } from './file-access.ts'
import type { Lender } from './lenders.ts'
import type { Elsewhere } from './elsewhere.ts'
import { wantedBytes } from './ranges.ts'

/** What a request says of the bytes it wants. */
export interface DownloadRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Always as an attachment. */
  readonly download: boolean
  /** Nothing is fetched from other machines. */
  readonly local: boolean
}

/** Downloads. */
export interface Downloads {
  /** A file the caller may read. @throws file_not_found, unauthenticated, range_not_satisfiable, and as {@link Elsewhere.bring} */
  send(ctx: RequestContext, id: string, request: DownloadRequest): Promise<Reply<ByteStream>>
  /** A file whose signed address was checked. @throws signed_url_invalid when its lender may not read it now, file_not_found, range_not_satisfiable, and as {@link Elsewhere.bring} */
  sendSigned(
    signed: { readonly fileId: string; readonly by: Lender | undefined },
    request: DownloadRequest,
  ): Promise<Reply<ByteStream>>
}

/** Read at once: less of it costs more turns for each mebibyte, more of it holds more memory for each client. */
const readBytes = 262_144

const inlineTypes = /^(image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/plain$)/

/** Makes the downloads. */
export function createDownloads(parts: {
  readonly read: Reads
  readonly bytes: ByteStore
  readonly access: FileAccess
  readonly lenderNow: (lender: Lender) => RequestContext | undefined
  readonly publicDownloads: () => boolean
  readonly elsewhere: Pick<Elsewhere, 'bring'>
}): Downloads {
  const { read, bytes, access, elsewhere } = parts

  const reply = async (file: FileRow | undefined, request: DownloadRequest): Promise<Reply<ByteStream>> => {
    if (file === undefined || !['ready', 'away', 'lost'].includes(file.status) || file.sha256 === null)
      throw storageError('file_not_found', file === undefined ? {} : { fileId: file.id, reason: file.status })
    const { size, sha256, mime_type: type, name, updated_at: lastModified } = file
    const disposition = request.download || !inlineTypes.test(type) ? 'attachment' : 'inline'
    const contentType = type.startsWith('text/') ? `${type}; charset=utf-8` : type
    const wanted = wantedBytes(request.headers, { size, eTag: sha256, lastModified })
    if (wanted.kind === 'unsatisfiable') throw storageError('range_not_satisfiable', { fileId: file.id, size })
    const headers = {
      etag: `"${sha256}"`,
      'last-modified': new Date(lastModified).toUTCString(),
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=0, must-revalidate',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': writeDisposition(disposition, name),
    }
    const nothing = new ByteStream(Buffer.alloc(0), contentType)
    if (wanted.kind === 'nothing') return new Reply(nothing, { status: 304, headers })
    if (file.status !== 'ready') await elsewhere.bring(file, request.local)
    const handle = await bytes.open(sha256, size)
    if (handle === undefined) throw storageError('file_not_found', { fileId: file.id, reason: 'bytes_missing' })
    const { first, last } = wanted.kind === 'part' ? wanted : { first: 0, last: size - 1 }
    const length = last - first + 1
    if (length === 0) await handle.close()
    const stream = length === 0 ? nothing.stream : bytesOf(handle, first, length)
    return new Reply(new ByteStream(stream, contentType), {
      status: wanted.kind === 'part' ? 206 : 200,
      headers: {
        ...headers,
        'content-length': String(length),
        ...(wanted.kind === 'part' ? { 'content-range': `bytes ${first}-${last}/${size}` } : {}),
      },
    })
  }

  return {
    send(ctx, id, request) {
      if (ctx.credential !== 'none') access.requireOpen(ctx)
      else if (!parts.publicDownloads()) throw platformError('unauthenticated', { reason: 'credential_missing' })
      try {
        return reply(access.require(read, ctx, id), request)
      } catch (error) {
        // Without a credential nobody learns which files there are.
        if (ctx.credential === 'none') throw platformError('unauthenticated', { reason: 'credential_missing' }, error)
        throw error
      }
    },
    async sendSigned({ fileId, by }, request) {
      const file = readFile(read, fileId)
      const lender = by === undefined ? undefined : parts.lenderNow(by)
      if (lender === undefined || (file !== undefined && !access.mayRead(read, lender, file)))
        throw storageError('signed_url_invalid')
      return reply(file, request)
    },
  }
}

/** A part of a file, of which memory is told as it is read; the file is closed at its end. */
function bytesOf(handle: FileHandle, first: number, length: number): Readable {
  let done = 0
  return new Readable({
    highWaterMark: readBytes,
    read() {
      const part = Buffer.allocUnsafeSlow(Math.min(readBytes, length - done))
      handle.read(part, 0, part.length, first + done).then(
        ({ bytesRead }) => {
          done += bytesRead
          bytesPassed(bytesRead)
          if (bytesRead > 0) this.push(part.subarray(0, bytesRead))
          // A file that is shorter than it was ends here, and its client sees that bytes are missing.
          if (bytesRead === 0 || done === length) this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, over) {
      handle.close().then(
        () => over(error),
        (failed: Error) => over(error ?? failed),
      )
    },
  })
}
