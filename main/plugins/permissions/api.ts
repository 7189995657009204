// What other plugins may ask of the permissions service. Types only; decisions are asked of `host.authorizer`.
import type { RequestContext } from '#main/kernel/context.ts'
import type { RecordOrganization } from '#shared/filter/query-env.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { SystemPermission } from '#shared/system-permissions.ts'

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
  /** Whether the caller has the profile of administrators, with a credential that takes nothing away. */
  isAdministrator(ctx: RequestContext): boolean
  /** Gives a user exactly this; rights count from the COMMIT on. Who may call is the caller's concern. */
  assign(tx: Tx, userId: string, assignments: Assignments): void
  /**
   * Gives every record that belongs to no organization one: the home of its maker, else the given one. One statement per
   * object, in the caller's transaction.
   * @returns how many records
   */
  adoptRecords(
    tx: Tx,
    organizationId: string,
    homes: readonly { readonly userId: string; readonly organizationId: string }[],
  ): number
  /** The organization a record belongs to; null for none. */
  organizationOf(read: Pick<Reads, 'get'>, object: string, recordId: string): string | null
  /** Writes the organization of a record as an SQL expression, null for none; `recordId` is SQL. */
  readonly recordOrganization: RecordOrganization
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    permissions: PermissionsService
  }
}
