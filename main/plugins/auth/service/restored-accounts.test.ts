// Every table of accounts is one of those that are as before a restore, or is left out for a reason.
import { expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { authMigrations } from '../migrations/index.ts'
import { copiedTables } from './restored-accounts-store.ts'

it('copies every table of accounts but what tells how records are kept', async () => {
  const test = await openTestDatabase([{ id: 'auth', migrations: authMigrations }])
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'auth\\_%' ESCAPE '\\'`
  const names = test.database.read.all(statement<{ name: string }>(sql)).map(({ name }) => name)
  await test.close()
  expect(names.filter((name) => !copiedTables.includes(name))).toEqual(['auth_organization_switch'])
  expect(copiedTables.filter((name) => !names.includes(name))).toEqual([])
})
