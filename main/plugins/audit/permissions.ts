// The system permissions the audit introduces (D-48).

/** Read, export and check the audit. */
export const auditPermissions: readonly string[] = ['view_audit']
