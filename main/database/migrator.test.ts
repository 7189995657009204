// Upgrades of real files: what is applied, refused, backed up, and left as it was.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { Migration } from '#main/kernel/plugin.ts'
import { createBackupFolder } from './backup-folder.ts'
import { createFileCheck } from './file-check.ts'
import { createMigrationBackup } from './migration-backup.ts'
import { MigrationRefused, migrateDatabase } from './migrator.ts'
import type { PluginMigrations } from './migrator.ts'
import { openReader, openWriter } from './open.ts'

const clock = createManualClock(1_700_000_000_000)
const ids = createIds(clock)
const one: Migration = { number: 1, name: 'one', sql: 'CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)' }
const two: Migration = {
  number: 2,
  name: 'two',
  sql: 'ALTER TABLE a ADD COLUMN upper TEXT',
  run: (tx) => {
    for (const row of tx.all<{ id: number; name: string }>(statement('SELECT id, name FROM a'))) {
      tx.run(statement('UPDATE a SET upper = ? WHERE id = ?', [row.name.toUpperCase(), row.id]))
    }
  },
}
let dir: string
let file: string

const migrate = (plugins: readonly PluginMigrations[], knownPlugins: readonly string[] = []) =>
  migrateDatabase({
    file,
    plugins,
    knownPlugins,
    backup: createMigrationBackup({ dataDir: dir, clock, ids, version: '9.9.9' }),
    clock,
    log: createLogger(),
  })
const rows = <Row>(sql: string): Row[] => {
  const connection = openReader(file)
  try {
    return connection.prepare(sql).all() as Row[]
  } finally {
    connection.close()
  }
}
const change = (sql: string): void => {
  const connection = openWriter(file)
  connection.exec(sql)
  connection.close()
}
const digest = (): string => createHash('sha256').update(readFileSync(file)).digest('hex')
const backups = () =>
  createBackupFolder({ dataDir: dir, clock, ids, appVersion: '', check: async (path) => createFileCheck(path) }).list()

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-migrate-'))
  file = join(dir, 'cairn.db')
})

afterEach(() => rmSync(dir, { recursive: true }))

describe('migrator', () => {
  it('creates the tables of a new database without a backup', async () => {
    const result = await migrate([{ id: 'p', migrations: [one, two] }])
    expect(result).toEqual({
      applied: [
        { plugin: 'p', number: 1, name: 'one' },
        { plugin: 'p', number: 2, name: 'two' },
      ],
      backupId: null,
    })
    expect(backups()).toEqual([])
    expect(rows('SELECT plugin, number, name, applied_at FROM _migration ORDER BY number')).toEqual([
      { plugin: 'p', number: 1, name: 'one', applied_at: '2023-11-14T22:13:20.000Z' },
      { plugin: 'p', number: 2, name: 'two', applied_at: '2023-11-14T22:13:20.000Z' },
    ])
  })

  it('changes nothing the second time', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    const before = digest()
    expect(await migrate([{ id: 'p', migrations: [one] }])).toEqual({ applied: [], backupId: null })
    expect(digest()).toBe(before)
  })

  it('makes a verified backup of the old state before the first pending step', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    change("INSERT INTO a (name) VALUES ('x')")
    const result = await migrate([{ id: 'p', migrations: [one, two] }])
    expect(rows('SELECT name, upper FROM a')).toEqual([{ name: 'x', upper: 'X' }])
    const [backup] = backups()
    expect(backup).toMatchObject({ id: result.backupId, kind: 'upgrade', verified: true, appVersion: '9.9.9' })
    const old = openReader(join(dir, 'backups', backup!.id, 'cairn.db'))
    expect(old.prepare('SELECT * FROM a').all()).toEqual([{ id: 1, name: 'x' }])
    old.close()
  })

  it('does not touch the database when the backup fails', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    const before = digest()
    await expect(
      migrateDatabase({
        file,
        plugins: [{ id: 'p', migrations: [one, two] }],
        backup: () => Promise.reject(new Error('no space')),
        clock,
        log: createLogger(),
      }),
    ).rejects.toThrow('no space')
    expect(digest()).toBe(before)
  })

  it('leaves the old state of every plugin when one step fails', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    change("INSERT INTO a (name) VALUES ('x')")
    const broken: Migration = { number: 1, name: 'broken', sql: 'CREATE TABLE b (id); CREATE TABLE a (id)' }
    await expect(
      migrate([
        { id: 'p', migrations: [one, two] },
        { id: 'q', migrations: [broken] },
      ]),
    ).rejects.toThrow('already exists')
    expect(rows('SELECT * FROM a')).toEqual([{ id: 1, name: 'x' }])
    expect(rows("SELECT name FROM sqlite_schema WHERE name = 'b'")).toEqual([])
    expect(rows('SELECT plugin, number FROM _migration')).toEqual([{ plugin: 'p', number: 1 }])
    expect(await migrate([{ id: 'p', migrations: [one, two] }])).toMatchObject({ applied: [{ number: 2 }] })
  })

  it('refuses a step that would leave rows without what they refer to', async () => {
    const parent: Migration = {
      number: 1,
      name: 'tree',
      sql: `CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
            INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1)`,
    }
    await migrate([{ id: 'p', migrations: [parent] }])
    const orphaning: Migration = { number: 2, name: 'orphan', sql: 'DELETE FROM parent' }
    await expect(migrate([{ id: 'p', migrations: [parent, orphaning] }])).rejects.toThrow('refer to missing rows')
    expect(rows('SELECT * FROM parent')).toEqual([{ id: 1 }])
  })

  it.each([
    ['a step it does not know', [{ id: 'p', migrations: [one] }]],
    ['a plugin it does not know', []],
  ])('refuses a database with %s as newer and leaves it unchanged', async (_what, plugins) => {
    await migrate([{ id: 'p', migrations: [one, two] }])
    const before = digest()
    await expect(migrate(plugins)).rejects.toMatchObject({ name: 'MigrationRefused', reason: 'newer' })
    expect(digest()).toBe(before)
    expect(backups()).toEqual([])
  })

  it('refuses a higher layout number as newer', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    change('PRAGMA user_version = 99')
    const before = digest()
    await expect(migrate([{ id: 'p', migrations: [one] }])).rejects.toThrow(/newer version of Cairn.*left unchanged/)
    expect(digest()).toBe(before)
  })

  it('accepts tables of a plugin the program has but did not load', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    expect(await migrate([], ['p'])).toEqual({ applied: [], backupId: null })
  })

  it('refuses a released step that was changed', async () => {
    await migrate([{ id: 'p', migrations: [one] }])
    const changed = { ...one, sql: `${one.sql} STRICT` }
    await expect(migrate([{ id: 'p', migrations: [changed] }])).rejects.toMatchObject({ reason: 'changed' })
  })

  it('refuses a database of another program and leaves it unchanged', async () => {
    const connection = openWriter(file)
    connection.exec('CREATE TABLE theirs (id)')
    connection.pragma('journal_mode = DELETE')
    connection.close()
    const before = digest()
    await expect(migrate([{ id: 'p', migrations: [one] }])).rejects.toThrow(MigrationRefused)
    expect(digest()).toBe(before)
  })

  it('refuses numbers that are not 1, 2, 3', async () => {
    await expect(migrate([{ id: 'p', migrations: [two] }])).rejects.toThrow('not numbered')
  })
})
