// A check beside somebody who changes tables: it finds what is damaged, and nothing else.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { integrityProblems } from './file-check.ts'
import { openWriter } from './open.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-file-check-'))
  file = join(folder, 'cairn.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('does not call a table damaged that changes meanwhile', { timeout: 60_000 }, async () => {
  const writer = openWriter(file)
  for (let i = 0; i < 20; i += 1) writer.exec(`CREATE VIRTUAL TABLE word${i} USING fts5(body, content='')`)
  writer.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name0 TEXT) STRICT')
  writer.close()
  const renames = new Worker(
    `const { workerData: file, parentPort } = require('node:worker_threads')
    const db = require('better-sqlite3')(file)
    db.pragma('synchronous = OFF')
    let isOver = false
    let count = 0
    parentPort.once('message', () => (isOver = true))
    const rename = () => {
      if (isOver) return parentPort.postMessage(count, db.close())
      db.exec('ALTER TABLE item RENAME COLUMN name' + count + ' TO name' + (count += 1))
      setImmediate(rename)
    }
    rename()`,
    { eval: true, workerData: file },
  )
  try {
    const found = new Set<string>()
    for (let i = 0; i < 400; i += 1) for (const problem of integrityProblems(file)) found.add(problem)
    expect([...found]).toEqual([])
  } finally {
    const ended = new Promise((resolve) => renames.once('message', resolve))
    renames.postMessage('end')
    expect(await ended).toBeGreaterThan(10)
    await renames.terminate()
  }
})

it('calls a table damaged whose parts are gone', () => {
  const writer = openWriter(file)
  writer.exec("CREATE VIRTUAL TABLE word USING fts5(body); INSERT INTO word VALUES ('a')")
  expect(integrityProblems(file)).toEqual([])
  writer.unsafeMode(true).pragma('writable_schema = ON')
  writer.exec("DELETE FROM sqlite_schema WHERE name = 'word_config'")
  writer.close()
  expect(integrityProblems(file).join()).toMatch(/word/)
})
