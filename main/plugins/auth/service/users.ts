// Accounts as the routes show them, and who counts as an administrator. Knows no request.
import { platformError } from '#shared/errors.ts'
import type { SystemPermission } from '#shared/system-permissions.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { PermissionsService } from '../../permissions/api.ts'
import type { UserRow } from '../store.ts'
import { readMemberships, readUser } from '../store.ts'
import type { AuthParts } from './auth-parts.ts'

/** An account in the library's shape, without what nobody outside may see. */
export function userView(row: UserRow): UserView {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    image: row.image,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    username: row.username,
    displayUsername: row.displayUsername,
    role: row.role ?? 'user',
    banned: row.banned === 1,
    banReason: row.banReason,
    banExpires: row.banExpires,
    twoFactorEnabled: row.twoFactorEnabled === 1,
  }
}

/** See {@link userView}. */
export type UserView = {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly username: string | null
  readonly displayUsername: string | null
  readonly role: string
  readonly banned: boolean
  readonly banReason: string | null
  readonly banExpires: string | null
  readonly twoFactorEnabled: boolean
}

/** The account in the answer of the simple login. @source D-33 */
export function loginUser(row: UserRow, permissions: PermissionsService): Record<string, unknown> {
  const { profile, roles } = permissions.assignments(row.id)
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    image: row.image,
    username: row.username,
    role: row.role ?? 'user',
    roles: [...roles],
    profile,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** Whether an account is an administrator's, whatever credential its owner uses. */
export function isAdministrator(permissions: PermissionsService, userId: string): boolean {
  return userId === localOwnerId || permissions.assignments(userId).profile === 'administrator'
}

/** Whether a user holds a right, which may come with a place in an organization; which one is not asked. */
function holds(read: Reads, permissions: PermissionsService, userId: string, right: SystemPermission): boolean {
  const actor = { type: 'user', id: userId } as const
  return [null, ...readMemberships(read, userId).map((one) => one.organizationId)].some((organizationId) => {
    const who: RequestContext = { ...internalContext(userId), actor, credential: 'session', organizationId }
    return permissions.systemPermissions(who).includes(right)
  })
}

/** Whether a caller is an administrator; narrowed to permission sets, one acts as less. */
export function callerIsAdministrator(permissions: PermissionsService, ctx: RequestContext): boolean {
  return (ctx.scope?.permissionSets ?? null) === null && isAdministrator(permissions, ctx.actor.id)
}

/**
 * Refuses whoever manages users an account that would give more than that: an administrator's, and that of somebody who
 * gives out rights, unless the caller is one or does so too.
 * @throws permission_denied
 * @source D-49
 */
export function requireManageable(
  read: Reads,
  permissions: PermissionsService,
  ctx: RequestContext,
  userId: string,
): void {
  const mayManage = isAdministrator(permissions, userId)
    ? callerIsAdministrator(permissions, ctx)
    : !holds(read, permissions, userId, 'manage_permissions') ||
      permissions.systemPermissions(ctx).includes('manage_permissions')
  if (!mayManage) throw platformError('permission_denied', { reason: 'TARGET_IS_ADMINISTRATOR' })
}

/**
 * Whether somebody may act as somebody else: who manages users may, but never as an administrator, and as one who gives
 * out rights only where they do so too.
 * @source safety C10; D-49
 */
export function mayImpersonate(
  read: Reads,
  permissions: PermissionsService,
  impersonatorId: string,
  userId: string,
): boolean {
  const user = readUser(read, impersonatorId)
  if (user === undefined || user.banned === 1 || isAdministrator(permissions, userId)) return false
  const holdsToo = (right: SystemPermission): boolean => holds(read, permissions, impersonatorId, right)
  const givesRights = holds(read, permissions, userId, 'manage_permissions')
  return holdsToo('manage_users') && (!givesRights || holdsToo('manage_permissions'))
}

/**
 * Whether the caller may see links and codes that wait to be handed on: they open the account they are for,
 * administrators' too, so only an administrator who signed in may, with no right taken away.
 * @source D-39
 */
export function maySeeWaitingMail({ permissions }: Pick<AuthParts, 'permissions'>, ctx: RequestContext): boolean {
  const isOwn = ctx.impersonatorId === undefined && ctx.credential !== 'api-key'
  return isOwn && callerIsAdministrator(permissions, ctx)
}

/**
 * Refuses a step that changes credentials unless a person who signed in as themselves takes it: no API key, no
 * impersonation.
 * @throws permission_denied
 * @source safety C10
 */
export function requireOwnSession(ctx: RequestContext): void {
  if (ctx.impersonatorId !== undefined) throw platformError('permission_denied', { reason: 'IMPERSONATED' })
  if (ctx.credential === 'api-key') throw platformError('permission_denied', { reason: 'SESSION_REQUIRED' })
}
