// The backup plugin: verified copies of the workspace, made while it runs, and the way back to them.
import { statSync } from 'node:fs'
import { backupRoutes } from '#shared/contracts/backup.ts'
import { createBackupFolder } from '#main/database/backup-folder.ts'
import { createFileChecker } from '#main/database/check-in-child.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { backupJobs } from './jobs.ts'
import type { Announce } from './routes.ts'
import { backupEvents, backupHandlers } from './routes.ts'
import { createComparison } from './service/comparison.ts'
import { createBackupService, parseRetention } from './service.ts'

/** Makes, keeps, checks and restores backups (D-207). */
export const backupPlugin = definePlugin({
  id: 'backup',
  version: '1.0.0',
  requires: ['permissions'],
  optional: ['metadata', 'storage'],
  discovery: { service: 'backup' },
  contract: backupRoutes,
  emits: backupEvents,
  register(host) {
    const { clock, ids, log, options } = host
    const storage = host.optionalService('storage')
    const checker = createFileChecker({ file: host.database.file, spawn: host.spawn, log, clock })
    const folder = createBackupFolder({
      dataDir: options.dataDir,
      clock,
      ids,
      appVersion: options.version,
      check: checker.check,
    })
    try {
      folder.clearRestore()
    } catch (error) {
      // A folder that can only be read is served all the same.
      log.warn({ err: error }, 'What a restore has left that was cut off could not be cleared.')
    }
    const service = createBackupService({
      folder,
      copy: (target) => host.database.backupTo(target),
      whileKept: (work) => storage()?.whileKept(work) ?? work(),
      databaseBytes: () => statSync(host.database.file).size,
      compare: createComparison({ compare: checker.compare, metadata: host.optionalService('metadata') }),
      requestRestart: options.requestRestart,
      holdWrites: options.holdWrites,
      retention: parseRetention(options.config('backup')),
      clock,
      log,
    })
    host.provide('backup', service)
    const announce: Announce = (ctx, type, payload) =>
      host.write('backup.announce', (tx) => tx.emit(ctx, { type, payload }), { whenFull: true })
    host.handle(backupRoutes, backupHandlers(service, announce))
    for (const { kind, schedule } of backupJobs) {
      // A large copy must not hold the end of the host up: the database kills the copying process when it closes.
      host.job(kind, schedule, async (signal) => {
        await Promise.race([service.create(kind), once(signal)])
        signal.throwIfAborted()
      })
    }
    host.dispose(() => checker.close())
  },
})

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
