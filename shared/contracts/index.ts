// Every contract there is, in a fixed order: what the document of the API and the conformance tests start from.
import type { AnyRoute } from '../route.ts'
import { aiRoutes } from './ai.ts'
import { analyticsRoutes } from './analytics.ts'
import { auditRoutes } from './audit.ts'
import { authAdminRoutes } from './auth-admin.ts'
import { authOauthRoutes, authProviderRoutes } from './auth-oauth.ts'
import { authOrganizationRoutes } from './auth-organization.ts'
import { authDeviceRoutes, authTwoFactorRoutes } from './auth-two-factor.ts'
import { authAccountRoutes, authMagicLinkRoutes, authRoutes } from './auth.ts'
import { automationRoutes } from './automation.ts'
import { backupRoutes } from './backup.ts'
import { consoleRoutes } from './console.ts'
import { dataRoutes } from './data.ts'
import { discoveryRoutes, documentRoutes } from './discovery.ts'
import { feedRoutes } from './feed.ts'
import { graphqlRoutes } from './graphql.ts'
import { hubRoutes } from './hub.ts'
import { i18nRoutes } from './i18n.ts'
import { importRoutes } from './import.ts'
import { mcpRoutes } from './mcp.ts'
import { metadataLifecycleRoutes } from './metadata-lifecycle.ts'
import { metadataOperationRoutes } from './metadata-operations.ts'
import { metadataRoutes } from './metadata.ts'
import { notificationRoutes } from './notifications.ts'
import { odataRoutes } from './odata.ts'
import { packageRoutes } from './packages.ts'
import { permissionRoutes } from './permissions.ts'
import { realtimeRoutes } from './realtime.ts'
import { registryRoutes } from './registry.ts'
import { schemaBackupRoutes } from './schema-backups.ts'
import { scriptRoutes } from './scripts.ts'
import { searchRoutes } from './search.ts'
import { settingsRoutes } from './settings.ts'
import { storageRoutes } from './storage.ts'
import { syncConflictRoutes } from './sync-conflicts.ts'
import { syncPeerRoutes, syncRoutes } from './sync.ts'
import { trashRoutes } from './trash.ts'
import { usageRoutes } from './usage.ts'
import { viewRoutes } from './views.ts'
import { webhookRoutes } from './webhooks.ts'
import { workflowRoutes } from './workflow.ts'

/** All contracts, grouped by plugin. */
export const allContracts: readonly AnyRoute[] = [
  discoveryRoutes,
  documentRoutes,
  metadataRoutes,
  metadataLifecycleRoutes,
  metadataOperationRoutes,
  dataRoutes,
  schemaBackupRoutes,
  searchRoutes,
  trashRoutes,
  usageRoutes,
  feedRoutes,
  importRoutes,
  automationRoutes,
  workflowRoutes,
  settingsRoutes,
  backupRoutes,
  registryRoutes,
  packageRoutes,
  permissionRoutes,
  viewRoutes,
  analyticsRoutes,
  odataRoutes,
  aiRoutes,
  graphqlRoutes,
  mcpRoutes,
  scriptRoutes,
  i18nRoutes,
  auditRoutes,
  notificationRoutes,
  realtimeRoutes,
  webhookRoutes,
  storageRoutes,
  syncRoutes,
  syncPeerRoutes,
  syncConflictRoutes,
  hubRoutes,
  authRoutes,
  authAccountRoutes,
  authMagicLinkRoutes,
  authTwoFactorRoutes,
  authDeviceRoutes,
  authAdminRoutes,
  authProviderRoutes,
  authOrganizationRoutes,
  authOauthRoutes,
  consoleRoutes,
].flatMap((table): AnyRoute[] => Object.values(table))
