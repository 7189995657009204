// The system permissions accounts introduce; `manage_users` belongs to the permissions plugin.

/** Words of D-48 that guard routes of this plugin. */
export const authPermissions = ['manage_api_keys'] as const
