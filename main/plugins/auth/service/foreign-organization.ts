// Refuses organizations the caller is no member of. The library refuses them too, but then the caller works in no
// organization any more: it is not asked.
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import { readMemberships, readOrganizationId } from '../store.ts'

/** How a request names an organization; null stands for none. */
interface Named {
  readonly organizationId?: string | null | undefined
  readonly organizationSlug?: string | undefined
}

/** Whether the caller is a member of an organization. */
export function isMemberOf(read: Reads, ctx: RequestContext, organizationId: string): boolean {
  return readMemberships(read, ctx.actor.id).some((membership) => membership.organizationId === organizationId)
}

/**
 * For a request that goes to work in an organization: the id counts before the short name, and an unknown id is one of
 * others. An unknown short name is left to the library, which refuses it without a change.
 * @throws permission_denied
 */
export function requireOwnToWorkIn(read: Reads, ctx: RequestContext, named: Named): void {
  const { organizationId, organizationSlug } = named
  const bySlug = organizationSlug === undefined ? undefined : readOrganizationId(read, 'slug', organizationSlug)
  requireMembership(read, ctx, organizationId === undefined ? bySlug : organizationId)
}

/**
 * For a request that looks at an organization: the short name counts before the id. What is not there is left to the
 * library, which refuses it without a change.
 * @throws permission_denied
 */
export function requireOwnToLookAt(read: Reads, ctx: RequestContext, named: Named): void {
  const { organizationId, organizationSlug } = named
  const by = organizationSlug === undefined ? 'id' : 'slug'
  const name = organizationSlug ?? organizationId
  requireMembership(read, ctx, name == null ? undefined : readOrganizationId(read, by, name))
}

function requireMembership(read: Reads, ctx: RequestContext, organizationId: string | null | undefined): void {
  if (organizationId == null || isMemberOf(read, ctx, organizationId)) return
  throw platformError('permission_denied', { reason: 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION' })
}
