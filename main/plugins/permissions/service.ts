// Decides what an actor may do. First cut: the local owner and the host itself may do everything, everybody else
// nothing; profiles, sets, roles and row rules (D-43 to D-47) take their place here. Knows no routes and no tables.
import type { RecordAction } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { PermissionsService } from './api.ts'
import { isSystemPermission, systemPermissions } from './permissions.ts'

const actions: ReadonlySet<string> = new Set<RecordAction>([
  'create',
  'read',
  'edit',
  'delete',
  'transfer',
  'restore',
  'purge',
])

/** Makes the authorizer of a workspace whose only person is its local owner (D-29). */
export function createOwnerAuthorizer(): Authorizer {
  return {
    hasSystemPermission: (ctx, permission) => mayDoAll(ctx) && isSystemPermission(permission),
    canObject: (ctx, _object, action) => mayDoAll(ctx) && actions.has(action),
    rowCondition: (ctx) => (mayDoAll(ctx) ? null : false),
    canField: (ctx) => mayDoAll(ctx),
    isUnrestricted: mayDoAll,
    fingerprint: (ctx) => (mayDoAll(ctx) ? 'all' : 'none'),
  }
}

/** Makes the permissions service over an authorizer. */
export function createPermissionsService(authorizer: Authorizer): PermissionsService {
  return {
    systemPermissions: (ctx) => systemPermissions.filter((word) => authorizer.hasSystemPermission(ctx, word)),
    isSystemPermission,
  }
}

/**
 * The host's own work, and the local owner once a credential has proved it: a context that came in without one may
 * name the owner as a default actor and still gets nothing.
 */
function mayDoAll(ctx: RequestContext): boolean {
  if (ctx.credential === 'internal') return true
  if (ctx.credential === 'none') return false
  return ctx.actor.type === 'system' || (ctx.actor.type === 'user' && ctx.actor.id === localOwnerId)
}
