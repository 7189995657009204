// Brings a database file to the tables the loaded plugins expect: verified backup first, then one transaction.
// Knows migrations as text and numbers; never a plugin's tables.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { statement } from '#main/kernel/database.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Migration } from '#main/kernel/plugin.ts'
import type { LogCopy, OpenLog } from './log-sync.ts'
import { logPagesOf, openReader, openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createStatements } from './statements.ts'

/** Number of the file's layout as a whole; a file with a higher one belongs to a newer program. */
export const databaseFormat = 1
/** Marks the file as Cairn's (`PRAGMA application_id`): the letters "Crn1". */
export const applicationId = 0x43726e31

/** The migrations of one plugin. */
export interface PluginMigrations {
  readonly id: string
  readonly migrations: readonly Migration[]
}

/** What an upgrade works with. */
export interface MigrateOptions {
  readonly file: string
  /** In load order; a plugin without tables may be left out. */
  readonly plugins: readonly PluginMigrations[]
  /** Ids of plugins the program has but did not load; their recorded migrations are left alone. */
  readonly knownPlugins?: readonly string[]
  /** Makes a verified backup of the open database and answers its id; throws when it cannot. */
  readonly backup: (source: Connection) => Promise<string>
  readonly clock: Clock
  readonly log: Logger
  /** Keeps what the steps write in a second place too, before they count as done. */
  readonly openLog?: OpenLog
  /** False only for throw-away databases of tests. */
  readonly durable?: boolean
}

/** What an upgrade did. */
export interface MigrateResult {
  readonly applied: readonly { plugin: string; number: number; name: string }[]
  /** The backup made before the first step; null when the file was new or nothing was pending. */
  readonly backupId: string | null
}

/** The file cannot be used by this program; it was not changed. */
export class MigrationRefused extends Error {
  readonly reason: 'newer' | 'changed' | 'foreign'

  constructor(reason: MigrationRefused['reason'], message: string) {
    super(message)
    this.name = 'MigrationRefused'
    this.reason = reason
  }
}

interface Recorded {
  readonly plugin: string
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/**
 * Applies every pending migration in one transaction, so a kill at any moment leaves the old state.
 * @throws MigrationRefused when the file belongs to a newer or another program, or a released step was changed
 * @throws Error when the backup or a step failed; the file then has its old state
 */
export async function migrateDatabase(options: MigrateOptions): Promise<MigrateResult> {
  checkNumbers(options.plugins)
  const recorded = inspect(options.file)
  refuseUnknown(recorded, options)
  const pending = findPending(recorded, options.plugins)
  if (pending.length === 0 && recorded !== undefined) return { applied: [], backupId: null }

  const connection = openWriter(options.file, { durable: options.durable ?? true })
  try {
    const backupId = recorded === undefined ? null : await options.backup(connection)
    await applyKept(connection, pending, options)
    if (recorded !== undefined) options.log.info({ steps: pending.length, backupId }, 'The database was upgraded.')
    return { applied: pending.map(({ plugin, step }) => ({ plugin, number: step.number, name: step.name })), backupId }
  } finally {
    connection.close()
  }
}

/**
 * Checksum of a released step. The text of `run` is no part of it: bundling changes that text without its meaning.
 */
export function migrationChecksum(step: Migration): string {
  const text = JSON.stringify([step.number, step.name, step.sql, step.run === undefined ? 'sql' : 'sql+run'])
  return createHash('sha256').update(text).digest('hex')
}

/** When the database was made: the time of its first migration; null before it. */
export function birthOf(connection: Connection): string | null {
  const isMade = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_migration'").get() !== undefined
  return isMade ? (connection.prepare('SELECT min(applied_at) FROM _migration').pluck().get() as string | null) : null
}

/** What the file has recorded; undefined for a new or empty file. Reads only, so a refused file stays as it is. */
function inspect(file: string): readonly Recorded[] | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const connection = openReader(file)
  try {
    const tables = connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
    if (tables === 0) return undefined
    const format = Number(connection.pragma('user_version', { simple: true }))
    if (connection.pragma('application_id', { simple: true }) !== applicationId) {
      throw new MigrationRefused('foreign', `The file ${file} is not a database of Cairn; it was left unchanged.`)
    }
    if (format > databaseFormat) throw newer(`its layout is number ${format}, this program knows ${databaseFormat}`)
    return connection.prepare('SELECT plugin, number, name, checksum FROM _migration').all() as Recorded[]
  } finally {
    connection.close()
  }
}

