// Who may read and delete a file (D-41, D-186).
import { platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import { storageError } from '../errors.ts'
import type { FileRow } from '../store.ts'
import { readFile } from '../store.ts'
import type { FileReferences } from './references.ts'

/** The rights over files. */
export interface FileAccess {
  /** Refuses callers without an active organization where there are organizations. @throws permission_denied */
  requireOpen(ctx: RequestContext): void
  isAdministrator(ctx: RequestContext): boolean
  /** The organization lists are limited to; undefined where there are no walls. */
  wallOf(ctx: RequestContext): string | null | undefined
  mayRead(read: Pick<Reads, 'all'>, ctx: RequestContext, file: FileRow): boolean
  /** A file the caller may read. @throws file_not_found */
  require(read: Pick<Reads, 'all' | 'get'>, ctx: RequestContext, id: string): FileRow
  /** A file the caller may change and delete: its owner, an administrator. @throws file_not_found, permission_denied */
  requireOwn(read: Pick<Reads, 'all' | 'get'>, ctx: RequestContext, id: string): FileRow
}

/** What rights are asked of. */
export interface AccessParts {
  readonly authorizer: () => Authorizer
  readonly isAdministrator: (ctx: RequestContext) => boolean
  readonly hasOrganizations: () => boolean
  readonly publicDownloads: () => boolean
  readonly references: FileReferences
}

/** Makes the judge. */
export function createFileAccess(parts: AccessParts): FileAccess {
  const isSystem = ({ actor }: RequestContext): boolean => actor.type === 'system'
  const isOwner = (ctx: RequestContext, file: FileRow): boolean => ctx.credential !== 'none' && hasUploaded(ctx, file)

  const isWithin = ({ organizationId }: RequestContext, file: FileRow): boolean =>
    !parts.hasOrganizations() || file.organization_id === null || file.organization_id === organizationId

  const mayRead: FileAccess['mayRead'] = (read, ctx, file) => {
    if (ctx.credential === 'none') return file.scope === 'public' && parts.publicDownloads()
    if (isSystem(ctx)) return true
    if (!isWithin(ctx, file)) return false
    switch (file.scope) {
      case 'public':
        return true
      case 'system':
        return parts.isAdministrator(ctx)
      case 'private':
        return isOwner(ctx, file) || parts.references.isSeenBy(read, ctx, file.id)
      default:
        return isOwner(ctx, file)
    }
  }

  const find: FileAccess['require'] = (read, ctx, given) => {
    const id = parseUuid(given)
    const file = id === null ? undefined : readFile(read, id)
    if (file === undefined || !mayRead(read, ctx, file))
      throw storageError('file_not_found', { fileId: given.slice(0, 200) })
    return file
  }

  return {
    requireOpen: (ctx) => requireOpenRecords(parts.authorizer(), ctx),
    isAdministrator: (ctx) => isSystem(ctx) || parts.isAdministrator(ctx),
    wallOf: (ctx) => (parts.hasOrganizations() && !isSystem(ctx) ? ctx.organizationId : undefined),
    mayRead,
    require: find,
    requireOwn(read, ctx, id) {
      const file = find(read, ctx, id)
      if (isOwner(ctx, file) || isSystem(ctx) || parts.isAdministrator(ctx)) return file
      throw platformError('permission_denied', { fileId: file.id, action: 'delete' })
    },
  }
}

/** Whether a file or an upload is the caller's: a key narrowed to permission sets has those it uploaded, none of its maker's (D-393). */
export function hasUploaded(
  ctx: RequestContext,
  { created_by: by, key_id: keyId }: Pick<FileRow, 'created_by' | 'key_id'>,
): boolean {
  const key = narrowedKey(ctx)
  return ctx.actor.id === by && (key === null || key === keyId)
}
