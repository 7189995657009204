// Every table of accounts is one of those that are as before a restore, or is left out for a reason.
import { expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { kernelMigrations } from '#main/kernel/kernel-migrations.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { authMigrations } from '../migrations/index.ts'
import { insertUser } from '../store.ts'
import { copiedTables, putAccountRows, readAccountRows } from './restored-accounts-store.ts'

it('copies every table of accounts but what tells how records are kept', async () => {
  const test = await openTestDatabase([{ id: 'auth', migrations: authMigrations }])
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'auth\\_%' ESCAPE '\\'`
  const names = test.database.read.all(statement<{ name: string }>(sql)).map(({ name }) => name)
  await test.close()
  expect(names.filter((name) => !copiedTables.includes(name))).toEqual(['auth_organization_switch'])
  expect(copiedTables.filter((name) => !names.includes(name))).toEqual([])
})

it('takes accounts of a state that noted no maker for ones an administrator made', async () => {
  const test = await openTestDatabase([
    { id: 'kernel', migrations: kernelMigrations },
    { id: 'auth', migrations: authMigrations },
  ])
  const { read, write } = test.database
  const user = { id: 'ann', name: 'Ann', email: 'ann@example.org', username: 'ann', image: null, role: 'user' }
  await write('test', (tx) => insertUser(tx, user, '2026-01-01T00:00:00.000Z'))
  const rows = new Map(readAccountRows(read))
  rows.set(
    'auth_user',
    rows.get('auth_user')!.map(({ selfMade: _, ...row }) => row),
  )
  await write('test', (tx) => {
    tx.run(statement('DELETE FROM auth_user'))
    putAccountRows(tx, rows, 'owner', 'gone')
  })
  const sql = 'SELECT id, selfMade FROM auth_user'
  expect(read.all(statement<{ id: string; selfMade: number }>(sql))).toEqual([{ id: 'ann', selfMade: 0 }])
  await test.close()
})
