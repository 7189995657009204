// The data plugin: object tables and the only writer of records.
import { userDirectory } from '#shared/user-directory.ts'
import { randomBytes } from 'node:crypto'
import { dataRoutes } from '#shared/contracts/data.ts'
import { schemaBackupRoutes } from '#shared/contracts/schema-backups.ts'
import { searchRoutes } from '#shared/contracts/search.ts'
import { trashRoutes } from '#shared/contracts/trash.ts'
import { usageRoutes } from '#shared/contracts/usage.ts'
import { recordEvents } from '#shared/events.ts'
import { createCursorKey } from '#main/database/query/cursor.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import type { QueryEnv, RecordOrganization } from '#shared/filter/query-env.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { dataMigrations } from './migrations/index.ts'
import { dataHandlers } from './routes.ts'
import { createDataService } from './service.ts'
import { createObjectTables } from './service/object-tables.ts'
import { createRecordRules } from './service/rules/create-record-rules.ts'
import type { SchemaChangeParts } from './service/schema-change/change-parts.ts'
import { createDerivedValues } from './service/schema-change/derived.ts'
import { schemaChangeHandlers, schemaRestoredEvent } from './service/schema-change/handlers.ts'
import { createBackupsAside, createSchemaBackups } from './service/schema-change/restoring.ts'
import { backupExpiredEvent, createSchemaUpkeep } from './service/schema-change/upkeep.ts'
import { withRelationChecks } from './service/relation-checks.ts'
import { createTransitionRights } from './service/rules/transition-rights.ts'
import { ruleHook, withRuleChecks } from './service/rules/rule-hook.ts'
import { createSearchEverything } from './service/search-everything.ts'
import { createTrash } from './service/trash.ts'
import { createTrashRetention } from './service/trash-retention.ts'
import { createTriggerActions } from './service/triggers/trigger-actions.ts'
import { createTriggerList, triggerEvents } from './service/triggers/trigger-list.ts'
import { createTriggerRunner } from './service/triggers/trigger-runner.ts'
import { createUsage } from './service/usage.ts'
import { getKey, getRow, putKey } from './store.ts'

