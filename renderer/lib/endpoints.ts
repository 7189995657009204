// Owns the list of operations the screens call, as method, mount and path. The types come from the contracts, so a path
// that drifts from its contract does not compile; the values stay here so that no schema library is shipped.
import type { z } from 'zod'
import type { aiRoutes } from '#shared/contracts/ai.ts'
import type { analyticsRoutes } from '#shared/contracts/analytics.ts'
import type { auditRoutes } from '#shared/contracts/audit.ts'
import type { automationRoutes } from '#shared/contracts/automation.ts'
import type { backupRoutes } from '#shared/contracts/backup.ts'
import type { authAdminRoutes } from '#shared/contracts/auth-admin.ts'
import type { authOauthRoutes, authProviderRoutes } from '#shared/contracts/auth-oauth.ts'
import type { authOrganizationRoutes } from '#shared/contracts/auth-organization.ts'
import type { authDeviceRoutes, authTwoFactorRoutes } from '#shared/contracts/auth-two-factor.ts'
import type { authAccountRoutes, authMagicLinkRoutes, authRoutes } from '#shared/contracts/auth.ts'
import type { dataRoutes } from '#shared/contracts/data.ts'
import type { discoveryRoutes, documentRoutes } from '#shared/contracts/discovery.ts'
import type { feedRoutes } from '#shared/contracts/feed.ts'
import type { graphqlRoutes } from '#shared/contracts/graphql.ts'
import type { hubRoutes } from '#shared/contracts/hub.ts'
import type { i18nRoutes } from '#shared/contracts/i18n.ts'
import type { importRoutes } from '#shared/contracts/import.ts'
import type { mcpRoutes } from '#shared/contracts/mcp.ts'
import type { metadataOperationRoutes } from '#shared/contracts/metadata-operations.ts'
import type { metadataRoutes } from '#shared/contracts/metadata.ts'
import type { notificationRoutes } from '#shared/contracts/notifications.ts'
import type { packageRoutes } from '#shared/contracts/packages.ts'
import type { permissionRoutes } from '#shared/contracts/permissions.ts'
import type { realtimeRoutes } from '#shared/contracts/realtime.ts'
import type { schemaBackupRoutes } from '#shared/contracts/schema-backups.ts'
import type { searchRoutes } from '#shared/contracts/search.ts'
import type { settingsRoutes } from '#shared/contracts/settings.ts'
import type { storageRoutes } from '#shared/contracts/storage.ts'
import type { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { syncPeerRoutes, syncRoutes } from '#shared/contracts/sync.ts'
import type { trashRoutes } from '#shared/contracts/trash.ts'
import type { usageRoutes } from '#shared/contracts/usage.ts'
import type { viewRoutes } from '#shared/contracts/views.ts'
import type { webhookRoutes } from '#shared/contracts/webhooks.ts'
import type { workflowRoutes } from '#shared/contracts/workflow.ts'
import type { AnyRoute } from '#shared/route.ts'

type Contracts = typeof dataRoutes &
  typeof hubRoutes &
  typeof i18nRoutes &
  typeof mcpRoutes &
  typeof metadataRoutes &
  typeof metadataOperationRoutes &
  typeof schemaBackupRoutes &
  typeof importRoutes &
  typeof discoveryRoutes &
  typeof documentRoutes &
  typeof graphqlRoutes &
  typeof viewRoutes &
  typeof aiRoutes &
  typeof analyticsRoutes &
  typeof auditRoutes &
  typeof feedRoutes &
  typeof notificationRoutes &
  typeof realtimeRoutes &
  typeof syncRoutes &
  typeof syncPeerRoutes &
  typeof syncConflictRoutes &
  typeof permissionRoutes &
  typeof authRoutes &
  typeof authAccountRoutes &
  typeof authMagicLinkRoutes &
  typeof authAdminRoutes &
  typeof authProviderRoutes &
  typeof authOauthRoutes &
  typeof authOrganizationRoutes &
  typeof authDeviceRoutes &
  typeof authTwoFactorRoutes &
  typeof webhookRoutes &
  typeof workflowRoutes &
  typeof packageRoutes &
  typeof automationRoutes &
  typeof backupRoutes &
  typeof searchRoutes &
  typeof settingsRoutes &
  typeof storageRoutes &
  typeof trashRoutes &
  typeof usageRoutes

/** `METHOD mount path` of a contract. */
type EndpointText<R extends AnyRoute> = `${R['method']} ${R['mount']} ${R['path']}`

type EndpointTable = { readonly [K in keyof Contracts]?: EndpointText<Contracts[K]> }

/** Every operation the screens use. */
export const endpoints = {
  getDiscovery: 'GET versioned ',
  listRecords: 'GET versioned /data/:object',
  queryRecords: 'POST versioned /data/:object/query',
  getRecord: 'GET versioned /data/:object/:id',
  createRecord: 'POST versioned /data/:object',
  updateRecord: 'PATCH versioned /data/:object/:id',
  restoreRecord: 'POST versioned /data/:object/:id/restore',
  batchRecords: 'POST versioned /data/:object/batch',
  updateManyRecords: 'POST versioned /data/:object/updateMany',
  deleteManyRecords: 'POST versioned /data/:object/deleteMany',
  createImportJob: 'POST versioned /data/:object/import/jobs',
  listImportJobs: 'GET versioned /data/import/jobs',
  getImportJob: 'GET versioned /data/import/jobs/:jobId',
  getImportResults: 'GET versioned /data/import/jobs/:jobId/results',
  cancelImportJob: 'POST versioned /data/import/jobs/:jobId/cancel',
  pauseImportJob: 'POST versioned /data/import/jobs/:jobId/pause',
  resumeImportJob: 'POST versioned /data/import/jobs/:jobId/resume',
  undoImportJob: 'POST versioned /data/import/jobs/:jobId/undo',
  exportRecords: 'GET versioned /data/:object/export',
  listMetadataItems: 'GET versioned /meta/:type',
  getMetadataItem: 'GET versioned /meta/:type/:name',
  saveMetadataItem: 'PUT versioned /meta/:type/:name',
  deleteMetadataItem: 'DELETE versioned /meta/:type/:name',
  validateMetadata: 'POST versioned /meta/validate',
  listLocales: 'GET versioned /i18n/locales',
  listSchemaBackups: 'GET versioned /meta/object/:name/backups',
  restoreSchemaBackup: 'POST versioned /meta/object/:name/backups/:id/restore',
  revealSecret: 'POST versioned /data/:object/:id/reveal',
  getGeneratedView: 'GET versioned /ui/view/:object/:type',
  listFeed: 'GET versioned /data/:object/:recordId/feed',
  listMentionable: 'GET versioned /data/:object/:recordId/feed/mentionable',
  createFeedItem: 'POST versioned /data/:object/:recordId/feed',
  updateFeedItem: 'PUT versioned /data/:object/:recordId/feed/:feedId',
  deleteFeedItem: 'DELETE versioned /data/:object/:recordId/feed/:feedId',
  addReaction: 'POST versioned /data/:object/:recordId/feed/:feedId/reactions',
  removeReaction: 'DELETE versioned /data/:object/:recordId/feed/:feedId/reactions/:emoji',
  pinFeedItem: 'POST versioned /data/:object/:recordId/feed/:feedId/pin',
  unpinFeedItem: 'DELETE versioned /data/:object/:recordId/feed/:feedId/pin',
  starFeedItem: 'POST versioned /data/:object/:recordId/feed/:feedId/star',
  unstarFeedItem: 'DELETE versioned /data/:object/:recordId/feed/:feedId/star',
  searchFeed: 'GET versioned /data/:object/:recordId/feed/search',
  getChangelog: 'GET versioned /data/:object/:recordId/changelog',
  subscribeRecord: 'POST versioned /data/:object/:recordId/subscribe',
  getSubscription: 'GET versioned /data/:object/:recordId/subscribe',
  unsubscribeRecord: 'DELETE versioned /data/:object/:recordId/subscribe',
  listNotifications: 'GET versioned /notifications',
  readNotifications: 'POST versioned /notifications/read',
  readAllNotifications: 'POST versioned /notifications/read-all',
  getNotificationPreferences: 'GET versioned /notifications/preferences',
  updateNotificationPreferences: 'PATCH versioned /notifications/preferences',
  deleteNotification: 'DELETE versioned /notifications/:id',
  connectRealtime: 'POST versioned /realtime/connect',
  disconnectRealtime: 'POST versioned /realtime/disconnect',
  subscribeRealtime: 'POST versioned /realtime/subscribe',
  unsubscribeRealtime: 'POST versioned /realtime/unsubscribe',
  setPresence: 'POST versioned /realtime/presence',
  getPresence: 'GET versioned /realtime/presence/:channel',
  streamRealtime: 'GET versioned /realtime/sse',
  pollRealtime: 'GET versioned /realtime/poll',
  openLiveText: 'POST versioned /sync/docs/open',
  listViews: 'GET versioned /ui/views',
  createView: 'POST versioned /ui/views',
  updateView: 'PATCH versioned /ui/views/:viewId',
  deleteView: 'DELETE versioned /ui/views/:viewId',
  listPackages: 'GET versioned /packages',
  listAvailablePackages: 'GET versioned /packages/available',
  previewPackage: 'POST versioned /packages/preview',
  uploadPackage: 'POST versioned /packages/upload',
  installPackage: 'POST versioned /packages/install',
  upgradePackage: 'POST versioned /packages/upgrade',
  enablePackage: 'PATCH versioned /packages/:id/enable',
  disablePackage: 'PATCH versioned /packages/:id/disable',
  removePackageSamples: 'DELETE versioned /packages/:id/samples',
  listPackageSnapshots: 'GET versioned /packages/:id/snapshots',
  rollbackPackage: 'POST versioned /packages/:id/rollback',
  uninstallPackage: 'DELETE versioned /packages/:id',
  exportPackage: 'GET versioned /packages/:id/export',
  uploadFile: 'POST versioned /storage/upload',
  startChunkedUpload: 'POST versioned /storage/upload/chunked',
  putChunk: 'PUT versioned /storage/upload/chunked/:uploadId/chunk/:chunkIndex',
  completeChunkedUpload: 'POST versioned /storage/upload/chunked/:uploadId/complete',
  abortChunkedUpload: 'DELETE versioned /storage/upload/chunked/:uploadId',
  listFiles: 'GET versioned /storage/files',
  getFileUses: 'GET versioned /storage/files/:id/uses',
  downloadFile: 'GET versioned /storage/files/:id',
  getFileMetadata: 'GET versioned /storage/files/:id/metadata',
  deleteFile: 'DELETE versioned /storage/:id',
  queryAnalytics: 'POST versioned /analytics/query',
  getAiConfig: 'GET versioned /ai/config',
  askAi: 'POST versioned /ai/nlq',
  chatWithAi: 'POST versioned /ai/chat',
  suggestWithAi: 'POST versioned /ai/suggest',
  listMcpActs: 'GET versioned /mcp/acts',
  getOpenApi: 'GET versioned /openapi.json',
  runGraphql: 'POST versioned /graphql',
  getGraphqlSchema: 'GET versioned /graphql/schema',
  getAuthConfig: 'GET versioned /auth/config',
  getSession: 'GET versioned /auth/get-session',
  signInEmail: 'POST versioned /auth/sign-in/email',
  signInUsername: 'POST versioned /auth/sign-in/username',
  signInSocial: 'POST versioned /auth/sign-in/social',
  signInOauth2: 'POST versioned /auth/sign-in/oauth2',
  signOut: 'POST versioned /auth/sign-out',
  requestPasswordReset: 'POST versioned /auth/request-password-reset',
  resetPassword: 'POST versioned /auth/reset-password',
  sendVerificationEmail: 'POST versioned /auth/send-verification-email',
  verifyTotp: 'POST versioned /auth/two-factor/verify-totp',
  verifyBackupCode: 'POST versioned /auth/two-factor/verify-backup-code',
  sendOtp: 'POST versioned /auth/two-factor/send-otp',
  verifyOtp: 'POST versioned /auth/two-factor/verify-otp',
  enableTwoFactor: 'POST versioned /auth/two-factor/enable',
  disableTwoFactor: 'POST versioned /auth/two-factor/disable',
  generateBackupCodes: 'POST versioned /auth/two-factor/generate-backup-codes',
  sendMagicLink: 'POST versioned /auth/magic-link/send',
  verifyMagicLink: 'POST versioned /auth/magic-link/verify',
  getDevice: 'GET versioned /auth/device',
  approveDevice: 'POST versioned /auth/device/approve',
  denyDevice: 'POST versioned /auth/device/deny',
  getInvitation: 'GET versioned /auth/organization/get-invitation',
  oauthPublicClient: 'GET versioned /auth/oauth2/public-client',
  oauthConsent: 'POST versioned /auth/oauth2/consent',
  oauthGetConsents: 'GET versioned /auth/oauth2/get-consents',
  oauthDeleteConsent: 'POST versioned /auth/oauth2/delete-consent',
  oauthGetClients: 'GET versioned /auth/oauth2/get-clients',
  oauthCreateClient: 'POST versioned /auth/oauth2/create-client',
  oauthRotateSecret: 'POST versioned /auth/oauth2/client/rotate-secret',
  oauthDeleteClient: 'POST versioned /auth/oauth2/delete-client',
  acceptInvitation: 'POST versioned /auth/organization/accept-invitation',
  rejectInvitation: 'POST versioned /auth/organization/reject-invitation',
  createOrganization: 'POST versioned /auth/organization/create',
  updateOrganization: 'POST versioned /auth/organization/update',
  deleteOrganization: 'POST versioned /auth/organization/delete',
  setActiveOrganization: 'POST versioned /auth/organization/set-active',
  listOrganizations: 'GET versioned /auth/organization/list',
  getFullOrganization: 'GET versioned /auth/organization/get-full-organization',
  inviteMember: 'POST versioned /auth/organization/invite-member',
  cancelInvitation: 'POST versioned /auth/organization/cancel-invitation',
  listUserInvitations: 'GET versioned /auth/organization/list-user-invitations',
  removeMember: 'POST versioned /auth/organization/remove-member',
  updateMemberRole: 'POST versioned /auth/organization/update-member-role',
  leaveOrganization: 'POST versioned /auth/organization/leave',
  createTeam: 'POST versioned /auth/organization/create-team',
  removeTeam: 'POST versioned /auth/organization/remove-team',
  listTeamMembers: 'GET versioned /auth/organization/list-team-members',
  addTeamMember: 'POST versioned /auth/organization/add-team-member',
  removeTeamMember: 'POST versioned /auth/organization/remove-team-member',
  updateUser: 'POST versioned /auth/update-user',
  changePassword: 'POST versioned /auth/change-password',
  setOwnPassword: 'POST versioned /auth/set-password',
  listAccounts: 'GET versioned /auth/list-accounts',
  listSessions: 'GET versioned /auth/list-sessions',
  revokeSession: 'POST versioned /auth/revoke-session',
  revokeOtherSessions: 'POST versioned /auth/revoke-other-sessions',
  listOutbox: 'GET versioned /auth/outbox',
  adminListUsers: 'GET versioned /auth/admin/list-users',
  adminGetUser: 'GET versioned /auth/admin/get-user',
  adminCreateUser: 'POST versioned /auth/admin/create-user',
  adminUpdateUser: 'POST versioned /auth/admin/update-user',
  adminSetRole: 'POST versioned /auth/admin/set-role',
  adminSetPassword: 'POST versioned /auth/admin/set-user-password',
  adminBanUser: 'POST versioned /auth/admin/ban-user',
  adminUnbanUser: 'POST versioned /auth/admin/unban-user',
  adminImpersonate: 'POST versioned /auth/admin/impersonate-user',
  adminStopImpersonating: 'POST versioned /auth/admin/stop-impersonating',
  adminRemoveUser: 'POST versioned /auth/admin/remove-user',
  adminListSessions: 'POST versioned /auth/admin/list-user-sessions',
  adminRevokeSessions: 'POST versioned /auth/admin/revoke-user-sessions',
  createKey: 'POST versioned /keys',
  listKeys: 'GET versioned /keys',
  deleteKey: 'DELETE versioned /keys/:id',
  checkPermission: 'GET versioned /permissions/check',
  explainPermission: 'GET versioned /permissions/explain',
  getEffectivePermissions: 'GET versioned /permissions/effective',
  getObjectPermissions: 'GET versioned /permissions/objects/:object',
  listShares: 'GET versioned /data/:object/:id/shares',
  findSharePrincipals: 'GET versioned /data/:object/:id/shares/principals',
  createShare: 'POST versioned /data/:object/:id/shares',
  deleteShare: 'DELETE versioned /data/:object/:id/shares/:shareId',
  transferRecord: 'POST versioned /data/:object/:id/transfer',
  getAssignments: 'GET versioned /permissions/assignments/:userId',
  setAssignments: 'PUT versioned /permissions/assignments/:userId',
  listAudit: 'GET versioned /audit',
  listAuditKinds: 'GET versioned /audit/kinds',
  exportAudit: 'GET versioned /audit/export',
  verifyAudit: 'POST versioned /audit/verify',
  getSyncStatus: 'GET versioned /sync/status',
  enableSync: 'POST versioned /sync/enable',
  disableSync: 'POST versioned /sync/disable',
  getSyncSettings: 'GET versioned /sync/settings',
  updateSyncSettings: 'PATCH versioned /sync/settings',
  listSyncPeers: 'GET versioned /sync/peers',
  updateSyncPeer: 'PATCH versioned /sync/peers/:id',
  removeSyncPeer: 'DELETE versioned /sync/peers/:id',
  reconnectSyncPeer: 'POST versioned /sync/peers/:id/reconnect',
  getSyncRunner: 'GET versioned /sync/runner',
  setSyncRunner: 'PUT versioned /sync/runner',
  invitePairing: 'POST versioned /sync/pairing',
  joinPairing: 'POST versioned /sync/pairing/join',
  listSyncAside: 'GET versioned /sync/aside',
  adoptSyncAside: 'POST versioned /sync/aside/adopt',
  getPairing: 'GET versioned /sync/pairing/:id',
  confirmPairing: 'POST versioned /sync/pairing/:id/confirm',
  cancelPairing: 'DELETE versioned /sync/pairing/:id',
  verifySync: 'POST versioned /sync/verify',
  listConflicts: 'GET versioned /sync/conflicts',
  resolveConflict: 'POST versioned /sync/conflicts/:id/resolve',
  resolveConflicts: 'POST versioned /sync/conflicts/resolve',
  reopenConflict: 'POST versioned /sync/conflicts/:id/reopen',
  discardSyncProblem: 'POST versioned /sync/problems/:inc/:seq/discard',
  getSyncRecord: 'GET versioned /sync/records/:object/:id',
  getSyncDiagnostics: 'GET versioned /sync/diagnostics',
  listSyncProblems: 'GET versioned /sync/problems',
  retrySyncProblem: 'POST versioned /sync/problems/:inc/:seq/retry',
  listFlows: 'GET api /automation',
  createFlow: 'POST api /automation',
  listActions: 'GET api /automation/actions',
  updateFlow: 'PUT api /automation/:name',
  getFlow: 'GET api /automation/:name',
  deleteFlow: 'DELETE api /automation/:name',
  toggleFlow: 'POST api /automation/:name/toggle',
  triggerFlow: 'POST api /automation/:name/trigger',
  listRuns: 'GET api /automation/:name/runs',
  getRun: 'GET api /automation/:name/runs/:runId',
  resumeRun: 'POST api /automation/:name/runs/:runId/resume',
  cancelRun: 'POST api /automation/:name/runs/:runId/cancel',
  retryRun: 'POST api /automation/:name/runs/:runId/retry',
  getRunScreen: 'GET api /automation/:name/runs/:runId/screen',
  listSchedules: 'GET api /automation/schedules',
  pauseSchedule: 'POST api /automation/schedules/:name/pause',
  resumeSchedule: 'POST api /automation/schedules/:name/resume',
  getWorkflowConfig: 'GET versioned /workflow/:object/config',
  getWorkflowState: 'GET versioned /workflow/:object/:recordId/state',
  transitionRecord: 'POST versioned /workflow/:object/:recordId/transition',
  listApprovalRequests: 'GET versioned /approvals/requests',
  getApprovalRequest: 'GET versioned /approvals/requests/:id',
  approveRequest: 'POST versioned /approvals/requests/:id/approve',
  rejectRequest: 'POST versioned /approvals/requests/:id/reject',
  recallRequest: 'POST versioned /approvals/requests/:id/recall',
  reassignRequest: 'POST versioned /approvals/requests/:id/reassign',
  listWebhooks: 'GET versioned /webhooks',
  createWebhook: 'POST versioned /webhooks',
  updateWebhook: 'PATCH versioned /webhooks/:name',
  deleteWebhook: 'DELETE versioned /webhooks/:name',
  testWebhook: 'POST versioned /webhooks/:name/test',
  rotateWebhookSecret: 'POST versioned /webhooks/:name/rotate-secret',
  listWebhookDeliveries: 'GET versioned /webhooks/:name/deliveries',
  redeliverWebhook: 'POST versioned /webhooks/deliveries/:id/redeliver',
  listReceivers: 'GET versioned /webhook-receivers',
  createReceiver: 'POST versioned /webhook-receivers',
  updateReceiver: 'PATCH versioned /webhook-receivers/:name',
  deleteReceiver: 'DELETE versioned /webhook-receivers/:name',
  deleteRecord: 'DELETE versioned /data/:object/:id',
  searchEverything: 'GET versioned /search',
  getTrash: 'GET versioned /trash',
  getHub: 'GET versioned /hub',
  getUsage: 'GET versioned /usage',
  getFileUsage: 'GET versioned /storage/usage',
  getSettings: 'GET versioned /settings',
  updateSettings: 'PATCH versioned /settings',
  listBackups: 'GET versioned /backups',
  createBackup: 'POST versioned /backups',
  verifyBackup: 'POST versioned /backups/:id/verify',
  getBackupChanges: 'GET versioned /backups/:id/changes',
  restoreBackup: 'POST versioned /backups/:id/restore',
  deleteBackup: 'DELETE versioned /backups/:id',
} as const satisfies EndpointTable

/** An operation of {@link endpoints}. */
export type OperationId = keyof typeof endpoints

/** The contract of an operation. */
export type Contract<K extends OperationId> = Contracts[K]

type Scalar = string | number | boolean

// A query string is text on the wire; numbers and booleans are accepted here and written as text.
type QueryValue<T> = T extends string ? Scalar : T
type QueryInput<T> = { [K in keyof T]?: QueryValue<Exclude<T[K], undefined>> | undefined }

type PartInput<R, P extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<P, infer S extends z.ZodType>> ? z.input<S> : never

/** What a call of an operation is given; parts the contract does not have are refused by the type. */
export type CallInput<K extends OperationId> = ([PartInput<Contract<K>, 'params'>] extends [never]
  ? { params?: undefined }
  : { params: PartInput<Contract<K>, 'params'> }) &
  ([PartInput<Contract<K>, 'query'>] extends [never]
    ? { query?: undefined }
    : { query?: QueryInput<PartInput<Contract<K>, 'query'>> }) &
  ([PartInput<Contract<K>, 'body'>] extends [never]
    ? { body?: undefined }
    : undefined extends PartInput<Contract<K>, 'body'>
      ? { body?: PartInput<Contract<K>, 'body'> }
      : { body: PartInput<Contract<K>, 'body'> }) & {
    headers?: Record<string, string>
    signal?: AbortSignal
  }

/** What an operation answers; the envelope of D-05 is already removed. */
export type CallResult<K extends OperationId> = z.output<Contract<K>['response']>
