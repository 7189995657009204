// Who may make a transition that names roles or profiles (D-163, D-250). Asked on every way a state changes.
import type { Transition } from '#shared/rules/state-machine.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'

/** Whether somebody may make a transition, as far as its roles and profiles say. */
export type MayTake = (ctx: RequestContext, transition: Pick<Transition, 'roles' | 'profiles'>) => boolean

/** Makes the answer; administrators and the host's own work may make every transition. */
export function createTransitionRights(
  permissions: Pick<PermissionsService, 'assignments' | 'isAdministrator'>,
): MayTake {
  return (ctx, { roles, profiles }) => {
    if (roles.length === 0 && profiles.length === 0) return true
    if (ctx.credential === 'internal' || ctx.actor.type === 'system' || permissions.isAdministrator(ctx)) return true
    const given = permissions.assignments(ctx.actor.id)
    return profiles.includes(given.profile) || given.roles.some((role) => roles.includes(role))
  }
}
