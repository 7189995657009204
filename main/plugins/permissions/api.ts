// What other plugins may ask of the permissions service. Types only; decisions are asked of `host.authorizer`.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { SystemPermission } from './permissions.ts'

/** What a user was given (D-43). */
export interface Assignments {
  /** Name of the one profile. */
  readonly profile: string
  readonly roles: readonly string[]
  readonly permissionSets: readonly string[]
}

/** The permissions service. */
export interface PermissionsService {
  /** The system permissions the actor holds, in the order of D-48. */
  systemPermissions(ctx: RequestContext): readonly SystemPermission[]
  /** Whether a text is a word of the vocabulary of D-48. */
  isSystemPermission(text: string): boolean
  /** What a user was given; a user without an entry has the default profile and nothing else. */
  assignments(userId: string): Assignments
  /** Gives a user exactly this; rights count from the COMMIT on. Who may call is the caller's concern. */
  assign(tx: Tx, userId: string, assignments: Assignments): void
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    permissions: PermissionsService
  }
}
