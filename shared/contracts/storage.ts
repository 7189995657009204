// Contracts of files: uploads at once, by a signed address and in chunks, downloads, rules (specification "Storage", D-184 to
// D-189). Enveloped but for the address of a file and the bytes themselves.
import { z } from 'zod'
import { anyType, defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger } from './common.ts'

/** Who may read a file (D-186). */
export const storageScopes = ['user', 'private', 'public', 'system'] as const

/** A word of {@link storageScopes}. */
export const StorageScope = z.enum(storageScopes)

/** A word of {@link storageScopes}. */
export type StorageScope = z.output<typeof StorageScope>

/** Bytes of a file that is sent at once, of one sent in chunks, and of a chunk (D-184, D-186). */
export const storageLimits = {
  singleBytes: 104_857_600,
  chunkedBytes: 5_368_709_120,
  leastChunkBytes: 5_242_880,
  mostChunkBytes: 104_857_600,
} as const

/** Where the bytes of a file are (D-323). */
export const FilePlace = z
  .object({
    here: z.boolean().meta({ description: 'False: they are on other machines and come when the file is opened.' }),
    receivedBytes: z
      .int()
      .nullable()
      .meta({ description: 'What has come of those on their way; null while none are.' }),
    machine: z
      .string()
      .nullable()
      .meta({ description: 'Name of the machine it was uploaded on, of bytes that are not here; null when unknown.' }),
  })
  .meta({ id: 'FilePlace' })

/** Where the bytes of a file are. */
export type FilePlace = z.output<typeof FilePlace>

/** A file as it is shown (D-185). */
export const StoredFile = z
  .object({
    fileId: z.string(),
    name: z.string(),
    path: z.string(),
    key: z.string().meta({ description: 'The same as path.' }),
    size: z.int().meta({ description: 'Bytes; of a pending file, those announced.' }),
    mimeType: z.string().meta({ description: 'Found from the bytes; of a pending file, the announced one.' }),
    scope: StorageScope,
    bucket: z.string(),
    eTag: z.string().nullable().meta({ description: 'SHA-256 in hexadecimal; null while pending.' }),
    sha256: z.string().nullable(),
    created: z.string(),
    lastModified: z.string(),
    createdBy: z.string(),
    status: z.enum(['pending', 'ready']),
    metadata: z.record(z.string(), z.unknown()),
    url: z.string(),
    place: FilePlace,
  })
  .meta({ id: 'StoredFile' })

/** A file as it is shown. */
export type StoredFile = z.output<typeof StoredFile>

/** A place that names a file. */
export const FileUse = z
  .object({
    object: z.string(),
    recordId: z.string(),
    field: z.string().nullable().meta({ description: 'Null for an item of the feed.' }),
  })
  .meta({ id: 'FileUse' })

/** A place that names a file. */
export type FileUse = z.output<typeof FileUse>

/** What clients keep beside a file; it means nothing to the platform. */
export const FileMetadata = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((metadata) => JSON.stringify(metadata).length <= 20_000, { message: 'Expected at most 20000 characters.' })

const bucket = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/)
  .optional()
  .meta({ description: 'Needs an administrator; default `default`.' })

