// Handlers of files: requests to service calls and back.
import type { storageRoutes } from '#shared/contracts/storage.ts'
import { FileMetadata } from '#shared/contracts/storage.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { ChunkedUploads } from './service/chunked-uploads.ts'
import type { Downloads } from './service/downloads.ts'
import type { Files } from './service/files.ts'
import type { FileRow } from './store.ts'
import type { SignedTokens } from './service/signed-tokens.ts'
import type { TypeRules } from './service/type-rules.ts'
import type { IncomingBytes, Uploads } from './service/uploads.ts'
import type { FileAdministration } from './service.ts'

/** What the handlers work with. */
export interface StorageHandlerParts {
  readonly read: Reads
  readonly files: Files
  readonly administration: FileAdministration
  readonly uploads: Uploads
  readonly chunked: ChunkedUploads
  readonly downloads: Downloads
  readonly tokens: SignedTokens
  readonly rules: TypeRules
}

/** What of a request brings bytes. */
interface BytesInput {
  readonly stream?: AsyncIterable<Uint8Array> | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Makes the handlers. */
export function storageHandlers(parts: StorageHandlerParts): Handlers<typeof storageRoutes> {
  const { files, administration, uploads, chunked, downloads, tokens, rules } = parts

  const uploadParts = async (ctx: RequestContext, { stream, headers, contentType }: IncomingBytes & BytesInput) => {
    const { readMultipart } = await import('#main/kernel/multipart.ts')
    const length = lengthOf(headers)
    const { file, fields } = await readMultipart(stream, contentType, {
      name: 'file',
      receive: (source) => uploads.receive(ctx, source, length),
      discard: uploads.discard,
    })
    if (file === undefined) throw problem('file', 'required', 'The part "file" is needed, with a file name.')
    try {
      const announcement = {
        filename: file.filename,
        mimeType: file.contentType,
        scope: fields.get('scope'),
        bucket: fields.get('bucket'),
        metadata: readMetadata(fields.get('metadata')),
      }
      return await uploads.create(ctx, announcement, file.result)
    } catch (error) {
      await uploads.discard(file.result)
      throw error
    }
  }

  const download = (
    query: { readonly download?: boolean | undefined; readonly local?: boolean | undefined },
    headers: BytesInput['headers'],
  ) => ({
    headers,
    download: query.download === true,
    local: query.local === true,
  })

  const show = (file: FileRow) => files.show(file)

  return {
    async uploadFile(ctx, { query, stream, headers }) {
      const bytes = bytesOf({ stream, headers })
      if (/^\s*multipart\/form-data\b/i.test(bytes.contentType))
        return show(await uploadParts(ctx, { ...bytes, headers }))
      const { filename, scope, bucket } = query
      if (filename === undefined) throw problem('filename', 'required', 'The name of the file is needed.')
      const arrived = await uploads.receive(ctx, bytes.stream, bytes.length)
      return show(await uploads.create(ctx, { filename, scope, bucket, mimeType: bytes.contentType }, arrived))
    },
    async presignUpload(ctx, { body }) {
      const { file, token, expiresInSeconds } = await uploads.presign(ctx, body)
      return {
        fileId: file.id,
        uploadUrl: files.urlOf(`/signed/${token}`),
        method: 'PUT',
        headers: { 'Content-Type': body.mimeType === '' ? file.mime_type : body.mimeType },
        expiresIn: expiresInSeconds,
        downloadUrl: files.urlOf(`/${file.id}`),
      }
    },
    async putSigned(ctx, { params, stream, headers }) {
      const file = await uploads.putSigned(ctx, params.token, bytesOf({ stream, headers }))
      return { fileId: file.id, eTag: file.sha256!, size: file.size }
    },
    async getSigned(_ctx, { params, query, headers }) {
      return downloads.sendSigned(tokens.open(params.token, 'download'), download(query, headers))
    },
    completeUpload: async (ctx, { body }) => show(await uploads.complete(ctx, body.fileId, body.eTag)),
    async startChunkedUpload(ctx, { body }) {
      const { upload, resumeToken } = await chunked.start(ctx, body)
      return {
        uploadId: upload.id,
        resumeToken,
        fileId: upload.file_id,
        totalChunks: upload.total_chunks,
        chunkSize: upload.chunk_size,
        expiresAt: new Date(upload.expires_at).toISOString(),
      }
    },
    async putChunk(ctx, { params, query, stream, headers }) {
      const token = headers['x-resume-token'] ?? query.resumeToken
      const chunk = { uploadId: params.uploadId, index: params.chunkIndex, token }
      const { chunk_index: chunkIndex, sha256, size } = await chunked.put(ctx, chunk, bytesOf({ stream, headers }))
      return { chunkIndex, eTag: sha256, bytesReceived: size }
    },
    getUploadProgress: (ctx, { params }) => chunked.progress(ctx, params.uploadId),
    async completeChunkedUpload(ctx, { params, body }) {
      if (body.uploadId !== undefined && body.uploadId.toLowerCase() !== params.uploadId.toLowerCase())
        throw problem('uploadId', 'invalid_reference', 'The body names another upload than the path.')
      return show(await chunked.complete(ctx, params.uploadId, body.parts))
    },
    abortChunkedUpload: async (ctx, { params }) => ({
      uploadId: await chunked.abort(ctx, params.uploadId),
      aborted: true,
    }),
    listFiles: (ctx, { query }) => administration.list(ctx, query),
    getFileUses: (ctx, { params }) => administration.uses(ctx, params.id),
    getFileUrl: (ctx, { params, query }) => administration.lend(ctx, params.id, query.expiresIn),
    getFileMetadata: (ctx, { params }) => administration.get(ctx, params.id),
    downloadFile: (ctx, { params, query, headers }) => downloads.send(ctx, params.id, download(query, headers)),
    getFile: (ctx, { params, query, headers }) => downloads.send(ctx, params.id, download(query, headers)),
    deleteFile: (ctx, { params, query }) => administration.remove(ctx, params.id, query.force === true),
    getFileUsage: () => files.usage(parts.read),
    getFileRules: () => ({ rules: rules.all() }),
    putFileRules: async (ctx, { body }) => ({ rules: await rules.replace(ctx, body.rules) }),
  }
}

function bytesOf({ stream, headers }: BytesInput): IncomingBytes {
  return { stream: stream ?? nothing(), contentType: headers['content-type'] ?? '', length: lengthOf(headers) }
}

// oxlint-disable-next-line require-yield -- a request without a body
async function* nothing(): AsyncGenerator<Uint8Array> {
  return
}

function lengthOf(headers: BytesInput['headers']): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** @throws validation_error */
function readMetadata(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined || text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw problem('metadata', 'invalid_json', 'The metadata is not valid JSON.')
  }
  const checked = FileMetadata.safeParse(value)
  if (!checked.success)
    throw problem('metadata', 'invalid_type', 'The metadata is a JSON object of at most 20000 characters.')
  return checked.data
}

function problem(
  field: string,
  code: 'required' | 'invalid_json' | 'invalid_type' | 'invalid_reference',
  message: string,
): Error {
  return validationError([{ field, code, message }])
}
