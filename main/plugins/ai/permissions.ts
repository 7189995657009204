// The system permission the plugin introduces (D-48).

/** Choosing who answers questions. */
export const aiPermissions = ['manage_ai'] as const
