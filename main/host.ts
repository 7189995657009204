// The composition root: builds one host out of kernel, database, http and the plugins it lists. The only file that
// names every plugin.
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { aiPlugin } from '#main/plugins/ai/index.ts'
import { analyticsPlugin } from '#main/plugins/analytics/index.ts'
import { auditPlugin } from '#main/plugins/audit/index.ts'
import { authPlugin } from '#main/plugins/auth/index.ts'
import { automationPlugin } from '#main/plugins/automation/index.ts'
import { backupPlugin } from '#main/plugins/backup/index.ts'
import { dataPlugin } from '#main/plugins/data/index.ts'
import { discoveryPlugin } from '#main/plugins/discovery/index.ts'
import { feedPlugin } from '#main/plugins/feed/index.ts'
import { hubPlugin } from '#main/plugins/hub/index.ts'
import { i18nPlugin } from '#main/plugins/i18n/index.ts'
import { importPlugin } from '#main/plugins/import/index.ts'
import { mailPlugin } from '#main/plugins/mail/index.ts'
import { metadataPlugin } from '#main/plugins/metadata/index.ts'
import { notificationsPlugin } from '#main/plugins/notifications/index.ts'
import { odataPlugin } from '#main/plugins/odata/index.ts'
import { packagesPlugin } from '#main/plugins/packages/index.ts'
import { permissionsPlugin } from '#main/plugins/permissions/index.ts'
import { realtimePlugin } from '#main/plugins/realtime/index.ts'
import { registryPlugin } from '#main/plugins/registry/index.ts'
import { scriptsPlugin } from '#main/plugins/scripts/index.ts'
import { searchPlugin } from '#main/plugins/search/index.ts'
import { settingsPlugin } from '#main/plugins/settings/index.ts'
import { storagePlugin } from '#main/plugins/storage/index.ts'
import { syncPlugin } from '#main/plugins/sync/index.ts'
import { viewsPlugin } from '#main/plugins/views/index.ts'
import { webhooksPlugin } from '#main/plugins/webhooks/index.ts'
import { workflowPlugin } from '#main/plugins/workflow/index.ts'
import { graphqlPlugin } from '#main/plugins/graphql/index.ts'
import { mcpPlugin } from '#main/plugins/mcp/index.ts'

/** Plugins that are always loaded. */
export const corePlugins: readonly PluginDefinition[] = [
  settingsPlugin,
  metadataPlugin,
  permissionsPlugin,
  searchPlugin,
  dataPlugin,
  discoveryPlugin,
]

/** Plugins a host may be started without. */
export const optionalPlugins: readonly PluginDefinition[] = [
  authPlugin,
  importPlugin,
  backupPlugin,
  registryPlugin,
  viewsPlugin,
  analyticsPlugin,
  scriptsPlugin,
  i18nPlugin,
  auditPlugin,
  feedPlugin,
  mailPlugin,
  notificationsPlugin,
  realtimePlugin,
  automationPlugin,
  workflowPlugin,
  webhooksPlugin,
  storagePlugin,
  packagesPlugin,
  syncPlugin,
  hubPlugin,
  graphqlPlugin,
  odataPlugin,
  aiPlugin,
  mcpPlugin,
]

/** Loads what the first uses of plugins would load; for a node that waits, and is to answer at once when it leads. */
export async function preloadPlugins(): Promise<void> {
  await Promise.all([...corePlugins, ...optionalPlugins].map((plugin) => plugin.preload?.()))
}
