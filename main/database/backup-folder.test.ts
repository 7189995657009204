// Backups on disk: whole, checked, found damaged, put back.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { copyDatabase } from './backup.ts'
import { createBackupFolder } from './backup-folder.ts'
import type { BackupFolder } from './backup-folder.ts'
import { createFileCheck } from './file-check.ts'
import { openReader, openWriter } from './open.ts'
import type { Connection } from './open.ts'

let dir: string
let clock: ManualClock
let writer: Connection
let folder: BackupFolder

const create = (note?: string) =>
  folder.create({
    kind: 'manual',
    copy: (target) => copyDatabase(writer, target),
    ...(note === undefined ? {} : { note }),
  })
const names = (file: string): string[] => {
  const connection = openReader(file)
  try {
    return connection.prepare('SELECT name FROM t ORDER BY id').pluck().all() as string[]
  } finally {
    connection.close()
  }
}
const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file)
  bytes[at]! ^= 1
  writeFileSync(file, bytes)
}

beforeEach(() => {
  process.umask(0o077)
  dir = mkdtempSync(join(tmpdir(), 'cairn-backup-'))
  clock = createManualClock(1_700_000_000_000)
  writer = openWriter(join(dir, 'cairn.db'))
  writer.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t (name) VALUES ('first')")
  writeFileSync(join(dir, 'config.json'), '{"host":{"port":1}}')
  folder = createBackupFolder({
    dataDir: dir,
    clock,
    ids: createIds(clock),
    appVersion: '1.2.3',
    check: async (file) => createFileCheck(file),
  })
})

afterEach(() => {
  if (writer.open) writer.close()
  rmSync(dir, { recursive: true })
})

