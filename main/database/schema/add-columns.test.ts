// Columns added by changing the stored text of a table are what ALTER TABLE would have made.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connection } from '../open.ts'
import { openReader, openWriter } from '../open.ts'
import { addColumns } from './add-columns.ts'

let folder: string
let db: Connection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-columns-'))
  db = openWriter(join(folder, 'cairn.db'), { durable: false })
  db.exec(`CREATE TABLE "o_t" (\n  "rowid" INTEGER PRIMARY KEY,\n  "v" TEXT DEFAULT ') STRICT'\n) STRICT`)
  db.exec(`CREATE INDEX i ON o_t (v); INSERT INTO o_t (v) VALUES ('old')`)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const add = (definitions: readonly string[], table = 'o_t') =>
  db.transaction(() => addColumns(db, table, definitions)).immediate()
const columns = (connection = db) =>
  (connection.pragma('table_info(o_t)') as { name: string; type: string; dflt_value: string | null }[]).map(
    ({ name, type, dflt_value }) => [name, type, dflt_value],
  )
const rows = () => db.prepare('SELECT * FROM o_t ORDER BY rowid').all()

describe('adding columns', () => {
  it('gives existing rows the default, others what they are given, in types that are kept', () => {
    add([`"n" REAL DEFAULT 1`, `"t" TEXT DEFAULT 'a ) "b" ''c'''`])
    add(['"$x" INTEGER'])
    db.prepare(`INSERT INTO o_t (v, n, t, "$x") VALUES ('new', 2, 'z', 7)`).run()
    expect(rows()).toEqual([
      { rowid: 1, v: 'old', n: 1, t: `a ) "b" 'c'`, $x: null },
      { rowid: 2, v: 'new', n: 2, t: 'z', $x: 7 },
    ])
    expect(db.prepare('SELECT typeof(n) AS type FROM o_t WHERE rowid = 1').get()).toEqual({ type: 'real' })
    expect(() => db.prepare(`INSERT INTO o_t (n) VALUES ('no number')`).run()).toThrow(/REAL/)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.exec('ALTER TABLE o_t RENAME COLUMN n TO m; ALTER TABLE o_t DROP COLUMN t')
    expect(columns().map(([name]) => name)).toEqual(['rowid', 'v', 'm', '$x'])
  })

  it('is seen at once by connections and statements that were there before', () => {
    const reader = openReader(join(folder, 'cairn.db'))
    try {
      const all = reader.prepare('SELECT * FROM o_t')
      expect(all.get()).toEqual({ rowid: 1, v: 'old' })
      add(['"n" REAL DEFAULT 1'])
      expect(all.get()).toEqual({ rowid: 1, v: 'old', n: 1 })
      expect(columns(reader)).toEqual(columns())
    } finally {
      reader.close()
    }
  })

  it('leaves nothing behind when the transaction is undone, wholly or to a savepoint', () => {
    const before = columns()
    expect(() =>
      db.transaction(() => {
        addColumns(db, 'o_t', ['"n" REAL'])
        db.prepare('UPDATE o_t SET n = 1').run()
        throw new Error('enough')
      })(),
    ).toThrow('enough')
    expect(columns()).toEqual(before)
    db.exec('BEGIN; SAVEPOINT job')
    addColumns(db, 'o_t', ['"n" REAL'])
    db.exec('ROLLBACK TO job; RELEASE job; COMMIT')
    expect(columns()).toEqual(before)
    expect(rows()).toEqual([{ rowid: 1, v: 'old' }])
  })

  it.each([
    ['a name that is taken', ['"v" TEXT'], 'o_t', /duplicate column/],
    ['what is no SQL', ['"n" REAL,,'], 'o_t', /./],
    ['a type that strict tables lack', ['"n" NUMBER'], 'o_t', /./],
    ['an unknown table', ['"n" REAL'], 'nothing', /no table nothing/],
  ])('refuses %s and stays as it was', (_what, definitions, table, message) => {
    const before = columns()
    expect(() => add(definitions, table)).toThrow(message)
    expect(columns()).toEqual(before)
    expect(rows()).toEqual([{ rowid: 1, v: 'old' }])
    add(['"n" REAL'])
    expect(columns().at(-1)).toEqual(['n', 'REAL', null])
  })

  it('leaves the connection unable to change the schema by hand', () => {
    add(['"n" REAL'])
    expect(() => db.exec(`UPDATE sqlite_schema SET sql = sql`)).toThrow(/may not be modified/)
    expect(() => db.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql`)).toThrow()
  })
})
