// The vocabulary of system permissions. Knows no user, no set and no route.

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
