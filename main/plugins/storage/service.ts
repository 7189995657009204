// The files of the workspace as people manage them: listed, told of, lent by an address, deleted.
import type { FileUse, StoredFile } from '#shared/contracts/storage.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import type { ListBinding } from '#main/kernel/list-page.ts'
import { cutPage, readPage, standardBounds } from '#main/kernel/list-page.ts'
import type { ByteStore } from './service/byte-store.ts'
import { deleteUpload, uploadOfFile } from './service/chunk-store.ts'
import type { FileAccess } from './service/file-access.ts'
import type { Files } from './service/files.ts'
import { requireScope } from './service/files.ts'
import type { ForgetFile } from './service/forget-file.ts'
import type { PartialFiles } from './service/partial-files.ts'
import type { FileReferences } from './service/references.ts'
import type { Lender } from './service/lenders.ts'
import type { SignedTokens } from './service/signed-tokens.ts'
import { storageError } from './errors.ts'
import { listFiles } from './store.ts'

/** Which files are listed. */
export interface FileQuery {
  readonly scope?: string | undefined
  readonly search?: string | undefined
  readonly unused?: boolean | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What people do with files. */
export interface FileAdministration {
  list(
    ctx: RequestContext,
    query: FileQuery,
  ): { files: (StoredFile & { used: boolean })[]; hasMore: boolean; nextCursor?: string }
  /** What of a file's uses the caller may see. @throws file_not_found */
  uses(ctx: RequestContext, id: string): { fileId: string; uses: FileUse[]; total: number }
  /** @throws file_not_found */
  get(ctx: RequestContext, id: string): StoredFile
  /** @throws file_not_found, validation_error for a time that is too long */
  lend(
    ctx: RequestContext,
    id: string,
    expiresIn: number | undefined,
  ): Promise<{ url: string; expiresAt: string; fileId: string }>
  /** @throws file_not_found, permission_denied, delete_restricted */
  remove(ctx: RequestContext, id: string, force: boolean): Promise<{ fileId: string; success: true }>
}

/** What administration works with. */
export interface AdministrationParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly bytes: ByteStore
  readonly partials: PartialFiles
  readonly files: Files
  readonly access: FileAccess
  readonly references: FileReferences
  readonly tokens: SignedTokens
  readonly lenderOf: (ctx: RequestContext) => Lender
  readonly forgetFile: ForgetFile
}

const shownUses = 100
const lending = { usualSeconds: 900, mostSeconds: 604_800 }

/** Makes the administration. */
export function createFileAdministration(parts: AdministrationParts): FileAdministration {
  const { read, write, clock, bytes, partials, files, access, references, tokens, lenderOf, forgetFile } = parts
  return {
    list(ctx, query) {
      access.requireOpen(ctx)
      const scope = query.scope === undefined ? undefined : requireScope(query.scope)
      const binding: ListBinding = ['files', scope, query.search, query.unused, ctx.actor.id, narrowedKey(ctx)]
      const start = readPage(query, standardBounds, binding)
      const found = listFiles(read, {
        owner: ctx.actor.id,
        key: narrowedKey(ctx),
        open: access.isAdministrator(ctx) ? ['public', 'system'] : ['public'],
        organizationId: access.wallOf(ctx),
        scope,
        search: query.search === '' ? undefined : query.search,
        unused: query.unused === true,
        below: start.after,
        limit: start.limit + 1,
      })
      const { shown, ...page } = cutPage(found, start, ({ id }) => id, binding)
      return { files: shown.map((file) => ({ ...files.show(file), used: file.used === 1 })), ...page }
    },
    uses(ctx, id) {
      access.requireOpen(ctx)
      const file = access.require(read, ctx, id)
      const uses = references.uses(read, ctx, file.id)
      return { fileId: file.id, uses: uses.slice(0, shownUses), total: uses.length }
    },
    get(ctx, id) {
      access.requireOpen(ctx)
      return files.show(access.require(read, ctx, id))
    },
    async lend(ctx, id, expiresIn = lending.usualSeconds) {
      access.requireOpen(ctx)
      // Whoever acts as somebody else lends nothing for much longer than that lasts (C10).
      const mostSeconds = ctx.impersonatorId === undefined ? lending.mostSeconds : lending.usualSeconds
      if (expiresIn < 1 || expiresIn > mostSeconds) {
        const code = expiresIn < 1 ? 'min_value' : 'max_value'
        const message = `An address is good for 1 to ${mostSeconds} seconds.`
        throw validationError([
          { field: 'expiresIn', code, message, value: expiresIn, constraint: expiresIn < 1 ? 1 : mostSeconds },
        ])
      }
      const file = access.require(read, ctx, id)
      if (file.status !== 'ready' && file.status !== 'away')
        throw storageError('file_not_found', { fileId: file.id, reason: file.status })
      const expires = clock.now() + expiresIn * 1_000
      const token = tokens.make(file.id, 'download', expires, lenderOf(ctx))
      return { url: files.urlOf(`/signed/${token}`), expiresAt: new Date(expires).toISOString(), fileId: file.id }
    },
    async remove(ctx, id, force) {
      access.requireOpen(ctx)
      const uploadId = await write(
        'storage.delete',
        (tx) => {
          const file = access.requireOwn(tx, ctx, id)
          const { count, shown } = force ? { count: 0, shown: undefined } : references.dependents(tx, ctx, file.id)
          if (count > 0)
            throw platformError(
              'delete_restricted',
              shown === undefined
                ? { dependentCount: 0 }
                : { dependentObject: shown.object, dependentField: shown.field, dependentCount: shown.count },
            )
          const upload = uploadOfFile(tx, file.id)
          if (upload?.status === 'completing')
            throw platformError('conflict', { reason: 'upload_completing', uploadId: upload.id })
          if (upload !== undefined) deleteUpload(tx, upload.id)
          forgetFile(tx, file, force)
          tx.emit(ctx, { type: 'file.deleted', payload: { fileId: file.id, name: file.name, ...(force && { force }) } })
          return upload?.id
        },
        { whenFull: true },
      )
      if (uploadId !== undefined) await partials.remove(uploadId)
      await bytes.settled()
      return { fileId: id.toLowerCase(), success: true }
    },
  }
}
