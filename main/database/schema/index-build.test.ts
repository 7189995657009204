// An index built in slices while rows come, change and go is the index that CREATE INDEX makes, and nothing is left of the
// building.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { IndexShape } from '#main/kernel/database.ts'
import type { Connection } from '../open.ts'
import { openWriter } from '../open.ts'
import { createIndexBuild, dropUnfinishedBuild } from './index-build.ts'
import { sized } from '../../../test/support/test-size.ts'

let folder: string
/** The connection of the host, and that of the process that builds. */
let host: Connection
let other: Connection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-index-'))
  const file = join(folder, 'cairn.db')
  host = openWriter(file, { durable: false })
  host.exec(
    `CREATE TABLE t (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, deleted_at TEXT, s TEXT, n REAL, x INTEGER) STRICT`,
  )
  other = openWriter(file, { durable: false })
})
afterEach(() => {
  host.close()
  other.close()
  rmSync(folder, { recursive: true })
})

const shape = (keys: IndexShape['keys'], rows: IndexShape['rows'] = 'live'): IndexShape => ({
  name: 'i',
  table: 't',
  keys,
  rows,
})
const plain = (column: string) => ({ column, noCase: false })
const shapes: readonly IndexShape[] = [
  shape([{ column: 's', noCase: true }, plain('s'), plain('id')]),
  shape([plain('n'), plain('id')]),
  shape([plain('x'), { column: 's', noCase: true }, plain('s'), plain('n'), plain('id')]),
  shape([plain('deleted_at'), plain('id')], 'deleted'),
]

const fill = (rows: number): void => {
  host
    .prepare(
      `WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < ?) INSERT INTO t (id, deleted_at, s, n, x)
       SELECT printf('%06d', i), iif(i % 11 = 0, 'gone', NULL), iif(i % 7 = 0, NULL, iif(i % 2, 'Ab', 'aB') || (i * 7919 % 100)),
         iif(i % 5 = 0, NULL, iif(i % 3, i % 13, i / 10.0)), iif(i % 4 = 0, NULL, i % 9) FROM i`,
    )
    .run(rows)
}
const sound = (): unknown => host.pragma('integrity_check', { simple: true })
const objects = () =>
  host.prepare(`SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name`).pluck().all()
const key = (table: string): string =>
  host.prepare(`SELECT sql FROM sqlite_schema WHERE name = ?`).pluck().get(table) as string

/** All steps; `between` runs before each that takes the lock. */
function build(index: IndexShape, between: () => void = () => undefined): void {
  const steps = createIndexBuild(other, index)
  steps.begin()
  between()
  steps.sort()
  do between()
  while (steps.slice())
  between()
  steps.finish()
}

describe('an index built in slices', () => {
  it.each(shapes)('has what CREATE INDEX has: $keys.0', (index) => {
    fill(20_000)
    build(index)
    expect(sound()).toBe('ok')
    expect(objects()).toEqual(['i', 't'])
    expect(key('i')).toMatch(/^CREATE INDEX "i" ON "t"/)
    const order = index.keys.map(({ column, noCase }) => `${column}${noCase ? ' COLLATE NOCASE' : ''}`).join(', ')
    const sql = `SELECT * FROM t INDEXED BY i WHERE deleted_at IS ${index.rows === 'live' ? '' : 'NOT '}NULL ORDER BY ${order}`
    const plan = host.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    expect(plan).toEqual([
      expect.objectContaining({ detail: expect.stringMatching(/^(?:SCAN|SEARCH) t USING INDEX i/) }),
    ])
  })

  it('knows every row that came, changed or went meanwhile', () => {
    const id = fc.integer({ min: 1, max: 9_000 })
    const change = fc.oneof(
      fc.record({
        do: fc.constant('insert' as const),
        id,
        s: fc.option(fc.string({ maxLength: 4 })),
        n: fc.option(fc.double({ noNaN: true })),
      }),
      fc.record({
        do: fc.constant('update' as const),
        id,
        s: fc.option(fc.string({ maxLength: 4 })),
        n: fc.option(fc.double({ noNaN: true })),
      }),
      fc.record({ do: fc.constant('trash' as const), id }),
      fc.record({ do: fc.constant('restore' as const), id }),
      fc.record({ do: fc.constant('purge' as const), id }),
      fc.record({ do: fc.constant('again' as const), id }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...shapes),
        fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 6 }),
        (index, turns) => {
          host.exec('DROP INDEX IF EXISTS i; DELETE FROM t')
          fill(8_000)
          let turn = 0
          build(index, () => {
            for (const one of turns[turn++ % turns.length]!) {
              const at = `WHERE rowid = ${one.id}`
              if (one.do === 'insert')
                host.prepare('INSERT INTO t (id, s, n) VALUES (?, ?, ?)').run(`n${turn} ${Math.random()}`, one.s, one.n)
              else if (one.do === 'update') host.prepare(`UPDATE t SET s = ?, n = ? ${at}`).run(one.s, one.n)
              else if (one.do === 'trash') host.exec(`UPDATE t SET deleted_at = 'now' ${at}`)
              else if (one.do === 'restore') host.exec(`UPDATE t SET deleted_at = NULL ${at}`)
              else if (one.do === 'purge') host.exec(`DELETE FROM t ${at}`)
              // The row number of a row that went may be given again.
              else
                host.exec(
                  `DELETE FROM t ${at}; INSERT OR IGNORE INTO t (rowid, id, s) VALUES (${one.id}, 'again ${turn} ${one.id}', 'q')`,
                )
            }
          })
          expect(sound()).toBe('ok')
          expect(objects()).toEqual(['i', 't'])
        },
      ),
      { numRuns: sized(12, 100, 300) },
    )
  })

  it('catches up with more changes than one slice takes', () => {
    fill(6_000)
    let turn = 0
    build(shapes[0]!, () => {
      turn += 1
      if (turn < 4)
        host.exec(`UPDATE t SET s = s || ${turn}, deleted_at = iif(rowid % 3 = ${turn}, 'gone', deleted_at)`)
    })
    expect(sound()).toBe('ok')
  })

  it('leaves nothing when it is cut off anywhere, and can be built again', () => {
    fill(12_000)
    const cuts: ((steps: ReturnType<typeof createIndexBuild>) => void)[] = [
      (steps) => steps.begin(),
      (steps) => (steps.begin(), steps.sort()),
      (steps) => (steps.begin(), steps.sort(), steps.slice()),
    ]
    for (const cut of cuts) {
      cut(createIndexBuild(other, shapes[0]!))
      host.exec(`UPDATE t SET s = 'meanwhile' WHERE rowid = 5`)
      dropUnfinishedBuild(host)
      expect(objects()).toEqual(['t'])
      expect(sound()).toBe('ok')
    }
    build(shapes[0]!)
    expect(sound()).toBe('ok')
  })

  it('is seen by statements that were prepared before', () => {
    fill(5_000)
    const insert = host.prepare(`INSERT INTO t (id, s) VALUES (?, 'late')`)
    insert.run('before')
    build(shapes[0]!)
    insert.run('after')
    expect(
      host
        .prepare(`SELECT count(*) FROM t INDEXED BY i WHERE deleted_at IS NULL AND s = 'late' COLLATE NOCASE`)
        .pluck()
        .get(),
    ).toBe(2)
    expect(sound()).toBe('ok')
  })
})
