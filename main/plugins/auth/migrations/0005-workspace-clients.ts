// Gives the clients of the provider role to the workspace. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Before, a client belonged to the administrator who made it, hidden from the others, and went with that account. */
export const workspaceClients: Migration = {
  number: 5,
  name: 'workspace-clients',
  sql: `
    UPDATE auth_oauth_client SET referenceId = 'workspace', userId = NULL WHERE userId IS NOT NULL;
  `,
}
