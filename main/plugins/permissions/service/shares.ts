// Shares of records (D-46, D-49): who may see them, who may give them, and to whom.
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { RecordShare } from '#shared/contracts/permissions.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { ShareAccess, ShareRow } from '../store.ts'
import type { Principal, Principals } from './principals.ts'
import { deleteShare, putShare, readShares, shareLevels } from '../store.ts'

/** What a share is made of. */
export type ShareInput = Pick<RecordShare, 'principalType' | 'principalId' | 'access'> & {
  readonly reason?: string | undefined
}

/** What shares work with. */
export interface ShareParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly metadata: MetadataService
  readonly authorizer: () => Authorizer
  /** Whether a live record passes a filter. */
  readonly passes: (schema: ObjectSchema, id: string, filter: Filter | null, userId: string) => boolean
  readonly principals: Principals
  /** Tells of shares in the feed of the record (D-144). */
  readonly feed: () => FeedService | undefined
  /** Called after COMMIT of a change. */
  readonly changed: () => void
}

/** The operations. */
export interface Shares {
  list(ctx: RequestContext, object: string, id: string): RecordShare[]
  /** Whom the record can be shared with. @throws permission_denied for those who may not share it */
  candidates(
    ctx: RequestContext,
    object: string,
    id: string,
    text: string,
  ): { principals: Principal[]; hasMore: boolean }
  create(ctx: RequestContext, object: string, id: string, input: ShareInput): Promise<RecordShare>
  remove(ctx: RequestContext, object: string, id: string, shareId: string): Promise<void>
}

/** Makes the operations. */
export function createShares(parts: ShareParts): Shares {
  const { read, write, metadata, authorizer } = parts

  const covers = (ctx: RequestContext, schema: ObjectSchema, id: string, action: RecordAction): boolean => {
    const rows = authorizer().rowCondition(ctx, schema.name, action)
    return rows !== false && parts.passes(schema, id, rows, ctx.actor.id)
  }

  /** @throws resource_not_found for what the caller cannot see, as for what is not there */
  const find = (ctx: RequestContext, object: string, id: string): { schema: ObjectSchema; recordId: string } => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    requireApiMethods(schema, 'get')
    requireObjectAction(authorizer(), ctx, object, 'read')
    const recordId = parseUuid(id)
    if (recordId === null || !covers(ctx, schema, recordId, 'read')) throw notFound('record', id, object)
    return { schema, recordId }
  }

  /** Who may do everything with a record may share it: its owner, those above, and full shares. @throws permission_denied */
  const requireSharing = (ctx: RequestContext, schema: ObjectSchema, recordId: string): void => {
    requireObjectAction(authorizer(), ctx, schema.name, 'edit')
    if (!covers(ctx, schema, recordId, 'edit') || !ownsRecord(ctx, schema, recordId))
      throw platformError('permission_denied', { object: schema.name, action: 'share' })
  }

  /** Row access of `transfer` without asking for that flag: what an owner has. */
  const ownsRecord = (ctx: RequestContext, schema: ObjectSchema, recordId: string): boolean => {
    const actions: RecordAction[] = ['transfer', 'delete', 'restore', 'purge']
    return actions.some((action) => covers(ctx, schema, recordId, action)) || isOwner(schema, recordId, ctx.actor.id)
  }

  const isOwner = (schema: ObjectSchema, recordId: string, userId: string): boolean =>
    parts.passes(schema, recordId, { kind: 'condition', path: ['owner'], operator: '$eq', operand: userId }, userId)

  const requirePrincipal = (ctx: RequestContext, { principalType, principalId }: ShareInput): void => {
    if (parts.principals.exists(ctx.organizationId, principalType, principalId)) return
    const message = `There is no such ${principalType}.`
    throw validationError([{ field: 'principalId', code: 'invalid_reference', message, value: principalId }])
  }

  /** Listeners and the feed of the record are told who it was shared with, never why (D-144). */
  const announce = (tx: Tx, ctx: RequestContext, share: RecordShare, action: 'share' | 'unshare'): void => {
    const { object, recordId, principalType, principalId, access } = share
    const type = action === 'share' ? 'permissions.shared' : 'permissions.unshared'
    tx.emit(ctx, { type, object, recordId, payload: { shareId: share.id, principalType, principalId, access } })
    const data = { action, principalType, principalId, access }
    parts.feed()?.addSystemItem(tx, ctx, { object, recordId, type: 'sharing', data })
  }

  return {
    list(ctx, object, id) {
      const { schema, recordId } = find(ctx, object, id)
      return readShares(read, schema.uid, recordId).map((row) => shown(schema, row, parts.principals))
    },
    candidates(ctx, object, id, text) {
      const { schema, recordId } = find(ctx, object, id)
      requireSharing(ctx, schema, recordId)
      return parts.principals.find(ctx.organizationId, text)
    },
    async create(ctx, object, id, input) {
      const { schema, recordId } = find(ctx, object, id)
      requireSharing(ctx, schema, recordId)
      if (schema.fields.some((field) => field.type === 'master_detail')) {
        const message = 'The record goes with its master; share that one.'
        throw validationError([{ field: '', code: 'not_allowed', message }])
      }
      requirePrincipal(ctx, input)
      const share: ShareRow = {
        id: parts.ids.uuid(),
        recordId,
        principal: `${input.principalType}:${input.principalId}`,
        level: shareLevels[input.access],
        reason: input.reason ?? null,
        createdAt: parts.clock.iso(),
        createdBy: ctx.actor.id,
      }
      return write('permissions.share', (tx) => {
        tx.afterCommit(parts.changed)
        const stored = shown(schema, putShare(tx, schema.uid, share), parts.principals)
        announce(tx, ctx, stored, 'share')
        return stored
      })
    },
    async remove(ctx, object, id, shareId) {
      const { schema, recordId } = find(ctx, object, id)
      requireSharing(ctx, schema, recordId)
      const gone = await write('permissions.unshare', (tx) => {
        tx.afterCommit(parts.changed)
        const present = readShares(tx, schema.uid, recordId).find(({ id: stored }) => stored === shareId)
        if (present !== undefined) announce(tx, ctx, shown(schema, present, parts.principals), 'unshare')
        return deleteShare(tx, schema.uid, recordId, shareId)
      })
      if (!gone) throw notFound('share', shareId)
    },
  }
}

function shown(schema: ObjectSchema, row: ShareRow, principals: Principals): RecordShare {
  const at = row.principal.indexOf(':')
  const access = (Object.keys(shareLevels) as ShareAccess[]).find((word) => shareLevels[word] === row.level)!
  const principalType = row.principal.slice(0, at) as RecordShare['principalType']
  const principalId = row.principal.slice(at + 1)
  const principalName = principals.nameOf(principalType, principalId)
  return {
    id: row.id,
    object: schema.name,
    recordId: row.recordId,
    principalType,
    principalId,
    ...(principalName === undefined ? {} : { principalName }),
    access,
    ...(row.reason === null ? {} : { reason: row.reason }),
    createdAt: row.createdAt,
    createdBy: row.createdBy,
  }
}
