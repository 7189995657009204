// The planner's statistics on a real file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../test/support/open-test-database.ts'
import type { TestDatabase } from '../../test/support/open-test-database.ts'
import { keepStatistics } from './statistics.ts'
import type { StatisticsKeeper } from './statistics.ts'

let test: TestDatabase
let keeper: StatisticsKeeper

const fill = (rows: number) =>
  test.database.write('fill', (tx) =>
    tx.run(
      statement(
        `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT ?)
         INSERT INTO t (status, due) SELECT i % 3, i FROM r`,
        [rows],
      ),
    ),
  )
const analysed = (): unknown[] =>
  test.database.read.get(statement("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'")) === undefined
    ? []
    : test.database.read.all(statement("SELECT stat FROM sqlite_stat1 WHERE tbl = 't'"))

beforeEach(async () => {
  test = await openTestDatabase([])
  await test.database.write('schema', (tx) =>
    tx.ddl('CREATE TABLE t (id INTEGER PRIMARY KEY, status INTEGER, due INTEGER); CREATE INDEX i ON t (status, due)'),
  )
  keeper = keepStatistics({ write: test.database.write, groups: test.database.groups, log: test.log })
})

afterEach(async () => {
  keeper.stop()
  await test.close()
})

describe('statistics', () => {
  it('are made for a table that has rows and an index but was never analysed', async () => {
    expect(analysed()).toEqual([])
    await fill(3000)
    const epoch = test.database.schemaEpoch()
    await keeper.refresh()
    expect(analysed()).toHaveLength(1)
    expect(test.database.schemaEpoch()).toBeGreaterThan(epoch)
  })

  it('are left alone, and with them every plan, when nothing has changed much', async () => {
    await fill(3000)
    await keeper.refresh()
    const epoch = test.database.schemaEpoch()
    await fill(10)
    await keeper.refresh()
    expect(test.database.schemaEpoch()).toBe(epoch)
  })

  it('are made anew when the table has grown more than tenfold', async () => {
    await fill(100)
    await keeper.refresh()
    const before = analysed()
    await fill(5000)
    await keeper.refresh()
    expect(analysed()).not.toEqual(before)
  })

  it('reach the reading connection, also when they are renewed', async () => {
    const { read, write } = test.database
    const usesDue = () => {
      read.get(statement('SELECT 1 FROM t LIMIT 1'))
      const plan = statement<{ detail: string }>('EXPLAIN QUERY PLAN SELECT * FROM t WHERE status = 1 AND due = 7')
      return read.all(plan)[0]!.detail.includes('by_due')
    }
    await write('index', (tx) =>
      tx.ddl('DROP INDEX i; CREATE INDEX by_status ON t (status, id); CREATE INDEX by_due ON t (due, id)'),
    )
    // At first the status tells rows apart and the day is the same everywhere; later it is the other way round.
    await write('rows', (tx) => {
      for (let n = 0; n < 300; n++) tx.run(statement('INSERT INTO t (status, due) VALUES (?, 7)', [n]))
    })
    await keeper.refresh()
    expect(usesDue()).toBe(false)
    await write('rows', (tx) => {
      tx.run(statement('DELETE FROM t'))
      for (let n = 0; n < 9_000; n++) tx.run(statement('INSERT INTO t (status, due) VALUES (1, ?)', [n]))
    })
    await keeper.refresh()
    expect(usesDue()).toBe(true)
  })

  it('hold no values of records, which would outlive them', async () => {
    await fill(3000)
    await keeper.refresh()
    const { read } = test.database
    const samples = read.get(statement("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'"))
    expect(samples === undefined ? [] : read.all(statement('SELECT * FROM sqlite_stat4'))).toEqual([])
  })
})
