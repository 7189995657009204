// The answers to every permission question (D-43 to D-48). The host's own work and the local owner are answered without
// a look at any right; everybody else from what the directory remembers.
import type { RecordAction } from '#shared/route.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { isSystemPermission } from '../permissions.ts'
import { organizationRecords } from '../store.ts'
import type { CallerRights, Directory } from './directory.ts'
import { recordActions } from './right-set.ts'
import type { UserRights } from './user-rights.ts'

/** What the authorizer works with. */
export interface AuthorizerParts {
  readonly directory: Pick<Directory, 'rightsOf'>
  readonly schemaOf: (object: string) => ObjectSchema | undefined
  /** Whether every record belongs to an organization (D-41). */
  readonly hasOrganizations: () => boolean
}

/** Who a context speaks for: the host itself, a user with rights of its own, or nobody. */
export type CallerKind = 'host' | 'user' | 'nobody'

/**
 * The host's own work may do everything, and so may the system on behalf of whoever proved a credential. A context that
 * came in without a credential gets nothing, whoever it names.
 */
export function callerKind({ credential, actor }: Pick<RequestContext, 'credential' | 'actor'>): CallerKind {
  if (credential === 'internal') return 'host'
  if (credential === 'none') return 'nobody'
  if (actor.type === 'system') return 'host'
  return actor.type === 'user' ? 'user' : 'nobody'
}

const words: ReadonlySet<string> = new Set(recordActions)

/** Makes the authorizer. */
export function createAuthorizer({ directory, schemaOf, hasOrganizations }: AuthorizerParts): Authorizer {
  /** Whether the user itself may do everything, whatever the credential narrows. */
  const isAdministrator = (ctx: RequestContext, rights?: CallerRights): boolean =>
    ctx.actor.id === localOwnerId || (rights ?? directory.rightsOf(ctx)).isAdministrator

  /** What is asked: the user's rights but for administrators, and what the credential narrows them to. */
  const partsOf = (ctx: RequestContext): readonly UserRights[] => {
    const rights = directory.rightsOf(ctx)
    const own = isAdministrator(ctx, rights) ? [] : [rights.own]
    return rights.narrowed === null ? own : [...own, rights.narrowed]
  }

  /** Whether the caller's records are those of one organization. */
  const isWalled = (ctx: RequestContext): boolean =>
    (callerKind(ctx) === 'user' || ctx.isWalled === true) && hasOrganizations()

  const isReadOnly = (ctx: RequestContext): boolean => ctx.scope?.readOnly === true

  const isUnrestricted = (ctx: RequestContext): boolean => {
    const kind = callerKind(ctx)
    if (kind !== 'user') return kind === 'host' && !isWalled(ctx)
    if (ctx.scope !== undefined && (ctx.scope.readOnly || ctx.scope.permissionSets !== null)) return false
    return !isWalled(ctx) && isAdministrator(ctx)
  }

  const closedBecause = (ctx: RequestContext): string | undefined =>
    ctx.organizationId === null && isWalled(ctx) ? 'no_organization' : undefined

  const canObject = (ctx: RequestContext, object: string, action: RecordAction): boolean => {
    if (!words.has(action)) return false
    const kind = callerKind(ctx)
    if (kind !== 'user') return kind === 'host'
    if (isReadOnly(ctx) && action !== 'read') return false
    return partsOf(ctx).every((part) => part.object(object)[action])
  }

  return {
    isUnrestricted,
    canObject,
    closedBecause,
    hasSystemPermission(ctx, permission) {
      if (!isSystemPermission(permission)) return false
      const kind = callerKind(ctx)
      if (kind !== 'user') return kind === 'host'
      return partsOf(ctx).every((part) => part.hasSystem(permission))
    },
    rowCondition(ctx, object, action) {
      if (closedBecause(ctx) !== undefined || !canObject(ctx, object, action)) return false
      const conditions: Filter[] = []
      for (const part of callerKind(ctx) === 'user' ? partsOf(ctx) : []) {
        const rows = part.rows(object, action)
        if (rows === false) return false
        if (rows !== null) conditions.push(rows)
      }
      const schema = isWalled(ctx) ? schemaOf(object) : undefined
      if (schema !== undefined) {
        const ids = organizationRecords(schema.uid, ctx.organizationId!)
        conditions.push({ kind: 'among', field: 'id', ids })
      }
      return conditions.length === 0 ? null : allOf(...conditions)
    },
    canField(ctx, object, field, access) {
      const kind = callerKind(ctx)
      if (kind !== 'user') return kind === 'host'
      if (access === 'editable' && isReadOnly(ctx)) return false
      return partsOf(ctx).every((part) => part.field(object, field)[access])
    },
    standing(ctx) {
      if (callerKind(ctx) !== 'user') return null
      const rights = directory.rightsOf(ctx)
      return rights.isTimeless ? rights : null
    },
    fingerprint(ctx) {
      if (isUnrestricted(ctx)) return 'all'
      return callerKind(ctx) === 'user' ? directory.rightsOf(ctx).fingerprint : 'none'
    },
  }
}
