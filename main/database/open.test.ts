// Settings of connections, measured on real files, because reading some of them back too early lies.
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openExclusive, openReader, openWriter } from './open.ts'
import type { Connection } from './open.ts'

let dir: string
let file: string
const value = (connection: Connection, name: string): unknown => connection.pragma(name, { simple: true })

beforeEach(() => {
  process.umask(0o077)
  dir = mkdtempSync(join(tmpdir(), 'cairn-open-'))
  file = join(dir, 'cairn.db')
})

afterEach(() => rmSync(dir, { recursive: true }))

describe('writer', () => {
  it('syncs at every COMMIT: before and after the first write, and after reopening', () => {
    let connection = openWriter(file)
    expect(value(connection, 'synchronous')).toBe(2)
    connection.exec('CREATE TABLE t (a)')
    expect(value(connection, 'synchronous')).toBe(2)
    connection.close()
    connection = openWriter(file)
    connection.exec('INSERT INTO t VALUES (1)')
    expect(value(connection, 'synchronous')).toBe(2)
    expect(value(connection, 'journal_mode')).toBe('wal')
    connection.close()
  })

  it('has every safety setting', () => {
    const connection = openWriter(file)
    const found = [
      'foreign_keys',
      'secure_delete',
      'trusted_schema',
      'cell_size_check',
      'busy_timeout',
      'temp_store',
    ].map((name) => [name, value(connection, name)])
    expect(Object.fromEntries(found)).toEqual({
      foreign_keys: 1,
      secure_delete: 1,
      trusted_schema: 0,
      cell_size_check: 1,
      busy_timeout: 5000,
      temp_store: 2,
    })
    expect(value(connection, 'journal_size_limit')).toBe(67_108_864)
    connection.close()
  })

  it.skipIf(process.platform === 'win32')('creates the file, the log and the shared memory private', () => {
    const connection = openWriter(file)
    connection.exec('CREATE TABLE t (a)')
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o077).toBe(0)
    connection.close()
  })

  it.skipIf(process.platform === 'win32')('refuses a link at the path and leaves its target alone', () => {
    const target = join(dir, 'target')
    writeFileSync(target, '')
    symlinkSync(target, file)
    expect(() => openWriter(file)).toThrow('Not a regular file')
    expect(statSync(target).size).toBe(0)
    rmSync(file)
    linkSync(target, file)
    expect(() => openWriter(file)).toThrow('hard link')
    rmSync(file)
    symlinkSync(target, `${file}-wal`)
    expect(() => openWriter(file)).toThrow('Not a regular file')
  })
})

describe('reader', () => {
  it('can neither write nor see uncommitted rows', () => {
    const writer = openWriter(file)
    writer.exec('CREATE TABLE t (a)')
    const reader = openReader(file)
    writer.exec('BEGIN; INSERT INTO t VALUES (1)')
    expect(reader.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0)
    writer.exec('COMMIT')
    expect(reader.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1)
    expect(() => reader.exec('INSERT INTO t VALUES (2)')).toThrow(/readonly/)
    expect(value(reader, 'query_only')).toBe(1)
    expect(value(reader, 'trusted_schema')).toBe(0)
    reader.close()
    writer.close()
  })

  it('does not create a missing file', () => {
    expect(() => openReader(file)).toThrow()
    expect(existsSync(file)).toBe(false)
  })
})

describe('exclusive lock', () => {
  it('is got beside somebody who only looks for a moment', async () => {
    const path = join(dir, 'lock')
    new BetterSqlite3(path).exec('CREATE TABLE t (a)').close()
    const looker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads')
       const file = new (require(workerData.library))(workerData.path)
       file.exec('BEGIN; SELECT * FROM t')
       file.prepare('SELECT count(*) FROM t').get()
       parentPort.postMessage('looking')
       setTimeout(() => file.close(), 15)`,
      { eval: true, workerData: { path, library: createRequire(import.meta.url).resolve('better-sqlite3') } },
    )
    const gone = new Promise((resolve) => looker.once('exit', resolve))
    await new Promise((resolve) => looker.once('message', resolve))
    const lock = openExclusive(path)
    expect(lock).not.toBeNull()
    lock!.close()
    await gone
  })

  it('is held once, answers null to the second, and is free after closing', () => {
    const lock = openExclusive(join(dir, 'lock'))
    expect(lock).not.toBeNull()
    expect(openExclusive(join(dir, 'lock'))).toBeNull()
    lock!.close()
    const next = openExclusive(join(dir, 'lock'))
    expect(next).not.toBeNull()
    next!.close()
  })
})
