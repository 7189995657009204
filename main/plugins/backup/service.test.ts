// The rules of backups: what is kept, and what must hold before a restore.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyDatabase } from '#main/database/backup.ts'
import { createBackupFolder } from '#main/database/backup-folder.ts'
import type { BackupEntry, BackupFolder } from '#main/database/backup-folder.ts'
import type { BackupKind } from '#main/database/backup-manifest.ts'
import { createFileCheck } from '#main/database/file-check.ts'
import { openWriter } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { localOwner } from '#main/kernel/context.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { readRestoreNote } from '#main/kernel/restore-note.ts'
import type { BackupService } from './api.ts'
import { createBackupService, defaultRetention, outdatedBackups, parseRetention } from './service.ts'

const day = 86_400_000
let dir: string
let clock: ManualClock
let writer: Connection
let folder: BackupFolder
let service: BackupService
let restarts: (() => Promise<void>)[]
/** Whether writes are refused. */
let held: boolean
/** What a copy waits for. */
let hold: () => Promise<void>

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-backups-'))
  clock = createManualClock(Date.UTC(2026, 0, 1))
  writer = openWriter(join(dir, 'cairn.db'))
  writer.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  folder = createBackupFolder({
    dataDir: dir,
    clock,
    ids: createIds(clock),
    appVersion: '1.0.0',
    check: async (file) => createFileCheck(file),
  })
  restarts = []
  held = false
  hold = () => Promise.resolve()
  service = createBackupService({
    folder,
    whileKept: (work) => work(),
    copy: async (target) => {
      await hold()
      await copyDatabase(writer, target)
    },
    turnMs: 100,
    databaseBytes: () => statSync(join(dir, 'cairn.db')).size,
    compare: async (id) => ({ id, objects: [], definitions: { returning: 0, going: 0, reverting: 0, items: [] } }),
    requestRestart: (prepare) => restarts.push(prepare),
    holdWrites: async () => {
      held = true
      return () => void (held = false)
    },
    retention: defaultRetention,
    clock,
    log: createLogger(),
  })
})

afterEach(() => {
  if (writer.open) writer.close()
  rmSync(dir, { recursive: true })
})

const entry = (id: string, kind: BackupKind, at: number): BackupEntry => ({
  id,
  kind,
  createdAt: new Date(at).toISOString(),
  sizeBytes: 1,
  sha256: '',
  verified: true,
  appVersion: '',
})

describe('retention', () => {
  it('keeps 7 daily, 4 weekly, all manual ones, and upgrades for 90 days', () => {
    const now = Date.UTC(2026, 5, 1)
    const backups = [
      ...Array.from({ length: 10 }, (_, index) => entry(`d${index}`, 'daily', now - index * day)),
      ...Array.from({ length: 6 }, (_, index) => entry(`w${index}`, 'weekly', now - index * 7 * day)),
      ...Array.from({ length: 20 }, (_, index) => entry(`m${index}`, 'manual', now - index * 100 * day)),
      entry('u-young', 'upgrade', now - 89 * day),
      entry('u-old', 'upgrade', now - 91 * day),
      entry('p-old', 'pairing', now - 92 * day),
    ]
    expect(outdatedBackups(backups, defaultRetention, now)).toEqual(['d7', 'd8', 'd9', 'w4', 'w5', 'u-old', 'p-old'])
  })

  it('never lets the newest backup of all go', () => {
    const now = Date.UTC(2026, 5, 1)
    expect(outdatedBackups([entry('u', 'upgrade', now - 400 * day)], defaultRetention, now)).toEqual([])
  })

  it('reads whole numbers from 1 upwards out of the configuration', () => {
    expect(parseRetention({ keepDaily: 2, keepWeekly: 0, keepDays: 'many' })).toEqual({
      ...defaultRetention,
      keepDaily: 2,
    })
  })
})

