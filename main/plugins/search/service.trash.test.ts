// Records in the trash leave searches at once and the index later; purged ones leave both. Over a real database file.
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { createTableSql } from '#main/database/schema/table-ddl.ts'
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { TestDatabase } from '../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { searchMigrations } from './migrations/index.ts'
import type { SearchCore } from './service.ts'
import { createSearchService } from './service.ts'

const task = compileObject({ name: 'task', uid: '0'.repeat(32), fields: { title: { type: 'text' } } })
const { column } = task.byName.get('title')!
const now = '2026-01-31T08:15:30.123Z'
let test: TestDatabase
let search: SearchCore

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  const { database, log } = test
  search = createSearchService({ read: database.read, write: database.write, log, objects: () => [task] })
  await database.write('make', (tx) => {
    for (const sql of createTableSql(task)) tx.ddl(sql)
    search.ensure(tx, task, null)
  })
  await search.start()
})

afterEach(async () => {
  await search.stop()
  await test.close()
})

type Row = Record<string, SqlValue>

const stored = (id: string): Row =>
  test.database.read.get<Row>(statement('SELECT rowid AS rowid, * FROM o_task WHERE id = ?', [id]))!

const addAll = (texts: Readonly<Record<string, string>>): Promise<void> =>
  test.database.write('add', (tx) => {
    for (const [id, text] of Object.entries(texts)) {
      const sql = `INSERT INTO o_task (id, created_at, updated_at, "${column}") VALUES (?, ?, ?, ?)`
      tx.run(statement(sql, [id, now, now, text]))
      search.add(tx, task, { id, [column]: text })
    }
  })

const trash = (...ids: readonly string[]): Promise<void> =>
  test.database.write('trash', (tx) => {
    for (const id of ids) {
      search.hide(tx, task, stored(id))
      tx.run(statement('UPDATE o_task SET deleted_at = ? WHERE id = ?', [now, id]))
    }
  })

const restore = (id: string): Promise<void> =>
  test.database.write('restore', (tx) => {
    tx.run(statement('UPDATE o_task SET deleted_at = NULL WHERE id = ?', [id]))
    search.show(tx, task, { ...stored(id), deleted_at: null })
  })

function purgeIn(tx: Tx, id: string): boolean {
  const isLeft = search.remove(tx, task, stored(id))
  tx.run(statement('DELETE FROM o_task WHERE id = ?', [id]))
  return isLeft
}

const purge = (id: string): Promise<boolean> => test.database.write('purge', (tx) => purgeIn(tx, id))

function find(text: string): string[] {
  const { sql, parameters } = search.condition(task, text, undefined, 'o_task')
  return test.database.read
    .all(statement<{ id: string }>(`SELECT id FROM o_task WHERE ${sql} ORDER BY id`, parameters))
    .map(({ id }) => id)
}

/** Whether any table of the index holds a word. FTS5 cuts off what neighbouring words have in common. */
function holds(word: string): boolean {
  const { read } = test.database
  const blocks = read.all(statement<{ block: Buffer }>(`SELECT block FROM "search_${task.uid}_data"`))
  const stale = read.all(statement<{ texts: string }>(`SELECT texts FROM "search_${task.uid}_stale"`))
  return blocks.some(({ block }) => block.includes(word)) || stale.some(({ texts }) => texts.includes(word))
}

it('a record in the trash is found by no search, and its words leave the index in the background', async () => {
  await addAll({ a: 'common quixcanary', b: 'common other' })
  await trash('a')
  expect({ found: find('common'), excluded: find('-other'), holds: holds('quixcanary') }).toEqual({
    found: ['b'],
    excluded: ['a'],
    holds: true,
  })
  await search.settled()
  expect({ found: find('common'), holds: holds('quixcanary') }).toEqual({ found: ['b'], holds: false })
})

it('a record that comes back is found again, any number of times, cleaned meanwhile or not', async () => {
  await addAll({ a: 'common', b: 'common' })
  for (let turn = 0; turn < 70; turn += 1) {
    await trash('a')
    expect(find('common')).toEqual(['b'])
    if (turn % 20 === 19) await search.settled()
    await restore('a')
    expect(find('common')).toEqual(['a', 'b'])
  }
  await search.settled()
  expect(find('common')).toEqual(['a', 'b'])
})

it('no word of a record that is purged from the trash is in the index at COMMIT', async () => {
  await addAll({ a: 'common quixcanary', b: 'common other' })
  await trash('a')
  expect({ isLeft: await purge('a'), holds: holds('quixcanary'), found: find('common') }).toEqual({
    isLeft: false,
    holds: false,
    found: ['b'],
  })
})

it('a record that is purged while its words are struck says so, and clearing ends with none of them left', async () => {
  const ids = Array.from({ length: 1_200 }, (_, at) => `r${String(at).padStart(4, '0')}`)
  await addAll(Object.fromEntries(ids.map((id) => [id, `common ${id}quixcanary`])))
  await addAll({ last: 'common lastcanary' })
  await trash(...ids, 'last')
  const cleaning = search.clearStale(task)
  const struck = statement<{ n: number }>(`SELECT count(*) AS n FROM "search_${task.uid}_stale" WHERE texts = ''`)
  let isLeft: boolean | undefined
  for (let tries = 0; tries < 200 && isLeft === undefined; tries += 1) {
    isLeft = await test.database.write('purge', (tx) => (tx.get(struck)!.n > 1_200 ? purgeIn(tx, 'last') : undefined))
  }
  expect(isLeft).toBe(true)
  await addAll({ again: 'common again' })
  expect(find('common')).toEqual(['again'])
  await search.clearStale(task)
  expect({ holds: holds('lastcanary'), found: find('common') }).toEqual({ holds: false, found: ['again'] })
  await cleaning
})
