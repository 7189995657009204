// The system permission the plugin introduces (D-48).

/** Installing, upgrading and removing packages. */
export const packagePermissions = ['manage_packages'] as const
