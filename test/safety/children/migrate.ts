// Upgrades a database in many steps, so that a kill meets it anywhere. With --careless every statement commits by
// itself and no backup is made first: the twin.
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { createMigrationBackup } from '#main/database/migration-backup.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { upgradeSteps } from '../upgrade-steps.ts'

const dir = process.argv[2]!
const steps = upgradeSteps.slice(0, Number(process.argv[3]))
const file = join(dir, 'cairn.db')

if (process.argv.includes('--careless')) {
  const connection = new BetterSqlite3(file)
  process.stdout.write('upgrading\n')
  for (const step of steps.slice(1)) {
    for (const sql of step.sql.split(';\n')) if (sql.trim() !== '') connection.exec(sql)
    connection.prepare("INSERT INTO _migration VALUES ('p', ?, ?, 'careless', 'now')").run(step.number, step.name)
  }
} else {
  process.stdout.write('upgrading\n')
  await migrateDatabase({
    file,
    plugins: [{ id: 'p', migrations: steps }],
    backup: createMigrationBackup({ dataDir: dir, clock: systemClock, ids: createIds(systemClock), version: 'test' }),
    clock: systemClock,
    log: createLogger(),
  })
}
process.stdout.write('done\n')