function refuseUnknown(recorded: readonly Recorded[] | undefined, options: MigrateOptions): void {
  const plugins = new Map(options.plugins.map((plugin) => [plugin.id, plugin]))
  const known = new Set(options.knownPlugins ?? [])
  for (const row of recorded ?? []) {
    const plugin = plugins.get(row.plugin)
    if (plugin === undefined) {
      if (known.has(row.plugin)) continue
      throw newer(`it has tables of the unknown plugin "${row.plugin}"`)
    }
    const step = plugin.migrations.find((candidate) => candidate.number === row.number)
    if (step === undefined) throw newer(`step ${row.number} (${row.name}) of "${row.plugin}" is unknown here`)
    if (migrationChecksum(step) !== row.checksum) {
      throw new MigrationRefused(
        'changed',
        `Step ${row.number} (${row.name}) of "${row.plugin}" was changed after it was applied; the database was left unchanged.`,
      )
    }
  }
}

function findPending(
  recorded: readonly Recorded[] | undefined,
  plugins: readonly PluginMigrations[],
): { plugin: string; step: Migration }[] {
  const done = new Set((recorded ?? []).map((row) => `${row.plugin} ${row.number}`))
  return plugins.flatMap((plugin) =>
    plugin.migrations
      .filter((step) => !done.has(`${plugin.id} ${step.number}`))
      .map((step) => ({ plugin: plugin.id, step })),
  )
}

/** @throws Error when a step failed, or what it wrote did not reach the second place */
async function applyKept(
  connection: Connection,
  pending: readonly { plugin: string; step: Migration }[],
  { clock, openLog }: MigrateOptions,
): Promise<void> {
  const log = openLog?.(connection, logPagesOf(connection))
  try {
    apply(connection, pending, clock, log?.copy)
    if (log?.copy?.take() === true) await log.sync()
  } finally {
    await log?.close()
  }
}

function apply(
  connection: Connection,
  pending: readonly { plugin: string; step: Migration }[],
  clock: Clock,
  copy: LogCopy | undefined,
): void {
  const statements = createStatements(connection)
  connection.exec('BEGIN IMMEDIATE')
  try {
    connection.exec(
      `CREATE TABLE IF NOT EXISTS _migration (
         plugin TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
         checksum TEXT NOT NULL, applied_at TEXT NOT NULL,
         PRIMARY KEY (plugin, number)
       ) STRICT, WITHOUT ROWID`,
    )
    connection.pragma('defer_foreign_keys = ON')
    for (const { plugin, step } of pending) {
      if (step.sql !== '') connection.exec(step.sql)
      statements.clear()
      step.run?.({ all: statements.all, get: statements.get, run: statements.run })
      statements.run(
        statement('INSERT INTO _migration (plugin, number, name, checksum, applied_at) VALUES (?, ?, ?, ?, ?)', [
          plugin,
          step.number,
          step.name,
          migrationChecksum(step),
          clock.iso(),
        ]),
      )
    }
    connection.pragma(`application_id = ${applicationId}`)
    connection.pragma(`user_version = ${databaseFormat}`)
    const orphans = connection.pragma('foreign_key_check') as unknown[]
    if (orphans.length > 0) throw new Error('The upgrade would leave rows that refer to missing rows.')
    copy?.mark()
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

function checkNumbers(plugins: readonly PluginMigrations[]): void {
  for (const plugin of plugins) {
    plugin.migrations.forEach((step, index) => {
      if (step.number !== index + 1) {
        throw new Error(
          `Migrations of "${plugin.id}" are not numbered 1, 2, 3: found ${step.number} at place ${index + 1}.`,
        )
      }
    })
  }
}

function newer(what: string): MigrationRefused {
  return new MigrationRefused(
    'newer',
    `The database was written by a newer version of Cairn (${what}); it was left unchanged. Install that version again.`,
  )
}
