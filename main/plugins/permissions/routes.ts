// Handlers of the permission operations (D-49).
import type { permissionRoutes } from '#shared/contracts/permissions.ts'
import type { FieldError } from '#shared/errors.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Assignments } from './api.ts'
import type { PermissionChecks } from './service/checks.ts'
import type { Directory } from './service/directory.ts'
import { administratorProfile } from './service/delivered-profiles.ts'
import type { Shares } from './service/shares.ts'

/** What the handlers bind. */
export interface PermissionRouteParts {
  readonly checks: PermissionChecks
  readonly shares: Shares
  readonly directory: Directory
  readonly metadata: MetadataService
  readonly write: Write
  readonly userExists: (id: string) => boolean
}

/** Binds the routes. */
export function permissionHandlers(parts: PermissionRouteParts): Handlers<typeof permissionRoutes> {
  const { checks, shares, directory, metadata, write } = parts

  const requireUser = (userId: string): void => {
    if (!parts.userExists(userId)) throw notFound('user', userId)
  }

  const shown = (userId: string) => {
    const { profile, roles, permissionSets } = directory.assignments(userId)
    return { userId, profile, roles: [...roles], permissionSets: [...permissionSets] }
  }

  return {
    checkPermission: (ctx, { query }) => checks.check(ctx, query),
    checkPermissionByBody: (ctx, { body }) => checks.check(ctx, body),
    getEffectivePermissions: (ctx, { query }) => {
      const { roles, permissionSets, ...rest } = checks.effective(ctx, query)
      return { ...rest, roles: [...roles], permissionSets: [...permissionSets] }
    },
    getObjectPermissions: (ctx, { params, query }) => checks.object(ctx, params.object, query.userId),
    explainPermission: (ctx, { query }) => checks.explain(ctx, query),
    getAssignments(_ctx, { params }) {
      requireUser(params.userId)
      return shown(params.userId)
    },
    async setAssignments(ctx, { params, body }) {
      const { userId } = params
      requireUser(userId)
      await write('permissions.assign', (tx) => {
        // Read here: what is left out stays as others have just made it.
        const present = directory.assignments(userId, tx)
        const next: Assignments = {
          profile: body.profile ?? present.profile,
          roles: [...new Set(body.roles ?? present.roles)],
          permissionSets: [...new Set(body.permissionSets ?? present.permissionSets)],
        }
        const problems = unknownNames(metadata, next)
        if (problems.length > 0) throw validationError(problems)
        // The local owner is the administrator there always is.
        if (userId === localOwnerId && next.profile !== administratorProfile)
          throw platformError('conflict', { reason: 'last_administrator' })
        directory.assign(tx, userId, next)
        if (isSameJson(present, next)) return
        tx.emit(ctx, { type: 'permissions.assigned', payload: { userId, ...next, before: present } })
      })
      return shown(userId)
    },
    listShares(ctx, { params }) {
      const listed = shares.list(ctx, params.object, params.id)
      return { shares: listed, data: listed }
    },
    findSharePrincipals: (ctx, { params, query }) =>
      shares.candidates(ctx, params.object, params.id, query.query ?? ''),
    createShare(ctx, { params: { object, id }, body }) {
      if ('principalId' in body) return shares.create(ctx, object, id, body)
      const { recipientType: principalType, recipientId: principalId, accessLevel: access, reason } = body
      return shares.create(ctx, object, id, { principalType, principalId, access, reason })
    },
    async deleteShare(ctx, { params }) {
      await shares.remove(ctx, params.object, params.id, params.shareId)
      return { shareId: params.shareId, success: true as const, deleted: true as const }
    },
  }
}

/** Names that no item has. */
function unknownNames(metadata: MetadataService, { profile, roles, permissionSets }: Assignments): FieldError[] {
  const check = (type: 'profile' | 'role' | 'permission', field: string, name: string): FieldError[] =>
    metadata.get(type, name) !== undefined
      ? []
      : [{ field, code: 'invalid_reference', message: `There is no such ${type}.`, value: name }]
  return [
    ...check('profile', 'profile', profile),
    ...roles.flatMap((name, index) => check('role', `roles.${index}`, name)),
    ...permissionSets.flatMap((name, index) => check('permission', `permissionSets.${index}`, name)),
  ]
}
