// The search plugin: full-text indexes of objects, kept in the transactions of their records.
import { definePlugin } from '#main/kernel/plugin.ts'
import { searchMigrations } from './migrations/index.ts'
import { createSearchService } from './service.ts'

/** Finds records by their words. */
export const searchPlugin = definePlugin({
  id: 'search',
  version: '1.0.0',
  requires: ['metadata'],
  discovery: { service: 'search', feature: 'search', capabilities: ['search'] },
  migrations: searchMigrations,
  async register(host) {
    const metadata = host.service('metadata')
    const { read, write, log } = host
    const service = createSearchService({ read, write, log, objects: metadata.objectSchemas })
    await service.start()
    host.dispose(service.stop)
    host.provide('search', service)
  },
})
