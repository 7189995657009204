// What other plugins may ask of the permissions service. Types only; decisions are asked of `host.authorizer`.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
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

/** Details or referencing records that an object shows as a list (D-87). */
export interface VisibleChildren {
  /** The `relationshipName`. */
  readonly name: string
  /** The object whose records they are. */
  readonly schema: ObjectSchema
  /** The field that refers to the object. */
  readonly field: FieldSchema
}

/** An object with what the caller may read of it. */
export interface VisibleObject {
  readonly schema: ObjectSchema
  /** In the order records show them. */
  readonly fields: readonly FieldSchema[]
  readonly children: readonly VisibleChildren[]
}

/** What of the metadata a caller may know: objects with an API that the caller may read. */
export interface VisibleObjects {
  readonly byName: ReadonlyMap<string, VisibleObject>
  /** Where a relation leads: people, an object among these, or undefined for nowhere the caller may look. */
  targetOf(field: FieldSchema): ObjectSchema | undefined
  /** Text that is equal exactly where two callers may know the same. */
  digest(): string
}

/** The permissions service. */
export interface PermissionsService {
  /** The system permissions the actor holds, in the order of D-48. */
  systemPermissions(ctx: RequestContext): readonly SystemPermission[]
  /** What of the metadata the actor may know; the same value until metadata or rights change, so that asking is free. */
  visibleObjects(ctx: RequestContext): VisibleObjects
  /** Whether a text is a word of the vocabulary of D-48. */
  isSystemPermission(text: string): boolean
  /** Whether there is a permission set of this name. */
  isPermissionSet(name: string): boolean
  /**
   * What a user was given; a user without an entry has the default profile and nothing else.
   * @param tx of whoever changes it: others may have done so in the same group of writes
   */
  assignments(userId: string, tx?: Tx): Assignments
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
