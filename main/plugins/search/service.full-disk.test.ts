// An index that meets a full disk while it is built. Over a real database file.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { compileObject } from '#shared/object-schema.ts'
import { createTableSql } from '#main/database/schema/table-ddl.ts'
import { statement } from '#main/kernel/database.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { searchMigrations } from './migrations/index.ts'
import type { SearchCore } from './service.ts'
import { createSearchService } from './service.ts'

const task = compileObject({ name: 'task', uid: '0'.repeat(32), fields: { title: { type: 'text' } } })
let test: TestDatabase
let search: SearchCore

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  const { database, log } = test
  search = createSearchService({ read: database.read, write: database.write, log, objects: () => [task] })
})

afterEach(async () => {
  vi.useRealTimers()
  await search.stop()
  await test.close()
})

function found(): number {
  const { sql, parameters } = search.condition(task, 'bulk', undefined, 'o_task')
  return test.database.read.all(statement(`SELECT id FROM o_task WHERE ${sql}`, parameters)).length
}

it('is finished once there is room again', async () => {
  const filled = test.database.write('fill', (tx) => {
    for (const sql of createTableSql(task)) tx.ddl(sql)
    const { column } = task.byName.get('title')!
    tx.run(
      statement(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO o_task (id, created_at, updated_at, "${column}")
        SELECT printf('r%05d', i), '', '', 'bulk ' || hex(randomblob(40)) FROM n`),
    )
    search.ensure(tx, task, null)
  })
  const full = test.database.write('full', (tx) => {
    const [row] = tx.all<{ page_count: number }>(statement('PRAGMA page_count'))
    tx.all(statement(`PRAGMA max_page_count = ${row!.page_count}`))
  })
  // The second may share the transaction of what finds no room.
  await Promise.allSettled([filled, full])
  await search.settled()
  expect(found).toThrow('The service is temporarily unavailable.')
  await test.database.write('free', (tx) => void tx.all(statement('PRAGMA max_page_count = 1000000')))
  vi.advanceTimersByTime(5_000)
  await search.settled()
  expect(found()).toBe(3000)
})
