// The permissions plugin: sets the authorizer that every permission question goes through, and keeps what users were
// given, shares of records and the delivered profiles.
import { permissionRoutes } from '#shared/contracts/permissions.ts'
import { PlatformError } from '#shared/errors.ts'
import { metadataEvents } from '#shared/events.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { programPackage } from '#shared/program-package.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { buildCount } from '#main/database/query/build-find.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Assignments } from './api.ts'
import { permissionsMigrations } from './migrations/index.ts'
import { permissionsPermissions } from './permissions.ts'
import { permissionHandlers } from './routes.ts'
import { createPermissionsService } from './service.ts'
import { createAuthorizer } from './service/authorizer.ts'
import { createPermissionChecks } from './service/checks.ts'
import { deliveredProfiles } from './service/delivered-profiles.ts'
import { createDirectory, withOnly } from './service/directory.ts'
import type { Directory, GivenType } from './service/directory.ts'
import { guardRightItems } from './service/item-checks.ts'
import { createPrincipals } from './service/principals.ts'
import { createShares } from './service/shares.ts'
import { forgetRecord, putRecordOrganization, readAssignments, replaceAssignments } from './store.ts'

/** Types whose items are rights, or what rights are about. */
const rightTypes: ReadonlySet<string> = new Set(['permission', 'profile', 'role', 'object', 'field'])

/** Decides what actors may do; without it the kernel denies everything. */
export const permissionsPlugin = definePlugin({
  id: 'permissions',
  version: '1.0.0',
  requires: ['settings', 'metadata'],
  optional: ['auth', 'feed', 'workflow'],
  discovery: { service: 'permissions', routeKey: 'permissions', route: '/permissions' },
  contract: permissionRoutes,
  permissions: permissionsPermissions,
  migrations: permissionsMigrations,
  emits: ['permissions.assigned', 'permissions.shared', 'permissions.unshared'],
  async register(host) {
    const metadata = host.service('metadata')
    const settings = host.service('settings')
    const auth = host.optionalService('auth')
    const workflow = host.optionalService('workflow')
    const { read, write, clock, ids } = host
    const authorizer = () => host.authorizer
    const hasOrganizations = (): boolean => auth()?.hasOrganizations === true
    const userExists = (id: string): boolean => id === localOwnerId || auth()?.user(id) !== undefined
    const passes = (schema: ObjectSchema, id: string, filter: Filter | null, userId: string): boolean => {
      const env = {
        timeZone: settings.get('timezone'),
        defaultCurrency: settings.get('currency'),
        now: clock.now(),
        userId,
        schemaOf: metadata.objectSchema,
      }
      const own: Filter = { kind: 'condition', path: ['id'], operator: '$eq', operand: id }
      return read.get(buildCount(schema, { filter: own, rowCondition: filter, deleted: 'include' }, env))!.total > 0
    }

    // A backup gives nobody back what was taken away since (D-410).
    const assigned = host.options.restored?.read(readAssignments)
    if (assigned != null) await write('permissions.keep', (tx) => keepAssignments(tx, metadata, assigned))
    const directory = createDirectory({ read, metadata, auth, changed: host.raisePermissionEpoch })
    host.setAuthorizer(createAuthorizer({ directory, schemaOf: metadata.objectSchema, hasOrganizations }))
    host.provide('permissions', createPermissionsService(host.authorizer, directory, metadata))

    guardRightItems(metadata)
    await deliverProfiles(metadata, host.log)
    keepInStep(host, metadata, hasOrganizations, directory)

    const live = (schema: ObjectSchema, id: string, filter: Filter | null, userId: string): boolean =>
      passes(schema, id, filter === null ? isLive : { kind: 'and', children: [filter, isLive] }, userId)
    const shares = createShares({
      read,
      write,
      clock,
      ids,
      metadata,
      authorizer,
      passes: live,
      principals: createPrincipals(metadata, auth, userExists),
      feed: host.optionalService('feed'),
      changed: host.raisePermissionEpoch,
    })
    const checks = createPermissionChecks({
      authorizer,
      metadata,
      directory,
      passes,
      userExists,
      isHeld: (ctx, object, recordId) => workflow()?.heldBy(ctx, { object, recordId }) !== undefined,
    })
    host.handle(permissionRoutes, permissionHandlers({ checks, shares, directory, metadata, write, userExists }))
  },
})

