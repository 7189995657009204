import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { Reads } from '#main/kernel/database.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { createCostModel } from './cost.ts'
import type { CostHints } from './cost.ts'

let tables: ObjectTables
let explained: number
let read: Pick<Reads, 'all'>
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
  read = {
    all: (asked) => {
      if (asked.sql.startsWith('EXPLAIN')) explained++
      return tables.all(asked)
    },
  }
})
afterAll(() => tables.close())

const live = 'FROM "o_thing" AS t0 WHERE t0."deleted_at" IS NULL'
const small: CostHints = { rowsOf: () => 4_000 }
const large: CostHints = { rowsOf: () => 1_000_000 }

function isCheap(sql: string, parameters: readonly unknown[], hints: CostHints): boolean {
  explained = 0
  return createCostModel().isCheap(read, statement(sql, parameters), hints)
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

  it('asks for the plan once per statement text until it is cleared', () => {
    const cost = createCostModel()
    const ask = (id: string) =>
      cost.isCheap(read, statement('SELECT * FROM "o_thing" AS t0 WHERE t0."id" = ?', [id]), large)
    explained = 0
    ask('a')
    ask('b')
    expect(explained).toBe(1)
    cost.clear()
    ask('c')
    expect(explained).toBe(2)
  })
})
