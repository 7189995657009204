// The metadata plugin: the 26 item types, their storage in memory and in two tables, and the routes under /meta.
import { metadataLifecycleRoutes } from '#shared/contracts/metadata-lifecycle.ts'
import { metadataOperationRoutes } from '#shared/contracts/metadata-operations.ts'
import { metadataRoutes } from '#shared/contracts/metadata.ts'
import { metadataEvents } from '#shared/events.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { metadataMigrations } from './migrations/index.ts'
import { operationHandlers } from './operations/operation-handlers.ts'
import { metadataPermissions } from './permissions.ts'
import { metadataHandlers } from './routes.ts'
import { createMetadataService } from './service.ts'
import { lifecycleHandlers } from './service/lifecycle-handlers.ts'

/** Stores and serves metadata items; everything that follows an object's definition asks it. */
export const metadataPlugin = definePlugin({
  id: 'metadata',
  version: '1.0.0',
  discovery: { service: 'metadata', routeKey: 'metadata', route: '/meta' },
  requires: ['settings'],
  optional: ['i18n'],
  contract: { ...metadataRoutes, ...metadataLifecycleRoutes, ...metadataOperationRoutes },
  permissions: metadataPermissions,
  migrations: metadataMigrations,
  emits: metadataEvents,
  register(host) {
    const { read, write, clock, ids, log } = host
    const authorizer = () => host.authorizer
    const settings = host.service('settings')
    const defaultLocale = () => settings.get('locale')
    const languages = host.optionalService('i18n')
    const spokenLocales = () => languages()?.codes() ?? []
    const service = createMetadataService({ read, write, clock, ids, log, authorizer, defaultLocale, spokenLocales })
    host.provide('metadata', service)
    host.handle(metadataRoutes, metadataHandlers(service, authorizer))
    host.handle(metadataLifecycleRoutes, lifecycleHandlers(service, authorizer))
    host.handle(metadataOperationRoutes, operationHandlers(service, clock))
  },
})