const isLive: Filter = { kind: 'condition', path: ['deleted_at'], operator: '$null', operand: true }

function isGiven(type: string): type is GivenType {
  return type === 'profile' || type === 'role' || type === 'permission'
}

/** Gives everybody what they had before a restore, but for what was made only since: its name may be given to another one. */
function keepAssignments(tx: Tx, metadata: MetadataService, assigned: ReadonlyMap<string, Assignments>): void {
  const known = new Set([
    ...deliveredProfiles.map(({ name }) => `profile:${String(name)}`),
    // What a package delivered that was removed before the backup.
    ...[...readAssignments(tx).values()].flatMap(({ profile, roles, permissionSets }) => [
      `profile:${profile}`,
      ...roles.map((name) => `role:${name}`),
      ...permissionSets.map((name) => `permission:${name}`),
    ]),
  ])
  const isThere = (type: GivenType, name: string): boolean =>
    metadata.deliveries.item(type, name) !== undefined || known.has(`${type}:${name}`)
  replaceAssignments(tx, new Map([...assigned].map(([userId, one]) => [userId, withOnly(one, isThere)])))
}

/** Stores the profiles of this program; one that is as it was delivered is not written again. */
async function deliverProfiles(metadata: MetadataService, log: Logger): Promise<void> {
  const ctx = internalContext('deliver-profiles')
  for (const item of deliveredProfiles) {
    const name = String(item['name'])
    const present = metadata.get('profile', name)
    // A profile people made under the name before it was delivered stays theirs.
    if (present !== undefined && present.packageId !== programPackage) continue
    const input = { type: 'profile', name, item: { ...item }, packageId: programPackage, authorized: true } as const
    try {
      await metadata.save(ctx, input)
    } catch (error) {
      // One that people archived under the name stays theirs too; a host must start whatever they called it.
      if (!(error instanceof PlatformError)) throw error
      log.warn({ profile: name, code: error.code }, 'A delivered profile could not be stored.')
    }
  }
}

/** Follows everything that rights hang on. */
function keepInStep(
  host: PluginHost,
  metadata: MetadataService,
  hasOrganizations: () => boolean,
  directory: Pick<Directory, 'forget' | 'withdraw'>,
): void {
  const withdraw = (tx: Tx, ctx: RequestContext, type: GivenType, name: string): void => {
    for (const { userId, before, next } of directory.withdraw(tx, type, name))
      tx.emit(ctx, { type: 'permissions.assigned', payload: { userId, ...next, before } })
  }
  host.on('metadata.item.deleted', ({ payload }, tx, ctx) => {
    const { type, name } = payload as { type: string; name: string }
    // What a package delivers comes back with it, or without its changes.
    if (!isGiven(type) || metadata.deliveries.item(type, name)?.packageId != null) return
    withdraw(tx, ctx, type, name)
  })
  // What people make begins with nobody, also under the name of what a removed package left with those who had it.
  host.on('metadata.item.saved', ({ payload, source }, tx, ctx) => {
    const { type, name, packageId } = payload as { type: string; name: string; packageId?: string }
    const isMade = packageId === undefined && source !== 'sync'
    if (isMade && isGiven(type) && metadata.deliveries.item(type, name) === undefined) withdraw(tx, ctx, type, name)
  })
  for (const event of metadataEvents) {
    host.on(event, ({ payload }, tx) => {
      if (!rightTypes.has((payload as { type: string }).type)) return
      tx.afterCommit(() => {
        directory.forget()
        host.raisePermissionEpoch()
      })
    })
  }
  host.on('record.created', ({ object, recordId }, tx, ctx) => {
    if (ctx.organizationId === null || !hasOrganizations()) return
    const schema = metadata.objectSchema(object!)
    if (schema !== undefined) putRecordOrganization(tx, schema.uid, recordId!, ctx.organizationId)
  })
  host.on('record.purged', ({ object, recordId }, tx) => {
    const schema = metadata.objectSchema(object!)
    if (schema !== undefined) forgetRecord(tx, schema.uid, recordId!)
  })
}
