// The system permission the plugin introduces (D-48).

/** Managing webhooks and receivers. */
export const webhookPermissions = ['manage_webhooks'] as const
