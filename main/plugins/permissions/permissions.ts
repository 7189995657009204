// The vocabulary of system permissions and the part of it this plugin introduces. Knows no user and no object.

/**
 * Every system permission there is, whether or not its plugin is installed.
 * @source D-48
 */
export const systemPermissions = [
  'manage_metadata',
  'manage_users',
  'manage_permissions',
  'manage_packages',
  'manage_flows',
  'run_flows',
  'manage_webhooks',
  'manage_settings',
  'manage_api_keys',
  'view_audit',
  'run_sql',
  'export_data',
  'import_data',
  'moderate_feed',
  'manage_ai',
  'restore_backups',
] as const

/** A word of {@link systemPermissions}. */
export type SystemPermission = (typeof systemPermissions)[number]

/** Whether a text is a word of the vocabulary. */
export function isSystemPermission(text: string): text is SystemPermission {
  return (systemPermissions as readonly string[]).includes(text)
}

/** The words this plugin introduces; each other word comes with the plugin it guards. */
export const permissionsPermissions = [
  'manage_users',
  'manage_permissions',
] as const satisfies readonly SystemPermission[]