const announced = {
  filename: z.string().min(1).max(1_024),
  mimeType: z
    .string()
    .regex(/^(?:[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*(?:\s*;.*)?)?$/)
    .meta({ description: 'Empty where nothing is known of it.' }),
  scope: StorageScope.default('user'),
  bucket,
}

/** What a rule of a scope says of file types and sizes (D-187). */
export const FileTypeRule = z
  .object({
    mode: z.enum(['whitelist', 'blacklist']),
    mimeTypes: z
      .array(z.string().regex(/^(\*|[A-Za-z0-9][\w!#$&^.+-]*)\/(\*|[A-Za-z0-9][\w!#$&^.+-]*)$/))
      .max(200)
      .meta({ description: 'Media types; `image/*` stands for a family.' }),
    extensions: z
      .array(z.string().regex(/^\.?[A-Za-z0-9]{1,20}$/))
      .max(200)
      .optional(),
    maxFileSize: z.int().min(0).optional(),
    minFileSize: z.int().min(0).optional(),
  })
  .meta({ id: 'FileTypeValidation' })

/** What a rule of a scope says of file types and sizes. */
export type FileTypeRule = z.output<typeof FileTypeRule>

/** The rules by scope; a scope without one takes every file. */
export const FileTypeRules = z.partialRecord(StorageScope, FileTypeRule)

/** The rules by scope. */
export type FileTypeRules = z.output<typeof FileTypeRules>

/** How far a chunked upload has come. */
export const UploadProgress = z
  .object({
    uploadId: z.string(),
    fileId: z.string(),
    filename: z.string(),
    totalSize: z.int(),
    uploadedSize: z.int(),
    totalChunks: z.int(),
    uploadedChunks: z.int().meta({ description: 'Chunks received from the first one on, without a gap.' }),
    receivedChunks: z.array(z.int()),
    percentComplete: z.number(),
    status: z.enum(['in_progress', 'completing', 'completed', 'failed', 'expired']),
    startedAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'UploadProgress' })

/** How far a chunked upload has come. */
export type UploadProgress = z.output<typeof UploadProgress>

const FileParams = z.object({ id: z.string() })
const UploadParams = z.object({ uploadId: z.string() })

const shared = {
  mount: 'versioned',
  permission: 'session',
  envelope: true,
  channel: 'storage',
  tag: 'storage',
} as const
const reads = { ...shared, method: 'GET', rateLimit: 'read' } as const
const writes = { ...shared, rateLimit: 'write' } as const
const takesBytes = { streams: true, consumes: [anyType], timeoutMs: 120_000 } as const

const unfit = ['file_type_not_allowed', 'file_too_large', 'storage_quota_exceeded'] as const
const noSuchUpload = ['upload_not_found', 'upload_expired'] as const

const download = {
  method: 'GET',
  mount: 'versioned',
  query: z.object({
    download: QueryBoolean.optional().meta({ description: 'Always as an attachment.' }),
    local: QueryBoolean.optional().meta({
      description: 'Only bytes that are on this machine; others are not fetched.',
    }),
  }),
  response: z.unknown(),
  responseKind: 'bytes',
  bodiless: [304],
  ranges: true,
  reads: ['If-None-Match'],
  sends: ['Content-Disposition', 'ETag', 'Last-Modified'],
  // The bytes may have to come from another machine first.
  timeoutMs: 600_000,
  permission: 'public',
  rateLimit: 'read',
  tag: 'storage',
} as const
const downloadErrors = [
  'file_not_found',
  'range_not_satisfiable',
  'service_unavailable',
  'storage_quota_exceeded',
] as const
/** Without a credential only public files are served, and those by a switch (D-28). */
const perhapsAnonymous = ['unauthenticated', 'api_key_invalid', 'session_expired', 'permission_denied'] as const

/** Words below /storage that are no ids (D-185). */
const reserved = { id: ['upload', 'files', 'signed', 'rules'] }

/** The routes of the `storage` plugin. */
export const storageRoutes = defineRoutes({
  uploadFile: defineRoute({
    ...writes,
    ...takesBytes,
    operationId: 'uploadFile',
    method: 'POST',
    path: '/storage/upload',
    query: z.object({
      filename: z.string().max(1_024).optional(),
      scope: z.string().optional(),
      bucket: z.string().optional(),
    }),
    consumes: [anyType, 'multipart/form-data'],
    response: StoredFile,
    status: 201,
    errors: unfit,
    summary: 'Upload a file: multipart (file, scope, bucket, metadata), or its bytes with `filename` in the query.',
  }),
  presignUpload: defineRoute({
    ...writes,
    operationId: 'presignUpload',
    method: 'POST',
    path: '/storage/upload/presigned',
    body: z.object({ ...announced, size: z.int().min(0), metadata: FileMetadata.optional() }),
    response: z.object({
      fileId: z.string(),
      uploadUrl: z.string(),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()),
      expiresIn: z.int(),
      downloadUrl: z.string(),
    }),
    errors: unfit,
    keepsAnswer: 'in-memory',
    summary: 'Announce a file and get an address its bytes are sent to, once, without a credential.',
  }),
  putSigned: defineRoute({
    ...writes,
    ...takesBytes,
    operationId: 'putSigned',
    method: 'PUT',
    path: '/storage/signed/:token',
    params: z.object({ token: z.string() }),
    permission: 'public',
    response: z.object({ fileId: z.string(), eTag: z.string(), size: z.int() }),
    errors: ['signed_url_invalid', 'gone', 'chunk_invalid', 'file_not_found', 'upload_expired', ...unfit],
    summary: 'Send the bytes of an announced file.',
  }),
  getSigned: defineRoute({
    ...download,
    operationId: 'getSigned',
    path: '/storage/signed/:token',
    params: z.object({ token: z.string() }),
    errors: ['signed_url_invalid', ...downloadErrors],
    entry: true,
    channel: 'storage',
    summary: 'Read a file by a signed address.',
  }),
  completeUpload: defineRoute({
    ...writes,
    operationId: 'completeUpload',
    method: 'POST',
    path: '/storage/upload/complete',
    body: z.object({ fileId: z.string(), eTag: z.string().max(200).optional() }),
    response: StoredFile,
    status: 201,
    errors: ['file_not_found', 'upload_incomplete', 'upload_expired', 'checksum_mismatch', ...unfit],
    summary: 'Make a file ready whose bytes were sent to a signed address.',
  }),
  startChunkedUpload: defineRoute({
    ...writes,
    operationId: 'startChunkedUpload',
    method: 'POST',
    path: '/storage/upload/chunked',
    body: z.object({
      ...announced,
      totalSize: z.int().min(1),
      chunkSize: z.int().min(storageLimits.leastChunkBytes).max(storageLimits.mostChunkBytes),
      metadata: FileMetadata.optional(),
    }),
    response: z.object({
      uploadId: z.string(),
      resumeToken: z.string(),
      fileId: z.string(),
      totalChunks: z.int(),
      chunkSize: z.int(),
      expiresAt: z.string(),
    }),
    errors: unfit,
    keepsAnswer: 'in-memory',
    summary: 'Begin an upload in chunks.',
  }),
  putChunk: defineRoute({
    ...writes,
    ...takesBytes,
    operationId: 'putChunk',
    method: 'PUT',
    path: '/storage/upload/chunked/:uploadId/chunk/:chunkIndex',
    params: z.object({ uploadId: z.string(), chunkIndex: z.string() }),
    query: z.object({ resumeToken: z.string().optional() }),
    response: z.object({ chunkIndex: z.int(), eTag: z.string(), bytesReceived: z.int() }),
    errors: [...noSuchUpload, 'resume_token_invalid', 'chunk_invalid', 'conflict'],
    reads: ['X-Resume-Token'],
    summary: 'Send a chunk; its token is in `X-Resume-Token`. The same one again replaces it.',
  }),
  getUploadProgress: defineRoute({
    ...reads,
    operationId: 'getUploadProgress',
    path: '/storage/upload/chunked/:uploadId/progress',
    params: UploadParams,
    response: UploadProgress,
    errors: ['upload_not_found', 'permission_denied'],
    summary: 'Tell which chunks have arrived.',
  }),
  completeChunkedUpload: defineRoute({
    ...writes,
    operationId: 'completeChunkedUpload',
    method: 'POST',
    path: '/storage/upload/chunked/:uploadId/complete',
    params: UploadParams,
    body: z.object({
      uploadId: z.string().optional(),
      parts: z.array(z.object({ chunkIndex: z.int().min(0), eTag: z.string().max(200).optional() })).max(2_000),
    }),
    response: StoredFile,
    status: 201,
    timeoutMs: 600_000,
    errors: [...noSuchUpload, 'upload_incomplete', 'checksum_mismatch', ...unfit],
    summary: 'Put the chunks together; every one must have arrived.',
  }),
  abortChunkedUpload: defineRoute({
    ...writes,
    operationId: 'abortChunkedUpload',
    method: 'DELETE',
    path: '/storage/upload/chunked/:uploadId',
    params: UploadParams,
    response: z.object({ uploadId: z.string(), aborted: z.literal(true) }),
    errors: ['upload_not_found', 'conflict'],
    summary: 'Give an upload up and remove its chunks.',
  }),
  listFiles: defineRoute({
    ...reads,
    operationId: 'listFiles',
    path: '/storage/files',
    query: z.object({
      scope: z.string().optional(),
      search: z.string().max(255).optional().meta({ description: 'Part of a name.' }),
      unused: QueryBoolean.optional().meta({ description: 'Only what no record and no feed names.' }),
      limit: QueryInteger.optional(),
      cursor: z.string().optional(),
    }),
    response: z.object({
      files: z.array(StoredFile.extend({ used: z.boolean() })),
      hasMore: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    errors: ['permission_denied'],
    summary: 'List own and public files, newest first; administrators see those of scope system too.',
  }),
  getFileUses: defineRoute({
    ...reads,
    operationId: 'getFileUses',
    path: '/storage/files/:id/uses',
    params: FileParams,
    response: z.object({ fileId: z.string(), uses: z.array(FileUse).max(100), total: z.int() }),
    errors: ['file_not_found', 'permission_denied'],
    summary: 'Tell which records and items of feeds name a file, as far as the caller may see them.',
  }),
  getFileUrl: defineRoute({
    ...reads,
    operationId: 'getFileUrl',
    path: '/storage/files/:id/url',
    params: FileParams,
    query: z.object({
      expiresIn: QueryInteger.optional().meta({ description: 'Seconds, default 900, at most 604800.' }),
    }),
    envelope: false,
    response: z.object({ url: z.string(), expiresAt: z.string(), fileId: z.string() }),
    errors: ['file_not_found', 'permission_denied'],
    summary: 'Get an address under which a file is read without a credential, for a while.',
  }),
  getFileMetadata: defineRoute({
    ...reads,
    operationId: 'getFileMetadata',
    path: '/storage/files/:id/metadata',
    params: FileParams,
    response: StoredFile,
    errors: ['file_not_found', 'permission_denied'],
    summary: 'Tell what is known of a file.',
  }),
  downloadFile: defineRoute({
    ...download,
    operationId: 'downloadFile',
    path: '/storage/files/:id',
    params: FileParams,
    errors: [...downloadErrors, ...perhapsAnonymous],
    channel: 'storage',
    summary: 'Read a file.',
  }),
  getFile: defineRoute({
    ...download,
    operationId: 'getFile',
    path: '/storage/:id',
    params: FileParams,
    reserved,
    errors: [...downloadErrors, ...perhapsAnonymous],
    channel: 'storage',
    summary: 'Read a file.',
  }),
  deleteFile: defineRoute({
    ...writes,
    operationId: 'deleteFile',
    method: 'DELETE',
    path: '/storage/:id',
    aliases: [{ mount: 'versioned', path: '/storage/files/:id' }],
    params: FileParams,
    reserved,
    query: z.object({ force: QueryBoolean.optional().meta({ description: 'Although records name it.' }) }),
    response: z.object({ fileId: z.string(), success: z.literal(true) }),
    errors: ['file_not_found', 'delete_restricted'],
    summary: 'Delete a file; a live record that names it holds it, unless forced.',
  }),
  getFileUsage: defineRoute({
    ...reads,
    operationId: 'getFileUsage',
    path: '/storage/usage',
    response: z.object({
      sizeBytes: z.int().meta({ description: 'Of all files together, those being uploaded too.' }),
      quotaBytes: z.int().nullable().meta({ description: 'What they may take; null for as much as there is.' }),
    }),
    permission: { system: 'manage_settings' },
    errors: [],
    summary: 'Tell what all files take.',
  }),
  getFileRules: defineRoute({
    ...reads,
    operationId: 'getFileRules',
    path: '/storage/rules',
    response: z.object({ rules: FileTypeRules }),
    permission: { system: 'manage_settings' },
    errors: [],
    summary: 'Read which files each scope takes.',
  }),
  putFileRules: defineRoute({
    ...writes,
    operationId: 'putFileRules',
    method: 'PUT',
    path: '/storage/rules',
    body: z.object({ rules: FileTypeRules }),
    response: z.object({ rules: FileTypeRules }),
    permission: { system: 'manage_settings' },
    errors: [],
    summary: 'Say which files each scope takes; all rules are replaced.',
  }),
})
