// The import plugin: rows of files into records, at once or in jobs, and records into files.
import { importRoutes } from '#shared/contracts/import.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { importMigrations } from './migrations/index.ts'
import { importEvents, importHandlers } from './routes.ts'
import { createImportService } from './service.ts'
import { createSheets } from './service/sheets.ts'
import { createStaging } from './service/staging.ts'
import { forgetRecord, removeJobsBefore, renameJobs } from './store.ts'

/** Jobs and their results are kept this long after their end. */
const keptMs = 30 * 86_400_000

/** How often the plugin looks whether the host has started. */
const startPollMs = 50

/** Imports and exports (D-68, D-69). */
export const importPlugin = definePlugin({
  id: 'import',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'data'],
  optional: ['auth', 'feed', 'search'],
  discovery: { service: 'import', feature: 'import', capabilities: ['import', 'export'] },
  contract: importRoutes,
  migrations: importMigrations,
  emits: importEvents,
  register(host: PluginHost) {
    const staging = createStaging(
      host.options.dataDir,
      () => host.database.health() !== 'disk_full',
      host.options.hub?.files ?? null,
    )
    const sheets = createSheets(host.spawn)
    const data = host.service('data')
    const { read, write, clock, ids, log } = host
    const { service, runner, watches, announce } = createImportService({
      data,
      metadata: host.service('metadata'),
      settings: host.service('settings'),
      search: host.optionalService('search'),
      feed: host.optionalService('feed'),
      auth: host.optionalService('auth'),
      read,
      write,
      clock,
      ids,
      log,
      staging,
      sheets,
      authorizer: () => host.authorizer,
    })
    host.provide('import', service)
    runner.tidy()
    const sources = { staging, sheets, freeName: () => ids.uuid() }
    host.handle(
      importRoutes,
      importHandlers({
        service,
        data,
        sources,
        announce,
      }),
    )
    host.on('record.created', (event) => watches.hear(event))
    host.on('record.updated', (event) => watches.hear(event))
    host.on('record.purged', ({ recordId }, tx) => {
      if (recordId !== undefined) forgetRecord(tx, recordId)
    })
    host.on('metadata.item.saved', ({ payload }, tx) => {
      const { type, name, renamedFrom } = payload as { type: string; name: string; renamedFrom?: string }
      if (type === 'object' && renamedFrom !== undefined) renameJobs(tx, renamedFrom, name)
    })
    host.job('retention', { cron: '37 3 * * *' }, async () => {
      await write('import.retention', (tx) => removeJobsBefore(tx, new Date(clock.now() - keptMs).toISOString()))
    })
    // Jobs write records, so they go on only once every plugin that has a say in that is there.
    const starter = setInterval(() => {
      if (host.options.baseUrl() === '') return
      clearInterval(starter)
      runner.start()
    }, startPollMs).unref()
    host.dispose(async () => {
      clearInterval(starter)
      sheets.close()
      await runner.stop()
    })
  },
})
