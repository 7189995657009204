import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { explain, isCheap as isCheapBy } from './cost.ts'
import type { CostHints } from './cost.ts'

let tables: ObjectTables
beforeAll(() => {
  const fields = {
    half: { type: 'boolean', index: true },
    code: { type: 'number', scale: 0, index: true },
    free: { type: 'number' },
  }
  tables = openObjectTables([{ name: 'thing', fields }])
  tables.db.transaction(() => {
    for (let i = 0; i < 4_000; i++) {
      tables.insert('thing', { id: numberedId(i), half: i % 2 === 0, code: i % 1_000, free: i })
    }
  })()
})
afterAll(() => tables.close())

const live = 'FROM "o_thing" AS t0 WHERE t0."deleted_at" IS NULL'
const small: CostHints = { rowsOf: () => 4_000 }
const large: CostHints = { rowsOf: () => 1_000_000 }

function isCheap(sql: string, parameters: readonly unknown[], hints: CostHints): boolean {
  return isCheapBy(hints, () => explain(tables, statement(sql, parameters)))
}

describe('the cost of a read', () => {
  it('is low for anything over a small table', () => {
    expect(isCheap(`SELECT * ${live} ORDER BY t0."free" LIMIT ?`, [20], small)).toBe(true)
    expect(isCheap(`SELECT count(*) ${live}`, [], small)).toBe(true)
  })

  it('is low for one record by its id, whatever the size', () => {
    expect(isCheap('SELECT * FROM "o_thing" AS t0 WHERE t0."id" = ?', [numberedId(1)], large)).toBe(true)
  })

  it('is low for a list an index serves until its end, with or without conditions on the index', () => {
    expect(isCheap(`SELECT * ${live} AND t0."code" = ? ORDER BY t0."id" LIMIT ?`, [1, 20], large)).toBe(true)
    expect(isCheap(`SELECT * ${live} ORDER BY t0."id" LIMIT ?`, [20], { ...large, unfiltered: true })).toBe(true)
  })

  it('is high for sorts, scans with conditions and counts of large tables', () => {
    expect(isCheap(`SELECT * ${live} ORDER BY t0."free" LIMIT ?`, [20], { ...large, unfiltered: true })).toBe(false)
    expect(isCheap(`SELECT * ${live} AND t0."free" = ? ORDER BY t0."id" LIMIT ?`, [1, 20], large)).toBe(false)
    expect(isCheap(`SELECT count(*) ${live}`, [], large)).toBe(false)
  })

  it('is high for groups of large tables, although an index and a limit are there', () => {
    const sql = `SELECT g.* FROM (SELECT t0."code", count(*) ${live} AND t0."code" >= ? GROUP BY 1) AS g LIMIT ?`
    expect(isCheap(sql, [0, 1_000], { ...large, readsAll: true })).toBe(false)
    expect(isCheap(sql, [0, 1_000], { ...small, readsAll: true })).toBe(true)
  })

  it('follows the statistics of an index once there are any', () => {
    const count = (column: string) => `SELECT count(*) ${live} AND t0."${column}" = ?`
    expect(isCheap(count('code'), [1], large)).toBe(false)
    tables.db.exec('ANALYZE')
    // A search yields four rows of the one and half the table of the other.
    tables.db.exec(`UPDATE sqlite_stat1 SET stat = '1000000 500000 1' WHERE idx = 'i_thing__half'`)
    expect(isCheap(count('code'), [1], large)).toBe(true)
    expect(isCheap(count('half'), [1], large)).toBe(false)
  })
})

describe('a statement over a whole table', () => {
  // A table of its own, without statistics.
  let plain: ObjectTables
  beforeAll(() => {
    const fields = {
      code: { type: 'number', scale: 0, index: true },
      free: { type: 'number' },
      half: { type: 'boolean', index: true },
    }
    plain = openObjectTables([{ name: 'thing', fields }])
    plain.db.transaction(() => {
      for (let i = 0; i < 2_000; i++) plain.insert('thing', { id: numberedId(i), code: i % 100, free: (i * 7) % 1_000 })
    })()
  })
  afterAll(() => plain.close())

  const explained = (sql: string, parameters: readonly unknown[]): string[] =>
    plain.explain(statement(sql, parameters)).filter((line) => line.includes(' t0'))
  const improved = (sql: string, parameters: readonly unknown[]): string =>
    explain(plain, statement(sql, parameters)).sql

  it('reads the table as it lies when an index would only be a detour', () => {
    for (const [sql, parameters] of [
      [`SELECT t0."id", t0."free" ${live} ORDER BY t0."free", t0."id" LIMIT ?`, [20]],
      [`SELECT count(*) AS "total" ${live} AND t0."free" >= ?`, [5]],
      [`SELECT g.* FROM (SELECT t0."free" AS "c0", sum(t0."free") AS "c1" ${live} GROUP BY 1) AS g LIMIT ?`, [20]],
      [`SELECT * FROM (SELECT DISTINCT t0."free" ${live}) AS d ORDER BY d."free" LIMIT ?`, [20]],
    ] as const) {
      // What SQLite would do by itself.
      expect(explained(sql, parameters), sql).toEqual([expect.stringMatching(/^SCAN t0 USING INDEX i_thing__/)])
      expect(explained(improved(sql, parameters), parameters), sql).toEqual(['SCAN t0'])
      const run = (text: string) => plain.all(statement(text, parameters))
      expect(run(improved(sql, parameters))).toEqual(run(sql))
    }
  })

  it('keeps an index that searches, orders, groups or covers', () => {
    for (const [sql, parameters] of [
      [`SELECT * ${live} AND t0."code" = ? ORDER BY t0."free" LIMIT ?`, [1, 20]],
      [`SELECT * ${live} ORDER BY t0."id" LIMIT ?`, [20]],
      [`SELECT * ${live} ORDER BY t0."code", t0."id" LIMIT ?`, [20]],
      [`SELECT g.* FROM (SELECT t0."code" AS "c0", count(*) AS "c1" ${live} GROUP BY 1) AS g LIMIT ?`, [20]],
      [`SELECT count(*) AS "total" ${live}`, []],
    ] as const) {
      expect(improved(sql, parameters)).toBe(sql)
    }
  })

  it('keeps an index that leaves many deleted records out', () => {
    const sql = `SELECT t0."id", t0."free" ${live} ORDER BY t0."free", t0."id" LIMIT ?`
    expect(improved(sql, [20])).not.toBe(sql)
    plain.db.transaction(() => {
      for (let i = 0; i < 10_000; i++) {
        plain.insert('thing', { id: numberedId(10_000 + i), free: i, deleted_at: '2026-01-01T00:00:00.000Z' })
      }
    })()
    expect(improved(sql, [20])).toBe(sql)
  })
})

describe('the weight of a filter', () => {
  const sql = `SELECT * ${live} AND t0."half" = ? ORDER BY t0."id" LIMIT ?`
  const cheapUpTo = (weight: CostHints['weight']): number =>
    [60_000, 50_000, 10_000, 1_000].find((rows) =>
      isCheap(sql, [1, 20], { rowsOf: () => rows, weight, readsAll: true }),
    )!

  it('lowers the number of rows that may be read here', () => {
    const light = { relational: false, matching: false, bulky: false }
    expect(cheapUpTo(light)).toBe(50_000)
    expect(cheapUpTo({ ...light, matching: true })).toBe(10_000)
    expect(cheapUpTo({ ...light, relational: true })).toBe(10_000)
    expect(cheapUpTo({ ...light, matching: true, bulky: true })).toBe(1_000)
  })
})
