// Whom a request comes from, and the door through which a plugin says whom a credential belongs to. Knows no HTTP.
import type { Actor } from '#shared/events.ts'
import { localOwnerId } from './context.ts'

/** How the caller proved who it is. */
export type CredentialKind = 'connection-token' | 'console-session' | 'session' | 'api-key' | 'none' | 'internal'

/** What a credential may do at most, beside what its user may do. */
export interface CredentialScope {
  /** Names of permission sets the caller is narrowed to; null for all rights of the user. */
  readonly permissionSets: readonly string[] | null
  readonly readOnly: boolean
}

/** A caller with a valid credential, or nobody in particular (`credential` none). */
export interface Caller {
  readonly actor: Actor
  readonly credential: CredentialKind
  /** The active organization; null when organizations are off or none is active (D-41). */
  readonly organizationId: string | null
  /** Names the credential in rate buckets and idempotency keys without revealing it; '' for an anonymous caller. */
  readonly credentialId: string
  /** True when a cookie carried the credential: it alone authorises no write (D-31). */
  readonly byCookie: boolean
  /** Absent: everything the user may do. */
  readonly scope?: CredentialScope
  /** The user behind an impersonated session. */
  readonly impersonatorId?: string
}

/** Finds the caller of a credential that is not the host's own. Answers from memory or one read; never waits. */
export interface IdentityProvider {
  /** The caller of a session token or API key sent as `Bearer`; null when it does not hold. */
  byBearer(token: string): Caller | null
  /** The caller of an API key sent as `ApiKey` or `X-API-Key`; null when it does not hold. */
  byApiKey(key: string): Caller | null
  /** The caller of the session cookie of a Cookie header; null when there is one that does not hold, undefined without. */
  byCookie(header: string): Caller | null | undefined
  /** The active organization of the local owner who came with a credential of the host itself; absent: none. */
  ownerOrganization?(): string | null
  /** Whether a credential that does not hold is that of a session which did until its time was over. */
  hasEnded?(credential: { readonly bearer: string } | { readonly cookie: string }): boolean
}

/** The provider of a host without accounts: knows nobody. */
export const noIdentities: IdentityProvider = Object.freeze({
  byBearer: () => null,
  byApiKey: () => null,
  byCookie: () => undefined,
})

/** The browser sessions of the local owner: the host keeps them itself, also without accounts (D-208). */
export interface OwnerSessions {
  /** Ends the one of this credential id; an unknown id is ignored. */
  endById(id: string): void
  /** Ends all, or all but the one of a credential id. @returns how many */
  endAll(exceptId?: string): number
}

/** What of a caller goes into the context of everything it asks for. */
export function contextPart({
  actor,
  credential,
  credentialId,
  organizationId,
  scope,
  impersonatorId,
}: Caller): Pick<Caller, 'actor' | 'credential' | 'credentialId' | 'organizationId' | 'scope' | 'impersonatorId'> {
  return {
    actor,
    credential,
    credentialId,
    organizationId,
    ...(scope === undefined ? {} : { scope }),
    ...(impersonatorId === undefined ? {} : { impersonatorId }),
  }
}

/** Id of the credential that owns what it makes, because it is narrowed to permission sets; null for one with all rights of its user. */
export function narrowedKey({ scope, credentialId }: Partial<Pick<Caller, 'scope' | 'credentialId'>>): string | null {
  return (scope?.permissionSets ?? null) === null ? null : (credentialId ?? '')
}

/**
 * Why the rights of a caller are not lent for good: they are those of a key narrowed to permission sets, or of somebody
 * whom another one acts as. Null: they are whole.
 */
export function whyNotLent(
  caller: Partial<Pick<Caller, 'scope' | 'credentialId' | 'impersonatorId'>>,
): 'IMPERSONATED' | 'narrowed_key' | null {
  if (caller.impersonatorId !== undefined) return 'IMPERSONATED'
  return narrowedKey(caller) === null ? null : 'narrowed_key'
}

/** Why somebody acts no more: gone or shut out, no member there, or by a key that is revoked or over. */
export type Absence = 'user_gone' | 'not_member' | 'key_gone'

/** Where somebody acts, and by what. */
export interface ActingPlace {
  /** Null for what belongs to no organization: that is everywhere. */
  readonly organizationId: string | null
  /** The id of the API key that asks. */
  readonly keyId?: string | undefined
}

/** What says whether somebody is still there. */
export interface Presence {
  /** Why a user may not act there any more; undefined while it may. */
  absence(userId: string, place: ActingPlace): Absence | undefined
}

/**
 * Why a user may not act there any more; undefined while it may. Whatever works on for somebody asks it first (D-404).
 *
 * @param accounts undefined on a host without any: then the local owner is there alone, and no key holds
 */
export function absenceOf(accounts: Presence | undefined, userId: string, place: ActingPlace): Absence | undefined {
  if (accounts !== undefined) return accounts.absence(userId, place)
  if (userId !== localOwnerId) return 'user_gone'
  return place.keyId === undefined ? undefined : 'key_gone'
}
