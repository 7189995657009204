// Rows that take the number of removed ones, whose documents leave the index later. Over a real database file.
import { expect, it } from 'vitest'
import { compileObject } from '#shared/object-schema.ts'
import { createTableSql } from '#main/database/schema/table-ddl.ts'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { searchMigrations } from './migrations/index.ts'
import { createSearchService } from './service.ts'

const task = compileObject({ name: 'task', uid: '0'.repeat(32), fields: { title: { type: 'text' } } })
const { column } = task.byName.get('title')!
const now = '2026-01-31T08:15:30.123Z'

it('are found, also where that was removed in the transaction in which the cleaning ended', async () => {
  const { database, log, close } = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  const { read, write } = database
  const search = createSearchService({ read, write, log, objects: () => [task] })
  const add = (id: string): Promise<void> =>
    write('add', (tx) => {
      const sql = `INSERT INTO o_task (id, created_at, updated_at, "${column}") VALUES (?, ?, ?, 'common')`
      tx.run(statement(sql, [id, now, now]))
      search.add(tx, task, { id, [column]: 'common' })
    })
  const purge = (id: string, later: boolean): Promise<void> =>
    write('purge', (tx) => {
      search.remove(tx, task, { id, [column]: 'common' }, later)
      tx.run(statement('DELETE FROM o_task WHERE id = ?', [id]))
    })
  const find = (): string[] => {
    const { sql, parameters } = search.condition(task, 'common', undefined, 'o_task')
    return read
      .all(statement<{ id: string }>(`SELECT id FROM o_task WHERE ${sql} ORDER BY id`, parameters))
      .map(({ id }) => id)
  }
  try {
    await write('make', (tx) => {
      for (const sql of createTableSql(task)) tx.ddl(sql)
      search.ensure(tx, task, null)
    })
    await search.start()
    await add('first')
    // Written a little later each time, so that it shares a transaction with each step of the cleaning.
    for (let hops = 0; hops < 20; hops += 1) {
      await add('left')
      await add('right')
      await purge('left', true)
      const cleaning = search.clearStale(task)
      await write('other', () => undefined)
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve()
      await purge('right', true)
      await add('again left')
      await add('again right')
      expect(find()).toEqual(['again left', 'again right', 'first'])
      await cleaning
      await search.settled()
      expect(find()).toEqual(['again left', 'again right', 'first'])
      await purge('again right', false)
      await purge('again left', false)
    }
  } finally {
    await search.stop()
    await close()
  }
})
