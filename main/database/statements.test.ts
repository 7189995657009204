// The cache of prepared statements over a real connection.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { translateEngineError } from './engine-errors.ts'
import { createStatements } from './statements.ts'

let dir: string
let connection: Connection

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-statements-'))
  connection = openWriter(join(dir, 'cairn.db'))
  connection.exec('CREATE TABLE t (a INTEGER)')
})

afterEach(() => {
  connection.close()
  rmSync(dir, { recursive: true })
})

describe('statements', () => {
  it('counts what ran and never keeps more than its capacity', () => {
    const statements = createStatements(connection, 10)
    for (let index = 0; index < 200; index += 1) {
      expect(statements.get<{ v: number }>(statement(`SELECT ${index} AS v`))).toEqual({ v: index })
      expect(statements.size()).toBeLessThanOrEqual(10)
    }
    expect(statements.count()).toBe(200)
  })

  it('asks whoever holds a definition that is gone by now to try again, and says what the engine said to the log alone', () => {
    const statements = createStatements(connection)
    const outdated = [
      () => statements.get(statement('SELECT b FROM t')),
      () => statements.all(statement('SELECT a FROM u')),
      () => statements.run(statement('INSERT INTO t (a, b) VALUES (1, 2)')),
    ]
    for (const run of outdated) {
      try {
        run()
        expect.unreachable()
      } catch (error) {
        expect(error).toMatchObject({ code: 'service_unavailable', details: { reason: 'schema_change' } })
        expect((error as Error).cause).toMatchObject({ code: 'SQLITE_ERROR' })
      }
    }
    expect(() => statements.get(statement('SELEC'))).toThrow('syntax error')
  })

  it('asks whoever met a change of tables in the middle to try again', () => {
    const error = new Error('vtable constructor failed: feed_word')
    const translated = translateEngineError(Object.assign(error, { code: 'SQLITE_SCHEMA' }))
    expect(translated).toMatchObject({ code: 'service_unavailable', details: { reason: 'schema_change' } })
  })

  it('keeps a statement that is asked for all the time', () => {
    const statements = createStatements(connection, 4)
    const hot = statement<{ v: number }>('SELECT ? AS v', [1])
    let prepared = 0
    const prepare = connection.prepare.bind(connection)
    connection.prepare = ((sql: string) => {
      if (sql === hot.sql) prepared += 1
      return prepare(sql)
    }) as typeof connection.prepare
    for (let index = 0; index < 50; index += 1) {
      statements.get(hot)
      statements.get(statement(`SELECT ${index}`))
    }
    expect(prepared).toBe(1)
  })

  it('sees the columns of a changed table after it was cleared', () => {
    const statements = createStatements(connection)
    const all = statement<Record<string, unknown>>('SELECT * FROM t')
    statements.run(statement('INSERT INTO t VALUES (?)', [1]))
    expect(statements.all(all)).toEqual([{ a: 1 }])
    statements.exec('ALTER TABLE t ADD COLUMN b TEXT')
    statements.clear()
    expect(statements.all(all)).toEqual([{ a: 1, b: null }])
    expect(statements.size()).toBe(1)
  })
})
