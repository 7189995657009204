// Other people as the rights over a record see them: what somebody may read who is not the caller.
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'

/** What it takes to look with the eyes of others. */
export interface ReaderParts {
  readonly auth: () => AuthService | undefined
  readonly data: Pick<DataService, 'reach'>
}

/** The user on a record; in an organization, the one in which it can read it. Null for whoever may not read it. */
export function readerContext(
  parts: ReaderParts,
  userId: string,
  { object, recordId }: { readonly object: string; readonly recordId: string },
): RequestContext | null {
  const isOpen = (ctx: RequestContext): boolean =>
    parts.data.reach(ctx, { object, id: recordId, action: 'read' }) === 'open'
  return readerContexts(parts, userId).find(isOpen) ?? null
}

/** The user in each of its organizations; none for one who is banned. */
export function readerContexts({ auth: accounts }: Pick<ReaderParts, 'auth'>, userId: string): RequestContext[] {
  const auth = accounts()
  if (auth?.user(userId)?.banned === true) return []
  const organizations =
    auth?.hasOrganizations === true ? auth.memberships(userId).map(({ organizationId }) => organizationId) : [null]
  return organizations.map((organizationId) => ({
    ...internalContext('feed-reader'),
    actor: { type: 'user', id: userId },
    credential: 'session',
    organizationId,
  }))
}
