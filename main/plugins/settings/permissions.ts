// The system permission the settings plugin introduces.

/** Words of D-48 that guard the options of the workspace. */
export const settingsPermissions = ['manage_settings'] as const
