// What a file becomes: where it goes, what it is taken for, whether there is room, and how it is shown.
import type { StorageScope, StoredFile } from '#shared/contracts/storage.ts'
import { storageScopes } from '#shared/contracts/storage.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { storageError } from '../errors.ts'
import type { FileRow } from '../store.ts'
import { usedBytes } from '../store.ts'
import type { ArrivedBytes } from './byte-store.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { FileAccess } from './file-access.ts'
import { cleanName } from './file-names.ts'
import { announcedType, expectedEnding, findMediaType } from './media-types.ts'
import type { MediaType } from './media-types.ts'
import type { TypeRules } from './type-rules.ts'

/** Milliseconds an upload may take from its beginning to its end. @source D-186 */
export const pendingMs = 86_400_000

/** What somebody says of a file that is to come. */
export interface FileAnnouncement {
  readonly filename: string
  readonly scope?: string | undefined
  readonly bucket?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly mimeType?: string | undefined
}

/** Makes files out of what is announced and what has arrived. */
export interface Files {
  /**
   * A pending file of the caller.
   * @throws validation_error, permission_denied for what needs an administrator
   */
  announce(ctx: RequestContext, announcement: FileAnnouncement, size: number): FileRow
  /** Refuses what a rule refuses already by name, size and announced type. @throws as {@link TypeRules.judge} */
  judgeEarly(file: FileRow): void
  /**
   * What the bytes are.
   * @param strict the very type that was announced
   * @throws file_type_not_allowed, file_too_large, validation_error
   */
  judge(file: FileRow, arrived: ArrivedBytes, strict?: boolean): Promise<MediaType>
  /** @param more bytes beyond those counted already @throws storage_quota_exceeded */
  requireQuota(read: Pick<Reads, 'get'>, more: number): void
  /** What all files take and may take. */
  usage(read: Pick<Reads, 'get'>): { sizeBytes: number; quotaBytes: number | null }
  /** Raises the event of a file that is ready. */
  announceReady(tx: Tx, ctx: RequestContext, file: FileRow): void
  show(file: FileRow): StoredFile
  urlOf(path: string): string
}

/** What files are made with. */
export interface FilesParts {
  readonly access: FileAccess
  readonly rules: TypeRules
  readonly clock: Clock
  readonly ids: Ids
  /** Bytes all files may take; null for as many as there are. */
  readonly quotaBytes: () => number | null
  /** The address of a path below `/storage`. */
  readonly urlOf: (path: string) => string
  /** What is known of the other machines. */
  readonly elsewhere: Pick<Elsewhere, 'placeOf'>
}

/** Makes the maker of files. */
export function createFiles({ access, rules, clock, ids, quotaBytes, urlOf, elsewhere }: FilesParts): Files {
  const requireAdministrator = (ctx: RequestContext, field: string): void => {
    if (!access.isAdministrator(ctx))
      throw platformError('permission_denied', { reason: 'administrator', fields: [field] })
  }
  const show: Files['show'] = (file) => {
    const path = `${file.scope}/${file.id}.${file.extension}`
    const isReady = file.status === 'ready' || file.status === 'away'
    const eTag = isReady ? file.sha256 : null
    return {
      fileId: file.id,
      name: file.name,
      path,
      key: path,
      size: file.size,
      mimeType: file.mime_type,
      scope: file.scope,
      bucket: file.bucket,
      eTag,
      sha256: eTag,
      created: new Date(file.created_at).toISOString(),
      lastModified: new Date(file.updated_at).toISOString(),
      createdBy: file.created_by,
      status: isReady ? 'ready' : 'pending',
      metadata: JSON.parse(file.metadata) as Record<string, unknown>,
      url: urlOf(`/${file.id}`),
      place: elsewhere.placeOf(file),
    }
  }
  return {
    announce(ctx, { filename, scope = 'user', bucket, metadata = {}, mimeType }, size) {
      access.requireOpen(ctx)
      const name = cleanName(filename)
      if (name === null) {
        const message = 'A file name has a character that is seen.'
        throw validationError([{ field: 'filename', code: 'invalid_format', message, value: filename }])
      }
      const word = requireScope(scope)
      if (word === 'system') requireAdministrator(ctx, 'scope')
      if (bucket !== undefined) {
        if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(bucket)) {
          const message = 'A bucket is named by lower case letters, digits, dots, dashes and underscores.'
          throw validationError([{ field: 'bucket', code: 'invalid_format', message, value: bucket }])
        }
        requireAdministrator(ctx, 'bucket')
      }
      const now = clock.now()
      const announced = announcedType(mimeType)
      return {
        id: ids.uuid(),
        organization_id: ctx.organizationId,
        scope: word,
        bucket: bucket ?? 'default',
        name,
        extension: expectedEnding(announced, name),
        mime_type: announced ?? 'application/octet-stream',
        size,
        sha256: null,
        status: 'pending',
        metadata: JSON.stringify(metadata),
        created_by: ctx.actor.id,
        created_at: now,
        updated_at: now,
        expires_at: now + pendingMs,
        home: null,
        key_id: narrowedKey(ctx),
      }
    },
    judgeEarly({ scope, name, mime_type: type, size }) {
      rules.judge(scope, { name, mimeType: announcedType(type), size })
    },
    async judge({ scope, name, mime_type: type }, { beginning, size }, strict = false) {
      const found = await findMediaType(beginning, announcedType(type), name, strict)
      rules.judge(scope, { name, mimeType: found.mimeType, size })
      return found
    },
    requireQuota(read, more) {
      const limitBytes = quotaBytes()
      if (limitBytes !== null && usedBytes(read) + more > limitBytes)
        throw storageError('storage_quota_exceeded', { limitBytes })
    },
    usage: (read) => ({ sizeBytes: usedBytes(read), quotaBytes: quotaBytes() }),
    announceReady(tx, ctx, file) {
      const { fileId, name, size, mimeType, scope } = show(file)
      tx.emit(ctx, { type: 'file.uploaded', payload: { fileId, name, size, mimeType, scope } })
    },
    show,
    urlOf,
  }
}

/** A word of D-186. @throws validation_error for any other one */
export function requireScope(given: string): StorageScope {
  const word = storageScopes.find((one) => one === given)
  if (word !== undefined) return word
  const message = `A scope is one of ${storageScopes.join(', ')}.`
  throw validationError([{ field: 'scope', code: 'invalid_option', message, value: given, constraint: storageScopes }])
}
