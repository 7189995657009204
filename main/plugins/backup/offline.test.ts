// What the command line does with a folder no host has open.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataDirInUse, openDataDir } from '#main/data-dir.ts'
import { openReader, openWriter } from '#main/database/open.ts'
import { readRestoreNote } from '#main/kernel/restore-note.ts'
import { backupOffline, checkOffline, listBackups, restoreOffline } from './offline.ts'

const surroundings = { appVersion: '1.0.0', openDataDir }
let dir: string
let file: string

const names = (): string[] => {
  const connection = openReader(file)
  try {
    return connection.prepare('SELECT name FROM t ORDER BY name').pluck().all() as string[]
  } finally {
    connection.close()
  }
}
const insert = (name: string): void => {
  const connection = openWriter(file)
  connection.prepare('INSERT INTO t VALUES (?)').run(name)
  connection.close()
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-offline-'))
  file = join(dir, 'cairn.db')
  const connection = openWriter(file)
  connection.exec('CREATE TABLE t (name TEXT)')
  connection.close()
})

afterEach(() => rmSync(dir, { recursive: true }))

describe('backups without a host', () => {
  it('are made, listed and restored; the state before is backed up first', async () => {
    insert('kept')
    const backup = await backupOffline(dir, surroundings)
    expect(backup).toMatchObject({ kind: 'manual', verified: true, appVersion: '1.0.0' })
    insert('later')
    await restoreOffline(dir, backup.id, surroundings)
    expect(names()).toEqual(['kept'])
    const [saved, first] = await listBackups(dir, surroundings)
    expect(first?.id).toBe(backup.id)
    expect(saved?.note).toBe(`before the restore of ${backup.id}`)
    await restoreOffline(dir, saved!.id, surroundings)
    expect(names()).toEqual(['kept', 'later'])
  })

  it('tell the next start of the state that ran last, however often they are put back before it', async () => {
    const backup = await backupOffline(dir, surroundings)
    insert('later')
    await restoreOffline(dir, backup.id, surroundings)
    const [ranLast] = await listBackups(dir, surroundings)
    await restoreOffline(dir, backup.id, surroundings)
    expect(readRestoreNote(dir)).toMatchObject({ backup: backup.id, present: ranLast!.id })
    rmSync(join(dir, 'backups', backup.id, 'cairn.db'))
    await expect(restoreOffline(dir, backup.id, surroundings)).rejects.toThrow()
    expect(readRestoreNote(dir)).toMatchObject({ present: ranLast!.id })
  })

  it('leave config.json as it is, and bring it back where there is none', async () => {
    const config = join(dir, 'config.json')
    const open = '{"auth":{"emailAndPassword":{"disableSignUp":false}}}'
    writeFileSync(config, open, { mode: 0o600 })
    const backup = await backupOffline(dir, surroundings)
    writeFileSync(config, '{}', { mode: 0o600 })
    await restoreOffline(dir, backup.id, surroundings)
    expect(readFileSync(config, 'utf8')).toBe('{}')
    rmSync(config)
    await restoreOffline(dir, backup.id, surroundings)
    expect(readFileSync(config, 'utf8')).toBe(open)
  })

  it('lead out of a damaged database, whose file is kept', async () => {
    insert('kept')
    const backup = await backupOffline(dir, surroundings)
    writeFileSync(file, 'not a database any more'.repeat(400))
    expect(await checkOffline(dir)).not.toEqual([])
    await restoreOffline(dir, backup.id, surroundings)
    expect(names()).toEqual(['kept'])
    const aside = readdirSync(dir).find((name) => name.startsWith('cairn.db.replaced-'))
    expect(readFileSync(join(dir, aside!), 'utf8')).toContain('not a database any more')
  })

  it('are refused while the folder is held', async () => {
    const backup = await backupOffline(dir, surroundings)
    const held = openDataDir(dir)
    await expect(backupOffline(dir, surroundings)).rejects.toThrow(DataDirInUse)
    await expect(restoreOffline(dir, backup.id, surroundings)).rejects.toThrow(DataDirInUse)
    expect(await listBackups(dir, surroundings)).toHaveLength(1)
    held.release()
  })

  it('are not put back when they are damaged or unknown', async () => {
    insert('present')
    const backup = await backupOffline(dir, surroundings)
    const copy = join(dir, 'backups', backup.id, 'cairn.db')
    const bytes = readFileSync(copy)
    bytes[100]! ^= 1
    writeFileSync(copy, bytes)
    await expect(restoreOffline(dir, backup.id, surroundings)).rejects.toMatchObject({ code: 'conflict' })
    const unknown = '00000000-0000-7000-8000-00000000dead'
    await expect(restoreOffline(dir, unknown, surroundings)).rejects.toMatchObject({ code: 'resource_not_found' })
    expect(names()).toEqual(['present'])
  })

  it('need a database', async () => {
    rmSync(file)
    await expect(backupOffline(dir, surroundings)).rejects.toMatchObject({ code: 'resource_not_found' })
    expect(await checkOffline(dir)).toEqual([`There is no database in ${dir}.`])
    expect(await listBackups(dir, surroundings)).toEqual([])
  })
})

describe('check without a host', () => {
  it('finds nothing in a sound database, also while a host has it open', async () => {
    const connection = openWriter(file)
    connection.exec("INSERT INTO t VALUES ('x')")
    expect(await checkOffline(dir)).toEqual([])
    connection.close()
  })
})
