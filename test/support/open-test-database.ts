// A real database file in a temporary folder with the tables of the plugins named, an event bus and a manual clock:
// what a plugin's service needs without a whole host.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlatformEvent } from '#shared/events.ts'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import type { PluginMigrations } from '#main/database/migrator.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { EventBus } from '#main/kernel/events.ts'
import { createEventBus } from '#main/kernel/events.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { createIds } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'

/** An open test database. */
export interface TestDatabase {
  readonly database: HostDatabase
  readonly bus: EventBus
  readonly clock: ManualClock
  readonly ids: Ids
  readonly log: Logger
  /** Events of committed writes, in order. */
  readonly events: PlatformEvent[]
  close(): Promise<void>
}

/** Opens a new database with the tables of the plugins. */
export async function openTestDatabase(plugins: readonly PluginMigrations[]): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  const file = join(folder, 'cairn.db')
  const clock = createManualClock(Date.UTC(2026, 0, 31, 8, 15, 30, 123))
  const log = createLogger()
  await migrateDatabase({
    file,
    plugins,
    backup: () => Promise.reject(new Error('A new database needs no backup.')),
    clock,
    log,
    durable: false,
  })
  const bus = createEventBus({ clock, log })
  const events: PlatformEvent[] = []
  bus.onCommitted('*', (event) => events.push(event))
  const database = await createDatabase({ file, bus, clock, log, ports: { spawn: forkSpawner }, durable: false })
  return {
    database,
    bus,
    clock,
    ids: createIds(clock),
    log,
    events,
    async close() {
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