describe('backup service', () => {
  it('lets the eighth daily backup go', async () => {
    for (let index = 0; index < 9; index += 1) {
      await service.create('daily')
      clock.advance(day)
    }
    expect(service.list()).toHaveLength(7)
  })

  it('makes one backup at a time', async () => {
    const made = await Promise.all([
      service.create('manual', 'a'),
      service.create('manual', 'b'),
      service.create('manual', 'c'),
    ])
    expect(new Set(made.map((backup) => backup.id)).size).toBe(3)
    expect(service.list()).toHaveLength(3)
  })

  it('keeps nobody waiting for others for long, and begins nothing for those who are gone', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    hold = () => held
    const first = service.create('manual', 'first', new AbortController().signal)
    const gone = new AbortController()
    const others = [
      service.create('manual', 'late', new AbortController().signal),
      service.create('manual', 'gone', gone.signal),
      service.verify('any', new AbortController().signal),
    ].map((call) => call.catch((error: unknown) => error))
    gone.abort(new Error('gone'))
    const refused = { code: 'service_unavailable', details: { reason: 'backups_busy' } }
    expect(await others[0]).toMatchObject(refused)
    release()
    expect(await first).toMatchObject({ note: 'first' })
    for (const other of others) expect(await other).toMatchObject(refused)
    const after = new AbortController()
    after.abort(new Error('gone'))
    await expect(service.create('manual', 'gone', after.signal)).rejects.toThrow('gone')
    expect(service.list()).toHaveLength(1)
    expect(await service.create('daily')).toMatchObject({ kind: 'daily' })
  })

  it('answers resource_not_found for an unknown id', async () => {
    const id = '00000000-0000-7000-8000-00000000dead'
    const missing = { code: 'resource_not_found' }
    await expect(service.verify(id)).rejects.toMatchObject(missing)
    await expect(service.restore(id, id, localOwner)).rejects.toMatchObject(missing)
    await expect(service.remove(id)).rejects.toMatchObject(missing)
    expect(() => service.databaseFile(id)).toThrow(expect.objectContaining(missing))
  })

  it('restores only when the id is confirmed', async () => {
    const backup = await service.create('manual')
    await expect(service.restore(backup.id, 'yes', localOwner)).rejects.toMatchObject({ code: 'validation_error' })
    expect(restarts).toEqual([])
  })

  it('saves the present state, then restarts on the backup', async () => {
    const backup = await service.create('manual')
    writer.exec('INSERT INTO t VALUES (1)')
    clock.advance(1000)
    await service.restore(backup.id, backup.id, localOwner)
    expect(service.list()[0]).toMatchObject({ kind: 'manual', note: `before the restore of ${backup.id}` })
    expect([restarts.length, held]).toEqual([1, true])
    writer.close()
    await restarts[0]!()
    expect(readRestoreNote(dir)).toMatchObject({ backup: backup.id, present: service.list()[0]!.id })
    writer = openWriter(join(dir, 'cairn.db'))
    expect(writer.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0)
  })

  it('does nothing to backups any more once it restarts on one', async () => {
    const [backup, other] = [await service.create('manual'), await service.create('manual')]
    await service.restore(backup.id, backup.id, localOwner)
    const refused = { code: 'service_unavailable', details: { reason: 'restarting' } }
    await expect(service.restore(other.id, other.id, localOwner)).rejects.toMatchObject(refused)
    await expect(service.remove(backup.id)).rejects.toMatchObject(refused)
    expect(restarts).toHaveLength(1)
    expect(service.list()).toHaveLength(3)
  })

  it('leaves no word of a restore that could not be done', async () => {
    const backup = await service.create('manual')
    writer.exec('INSERT INTO t VALUES (1)')
    await service.restore(backup.id, backup.id, localOwner)
    rmSync(folder.databaseFile(backup.id))
    writer.close()
    await restarts[0]!()
    expect(readRestoreNote(dir)).toBeUndefined()
    writer = openWriter(join(dir, 'cairn.db'))
    expect(writer.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1)
  })

  it('restarts on nothing where the disk has no room to save the present state', async () => {
    const backup = await service.create('manual')
    hold = () => Promise.reject(Object.assign(new Error('no room'), { code: 'ENOSPC' }))
    await expect(service.restore(backup.id, backup.id, localOwner)).rejects.toMatchObject({
      code: 'service_unavailable',
      details: { reason: 'disk_full' },
    })
    expect([restarts.length, held]).toEqual([0, false])
    hold = () => Promise.resolve()
    expect(await service.create('manual')).toMatchObject({ verified: true })
  })

  it('refuses to restore a damaged backup with conflict and names the problems', async () => {
    const backup = await service.create('manual')
    const file = folder.databaseFile(backup.id)
    const bytes = readFileSync(file)
    bytes[4200]! ^= 4
    writeFileSync(file, bytes)
    await expect(service.restore(backup.id, backup.id, localOwner)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'backup_damaged', problems: [expect.stringContaining('cairn.db')] },
    })
    expect(restarts).toEqual([])
  })

  it('names the database file of a backup by its time', async () => {
    const backup = await service.create('manual')
    expect(service.databaseFile(backup.id)).toEqual({
      path: folder.databaseFile(backup.id),
      sizeBytes: backup.sizeBytes,
      fileName: 'cairn-2026-01-01T00-00-00.db',
    })
  })
})
