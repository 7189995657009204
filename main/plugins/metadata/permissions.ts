// The system permission the metadata plugin introduces.

/** Words of D-48 that guard metadata. */
export const metadataPermissions = ['manage_metadata'] as const
