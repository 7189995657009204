// Who lent a signed address for a download: it opens what that caller may read when it is used (D-402).
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'

/** A caller, as an address names one. */
export interface Lender {
  readonly user: string
  readonly organization: string | null
  /** The id of the API key that asked. */
  readonly key?: string
  /** The account was that of whoever signed up for it. */
  readonly selfMade?: true
}

/** The caller an address is lent by. */
export function lenderOf(ctx: RequestContext, accounts: Pick<AuthService, 'isSelfMade'> | undefined): Lender {
  const { actor, organizationId, credential, credentialId } = ctx
  const key = credential === 'api-key' ? credentialId : undefined
  return {
    user: actor.id,
    organization: organizationId,
    ...(key === undefined ? {} : { key }),
    ...(accounts?.isSelfMade(actor.id) === true ? { selfMade: true as const } : {}),
  }
}

/** The rights a lender has now; undefined for one who is gone, shut out or no member any more, and for a key that is. */
export function contextOfLender(
  { user, organization, key, selfMade }: Lender,
  parts: { readonly auth: () => AuthService | undefined; readonly permissionEpoch: () => number },
): RequestContext | undefined {
  const accounts = parts.auth()
  if (absenceOf(accounts, user, { organizationId: organization, keyId: key }) !== undefined) return undefined
  // Whoever took the account over has lent nothing (D-35).
  if (selfMade === true && accounts?.isSelfMade(user) !== true) return undefined
  // An address lent before there were organizations opens nothing that belongs to one.
  if (organization === null && accounts?.hasOrganizations === true) return undefined
  const scope = key === undefined ? undefined : accounts?.keyScope(user, key)
  if (key !== undefined && scope === undefined) return undefined
  return {
    ...internalContext('signed-address'),
    actor: { type: 'user', id: user },
    credential: key === undefined ? 'session' : 'api-key',
    organizationId: organization,
    permissionEpoch: parts.permissionEpoch(),
    ...(key === undefined ? {} : { credentialId: key }),
    ...(scope === undefined ? {} : { scope }),
  }
}
