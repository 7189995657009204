// The part of the system permissions this plugin introduces. Knows no user and no object.
import type { SystemPermission } from '#shared/system-permissions.ts'
import { systemPermissions } from '#shared/system-permissions.ts'

/** Whether a text is a word of the vocabulary. */
export function isSystemPermission(text: string): text is SystemPermission {
  return (systemPermissions as readonly string[]).includes(text)
}

/** The words this plugin introduces; each other word comes with the plugin it guards. */
export const permissionsPermissions = [
  'manage_users',
  'manage_permissions',
] as const satisfies readonly SystemPermission[]
