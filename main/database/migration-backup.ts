// The verified backup that must exist before an upgrade touches a database.
import type { Clock } from '#main/kernel/clock.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { copyDatabase } from './backup.ts'
import { createBackupFolder } from './backup-folder.ts'
import { createFileCheck } from './file-check.ts'
import type { Connection } from './open.ts'

/**
 * Makes the function the migrator calls before its first step; it answers the id of a checked backup of kind `upgrade`.
 * The check runs in this process: before an upgrade there is nothing else it could hold up.
 */
export function createMigrationBackup(options: {
  dataDir: string
  clock: Clock
  ids: Ids
  version: string
}): (source: Connection) => Promise<string> {
  return async (source) => {
    const folder = createBackupFolder({
      dataDir: options.dataDir,
      clock: options.clock,
      ids: options.ids,
      appVersion: options.version,
      check: (file) => Promise.resolve(createFileCheck(file)),
    })
    const backup = await folder.create({ kind: 'upgrade', copy: (target) => copyDatabase(source, target) })
    return backup.id
  }
}