describe('backup folder', () => {
  it('makes a private, self-contained, verified backup', async () => {
    const backup = await create('before lunch')
    expect(backup).toMatchObject({
      kind: 'manual',
      createdAt: '2023-11-14T22:13:20.000Z',
      verified: true,
      appVersion: '1.2.3',
      note: 'before lunch',
    })
    expect(backup.sha256).toMatch(/^[0-9a-f]{64}$/)
    const path = join(dir, 'backups', backup.id)
    expect(readdirSync(path).toSorted()).toEqual(['cairn.db', 'config.json', 'manifest.json'])
    expect(names(folder.databaseFile(backup.id))).toEqual(['first'])
    expect(readdirSync(path)).toHaveLength(3)
    if (process.platform !== 'win32') {
      for (const name of ['', ...readdirSync(path)]) expect(statSync(join(path, name)).mode & 0o077).toBe(0)
    }
  })

  it('lists the newest first and forgets a removed one', async () => {
    const first = await create()
    clock.advance(1000)
    const second = await create()
    expect(folder.list().map((entry) => entry.id)).toEqual([second.id, first.id])
    expect(folder.remove(second.id)).toBe(true)
    expect(folder.remove(second.id)).toBe(false)
    expect(folder.list().map((entry) => entry.id)).toEqual([first.id])
    expect(readdirSync(join(dir, 'backups'))).toEqual([first.id])
  })

  it('leaves nothing behind when the copy is not sound', async () => {
    const unsound = folder.create({
      kind: 'manual',
      copy: async (target) => writeFileSync(target, 'no database at all'.repeat(500)),
    })
    await expect(unsound).rejects.toThrow('not sound')
    expect(readdirSync(join(dir, 'backups'))).toEqual([])
  })

  it('clears what a crash left half made', async () => {
    mkdirSync(join(dir, 'backups', 'x.partial'), { recursive: true })
    expect(folder.list()).toEqual([])
    await create()
    expect(existsSync(join(dir, 'backups', 'x.partial'))).toBe(false)
  })

  it.each(['cairn.db', 'config.json', 'manifest.json'])('finds a flipped bit in %s', async (name) => {
    const backup = await create()
    const file = join(dir, 'backups', backup.id, name)
    flip(file, Math.floor(statSync(file).size / 2))
    const check = await folder.verify(backup.id)
    expect(check.verified).toBe(false)
    expect(check.problems.length).toBeGreaterThan(0)
    expect(folder.get(backup.id)?.verified).toBe(false)
  })

  it('finds a missing file and one that was replaced by a link', async () => {
    const backup = await create()
    const file = join(dir, 'backups', backup.id, 'cairn.db')
    const copy = join(dir, 'copy.db')
    copyFileSync(file, copy)
    rmSync(file)
    expect((await folder.verify(backup.id)).problems).not.toEqual([])
    symlinkSync(copy, file)
    expect((await folder.verify(backup.id)).problems.join()).toContain('Not a regular file')
  })

  it('knows a repaired backup as sound again', async () => {
    const backup = await create()
    const file = folder.databaseFile(backup.id)
    flip(file, 5000)
    await folder.verify(backup.id)
    flip(file, 5000)
    expect(await folder.verify(backup.id)).toEqual({ id: backup.id, verified: true, problems: [] })
    expect(folder.get(backup.id)?.verified).toBe(true)
  })

  it('puts the database and the config back', async () => {
    const backup = await create()
    writer.exec("INSERT INTO t (name) VALUES ('second')")
    writer.close()
    writeFileSync(join(dir, 'config.json'), '{}')
    folder.putBack(backup.id, { presentSaved: true })
    expect(names(join(dir, 'cairn.db'))).toEqual(['first'])
    expect(readFileSync(join(dir, 'config.json'), 'utf8')).toBe('{"host":{"port":1}}')
    expect(readdirSync(dir).filter((name) => name.includes('incoming') || name.includes('replaced'))).toEqual([])
  })

  it('puts files back that went bad since, and leaves the others where they are', async () => {
    const place = (text: string): string => {
      const sha256 = createHash('sha256').update(text).digest('hex')
      return join(dir, 'files', sha256.slice(0, 2), sha256)
    }
    for (const text of ['sound', 'rotten', 'copied']) {
      mkdirSync(join(place(text), '..'), { recursive: true })
      writeFileSync(place(text), text)
    }
    const backup = await create()
    for (const [text, now] of [
      ['rotten', 'rOtten'],
      ['copied', 'copied'],
    ] as const) {
      rmSync(place(text))
      writeFileSync(place(text), now)
    }
    const inodes = ['sound', 'copied'].map((text) => statSync(place(text)).ino)
    writer.close()
    folder.putBack(backup.id, { presentSaved: true })
    for (const text of ['sound', 'rotten', 'copied']) expect(readFileSync(place(text), 'utf8')).toBe(text)
    expect(['sound', 'copied'].map((text) => statSync(place(text)).ino)).toEqual(inodes)
  })

  it('does not let an old log change the restored database', async () => {
    const backup = await create()
    writer.exec("INSERT INTO t (name) VALUES ('in the log')")
    copyFileSync(join(dir, 'cairn.db-wal'), join(dir, 'kept-wal'))
    writer.close()
    copyFileSync(join(dir, 'kept-wal'), join(dir, 'cairn.db-wal'))
    folder.putBack(backup.id, { presentSaved: true })
    expect(names(join(dir, 'cairn.db'))).toEqual(['first'])
  })

  it('keeps the files of a present database that could not be backed up', async () => {
    const backup = await create()
    writer.close()
    writeFileSync(join(dir, 'cairn.db'), 'damaged beyond opening'.repeat(300))
    folder.putBack(backup.id, { presentSaved: false })
    expect(names(join(dir, 'cairn.db'))).toEqual(['first'])
    const aside = readdirSync(dir).filter((name) => name.startsWith('cairn.db.replaced-'))
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(dir, aside[0]!), 'utf8')).toContain('damaged beyond opening')
  })

  it('does not put back a backup that differs from its manifest', async () => {
    const backup = await create()
    writer.exec("INSERT INTO t (name) VALUES ('second')")
    writer.close()
    flip(folder.databaseFile(backup.id), 5000)
    expect(() => folder.putBack(backup.id, { presentSaved: true })).toThrow('differs from its checksum')
    expect(names(join(dir, 'cairn.db'))).toEqual(['first', 'second'])
    expect(readdirSync(dir).filter((name) => name.includes('incoming'))).toEqual([])
  })

  it('leaves nothing of a restore that was cut off', () => {
    for (const name of ['cairn.db.incoming', 'config.json.incoming']) writeFileSync(join(dir, name), 'half of it')
    folder.clearRestore()
    expect(readdirSync(dir).filter((name) => name.includes('incoming'))).toEqual([])
  })

  it('refuses an id that is a path', () => {
    expect(folder.get('../../etc')).toBeUndefined()
    expect(folder.remove('..')).toBe(false)
    expect(() => folder.databaseFile('../x')).toThrow('Not the id')
  })
})
