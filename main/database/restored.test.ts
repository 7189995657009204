// The state that a restore replaced, as the first start after it reads it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { writeRestoreNote } from '#main/kernel/restore-note.ts'
import { openRestored } from './restored.ts'

const present = '01a20000-0000-7000-8000-000000000001'
let dataDir: string
let told: string[]
const log = { error: (_facts: unknown, message: string) => told.push(message) } as unknown as Logger

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-restored-'))
  told = []
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const note = (of: string | null): void =>
  writeRestoreNote(dataDir, { backup: 'b', at: '2026-11-30T12:00:00.000Z', actor: null, present: of })
const read = () => {
  const restored = openRestored(dataDir, log)
  try {
    return restored?.read((state) => state.all(statement('SELECT name FROM thing')))
  } finally {
    restored?.close()
  }
}

it('is nothing where no restore went before, and null where there was no state or none that is read', () => {
  expect(openRestored(dataDir, log)).toBeUndefined()
  note(null)
  expect(read()).toBeNull()
  expect(told).toEqual([])
  note(present)
  expect(read()).toBeNull()
  mkdirSync(join(dataDir, 'backups', present), { recursive: true })
  writeFileSync(join(dataDir, 'backups', present, 'cairn.db'), 'no database at all')
  expect(read()).toBeNull()
  expect(told).toHaveLength(2)
})

it('is read from the backup of it', () => {
  note(present)
  mkdirSync(join(dataDir, 'backups', present), { recursive: true })
  const file = new BetterSqlite3(join(dataDir, 'backups', present, 'cairn.db'))
  file.exec("CREATE TABLE thing (name TEXT); INSERT INTO thing VALUES ('then')")
  file.close()
  expect(read()).toEqual([{ name: 'then' }])
})
