// The discovery plugin: the manifest every client reads first, and the health of the host.
import { discoveryRoutes } from '#shared/contracts/discovery.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { discoveryHandlers } from './routes.ts'
import { createDiscoveryService } from './service.ts'

/** Discovery manifest, health and readiness. */
export const discoveryPlugin = definePlugin({
  id: 'discovery',
  version: '1.0.0',
  requires: ['metadata', 'settings'],
  optional: ['i18n'],
  contract: discoveryRoutes,
  register(host: PluginHost) {
    const settings = host.service('settings')
    const languages = host.optionalService('i18n')
    const service = createDiscoveryService({
      catalogue: host.catalogue,
      database: host.database,
      facts: () => ({
        host: host.options,
        prefix: host.options.prefix,
        locale: settings.get('locale'),
        locales: languages()?.codes() ?? ['en'],
        timezone: settings.get('timezone'),
        maxBatchRecords: settings.get('maxBatchRecords'),
      }),
    })
    host.handle(discoveryRoutes, discoveryHandlers(service))
  },
})
