// What other plugins may ask of the permissions service. Types only; decisions are asked of `host.authorizer`.
import type { RequestContext } from '#main/kernel/context.ts'
import type { SystemPermission } from './permissions.ts'

/** The permissions service. */
export interface PermissionsService {
  /** The system permissions the actor holds, in the order of D-48. */
  systemPermissions(ctx: RequestContext): readonly SystemPermission[]
  /** Whether a text is a word of the vocabulary of D-48. */
  isSystemPermission(text: string): boolean
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    permissions: PermissionsService
  }
}
