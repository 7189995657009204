// A permissions plugin for tests of reading rights: requests that come from the UI (`X-Cairn-Source: UI`) are restricted as
// the test says, all others may do everything. Takes the place of the real plugin.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { Authorizer, RowCondition } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { permissionsPermissions } from '#main/plugins/permissions/permissions.ts'
import { createPermissionsService } from '#main/plugins/permissions/service.ts'
import { createOwnerAuthorizer } from './owner-authorizer.ts'

/** What restricted requests may read. */
export interface Restrictions {
  /** Objects that are not readable at all. */
  readonly hiddenObjects: readonly string[]
  /** Fields that are not readable, as `object.field`. */
  readonly hiddenFields: readonly string[]
  /** Rows that are readable, by object. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Headers of a restricted request. */
export const restricted = { 'x-cairn-source': 'UI' }

/** All plugins, the permissions plugin replaced. */
export function restrictedPlugins(restrictions: Restrictions): PluginDefinition[] {
  const owner = createOwnerAuthorizer()
  const isFree = (ctx: RequestContext): boolean => ctx.source !== 'UI'
  const authorizer: Authorizer = {
    ...owner,
    isUnrestricted: (ctx) => isFree(ctx) && owner.isUnrestricted(ctx),
    canObject: (ctx, object, action) =>
      (isFree(ctx) || !restrictions.hiddenObjects.includes(object)) && owner.canObject(ctx, object, action),
    canField: (ctx, object, field, access) =>
      (isFree(ctx) || !restrictions.hiddenFields.includes(`${object}.${field}`)) &&
      owner.canField(ctx, object, field, access),
    rowCondition: (ctx, object, action) =>
      isFree(ctx) ? owner.rowCondition(ctx, object, action) : rowsOf(restrictions.rows[object]),
    fingerprint: (ctx) => (isFree(ctx) ? owner.fingerprint(ctx) : 'restricted'),
  }
  const permissions = definePlugin({
    id: 'permissions',
    version: '1.0.0',
    requires: ['metadata'],
    discovery: { service: 'permissions' },
    permissions: permissionsPermissions,
    register(host) {
      host.setAuthorizer(authorizer)
      host.provide(
        'permissions',
        createPermissionsService(
          authorizer,
          {
            assignments: () => ({ profile: 'standard', roles: [], permissionSets: [] }),
            assign: () => undefined,
            rightsOf: () => restrictions,
          },
          host.service('metadata'),
        ),
      )
    },
  })
  return [...corePlugins, ...optionalPlugins].map((plugin) => (plugin.id === 'permissions' ? permissions : plugin))
}

function rowsOf(given: Readonly<Record<string, unknown>> | undefined): RowCondition {
  return given === undefined ? null : parseFilter(given)
}
