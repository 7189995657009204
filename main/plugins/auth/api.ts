// What other plugins may ask of accounts. Types only; credentials are found through `host.setIdentities`.
import type { RequestContext } from '#main/kernel/context.ts'
import type { CredentialScope, Presence } from '#main/kernel/identity.ts'

/** An account as other plugins see it. */
export interface AuthUser {
  /** UUIDv7; the id of the local owner is fixed (D-29). */
  readonly id: string
  readonly name: string
  readonly email: string
  /** Null when none was chosen. */
  readonly username: string | null
  readonly image: string | null
  readonly banned: boolean
}

/** A user's place in an organization. */
export interface Membership {
  readonly organizationId: string
  /** owner, admin or member. */
  readonly role: string
  readonly teams: readonly string[]
}

/** A team of an organization. */
export interface Team {
  readonly id: string
  readonly organizationId: string
  readonly name: string
}

/** The accounts of the workspace. Every read answers at once, from memory or one statement. */
export interface AuthService extends Presence {
  user(id: string): AuthUser | undefined
  /** Whether an account is that of whoever signed up for it; not once the owner of its address took it over (D-35). */
  isSelfMade(id: string): boolean
  /** All accounts by name; `query` narrows by name, email and username. */
  users(options?: { readonly query?: string; readonly limit?: number }): readonly AuthUser[]
  /** What an API key of a user may do at most; undefined for one that is revoked or over. */
  keyScope(userId: string, keyId: string): CredentialScope | undefined
  memberships(userId: string): readonly Membership[]
  /** The teams of an organization by name. */
  teams(organizationId: string): readonly Team[]
  /** One team, of whatever organization. */
  team(id: string): Team | undefined
  /** The ids of the users in a team, in the order of joining; none for a team nobody knows. */
  teamMembers(id: string): readonly string[]
  /** Whether organizations are on: then every record belongs to one (D-41). */
  readonly hasOrganizations: boolean
  /** The organization that holds what was there before organizations were switched on; undefined when they never were. */
  firstOrganization(): string | undefined
  /** The link or code of a mail that waits to be handed on; undefined for callers who may not see it, and once it is over. */
  waitingMail(ctx: RequestContext, id: string): string | undefined
  /** Whether the local owner can sign in with a password; the host lets no other machine in before. */
  hasOwnerPassword(): boolean
  /** Ends all sessions of a user; they count no more on the next request. */
  endSessions(userId: string): Promise<void>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    auth: AuthService
  }
}