/** Records of any object: create, read, update, delete, batch, query. */
export const dataPlugin = definePlugin({
  id: 'data',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions'],
  optional: ['search', 'scripts', 'auth', 'automation', 'notifications', 'sync'],
  discovery: {
    service: 'data',
    routeKey: 'data',
    route: '/data',
    capabilities: ['softDelete', 'optimisticConcurrency', 'batch', 'transactionalBatch'],
  },
  contract: dataRoutes,
  migrations: dataMigrations,
  emits: [...recordEvents, schemaRestoredEvent, backupExpiredEvent],
  /** @param limits from how many rows tables are changed slice by slice; only twins of checks give them */
  async register(host: PluginHost, limits?: NonNullable<SchemaChangeParts['limits']>) {
    const metadata = host.service('metadata')
    const settings = host.service('settings')
    const permissions = host.service('permissions')
    const auth = host.optionalService('auth')
    const recordOrganization = (): RecordOrganization | undefined =>
      auth()?.hasOrganizations === true ? permissions.recordOrganization : undefined
    const parts: SchemaChangeParts = {
      metadata,
      settings,
      search: host.optionalService('search'),
      clock: host.clock,
      ids: host.ids,
      log: host.log,
      read: host.read,
      write: host.write,
      heavy: host.heavy,
      longDdl: host.database.longDdl,
      recordOrganization,
      ...(limits === undefined ? {} : { limits }),
    }
    const queryEnv = (): QueryEnv => ({
      timeZone: settings.get('timezone'),
      defaultCurrency: settings.get('currency'),
      now: host.clock.now(),
      userId: localOwnerId,
      users: userDirectory,
      schemaOf: metadata.objectSchema,
    })
    const mayTake = createTransitionRights(permissions)
    const derived = createDerivedValues(parts, { rules: createRecordRules({ metadata, queryEnv, mayTake }), queryEnv })
    const tables = createObjectTables(parts, derived)
    const upkeep = createSchemaUpkeep(parts, derived)
    metadata.setTypeHook('object', withRelationChecks(withRuleChecks(tables.hook), metadata, queryEnv))
    metadata.setTypeHook('validation', ruleHook)
    const service = createDataService({
      read: host.read,
      write: host.write,
      writeStepwise: host.writeStepwise,
      heavy: host.heavy,
      isBusy: host.isBusy,
      clock: host.clock,
      ids: host.ids,
      secrets: host.secrets,
      database: host.database,
      optionalService: host.optionalService,
      authorizer: () => host.authorizer,
      recordOrganization,
      metadata,
      settings,
      cursorKey: await cursorKey(host),
      mayTake,
      backups: createBackupsAside(parts, tables.withReturning),
    })
    host.provide('data', service)
    const isWithin = (ctx: RequestContext, object: string, recordId: string): boolean =>
      recordOrganization() === undefined ||
      permissions.organizationOf(host.read, object, recordId) === ctx.organizationId
    host.handle(dataRoutes, dataHandlers(service, metadata, host.read, isWithin))
    const authorizer = () => host.authorizer
    const search = createSearchEverything({ data: service, metadata, authorizer })
    host.handle(searchRoutes, { searchEverything: (ctx, { query }) => search(ctx, query) })
    host.handle(trashRoutes, { getTrash: createTrash({ data: service, metadata, settings, authorizer }) })
    host.handle(usageRoutes, {
      getUsage: createUsage({ read: host.read, heavy: host.heavy, metadata, dataFolder: host.options.dataDir }),
    })
    const triggers = createTriggerRunner({
      read: host.read,
      write: host.write,
      clock: host.clock,
      log: host.log,
      triggers: createTriggerList(metadata),
      run: createTriggerActions({
        data: service,
        write: host.write,
        scripts: host.optionalService('scripts'),
        automation: host.optionalService('automation'),
        notifications: host.optionalService('notifications'),
        isUser(userId, organizationId) {
          const user = auth()?.user(userId)
          if (user === undefined ? userId !== localOwnerId : user.banned) return false
          if (auth()?.hasOrganizations !== true) return true
          return auth()!
            .memberships(userId)
            .some((membership) => membership.organizationId === organizationId)
        },
      }),
      timeZone: () => settings.get('timezone'),
      exists(tx, object, recordId) {
        const schema = metadata.objectSchema(object)
        return schema !== undefined && getRow(tx, schema, recordId) !== undefined
      },
      organizationOf: (object, recordId) =>
        recordOrganization() === undefined ? null : permissions.organizationOf(host.read, object, recordId),
    })
    host.consume('triggers', triggers.consumer)
    for (const type of Object.keys(triggerEvents)) host.on(type, triggers.mark)
    host.on('record.purged', triggers.forget)
    host.job('trigger-runs', { everySeconds: 3600 }, triggers.tidy)
    const backups = createSchemaBackups(parts, tables.withReturning)
    host.handle(schemaBackupRoutes, schemaChangeHandlers(backups, tables.changes, metadata, host.write))
    const { isBusy, clock, log, read } = host
    const sync = host.optionalService('sync')
    const retention = createTrashRetention({ metadata, settings, data: service, sync, read, isBusy, clock, log })
    host.job('trash', { everySeconds: 3600 }, retention)
    host.job('schema-backups', { everySeconds: 3600 }, upkeep.expire)
    const mending = upkeep
      .inspect()()
      .catch((error: unknown) => host.log.error({ err: error }, 'Tables were not mended.'))
    host.dispose(() => mending)
  },
})

/** The key that seals cursors; made once per database so that cursors survive a restart. */
async function cursorKey(host: PluginHost): Promise<CursorKey> {
  const name = 'cursor'
  if (getKey(host.read, name) === undefined) {
    const fresh = randomBytes(32).toString('base64')
    await host.write('data.key', (tx) => putKey(tx, name, fresh))
  }
  return createCursorKey(Buffer.from(getKey(host.read, name)!, 'base64'))
}
