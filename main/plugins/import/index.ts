// The import plugin: rows of files into records.
import { importRoutes } from '#shared/contracts/import.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { importHandlers } from './routes.ts'
import { createImportService } from './service.ts'

/** Imports of CSV and JSON. */
export const importPlugin = definePlugin({
  id: 'import',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'data'],
  discovery: { service: 'import', feature: 'import', capabilities: ['import'] },
  contract: { importRecords: importRoutes.importRecords },
  register(host: PluginHost) {
    const service = createImportService({
      data: host.service('data'),
      metadata: host.service('metadata'),
      settings: host.service('settings'),
    })
    host.provide('import', service)
    host.handle({ importRecords: importRoutes.importRecords }, importHandlers(service))
  },
})
