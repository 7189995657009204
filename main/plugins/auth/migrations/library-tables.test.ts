// The tables of our migrations are those the library of accounts expects: it would add nothing to them.
import { getMigrations } from 'better-auth/db/migration'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { readAuthConfig } from '../service/auth-config.ts'
import { libraryOptions } from '../service/library-options.ts'
import { createPasswords } from '../service/password.ts'
import { createQueuedKysely } from '../service/queued-kysely.ts'
import { authMigrations } from './index.ts'

it.each([
  ['all tables', authMigrations, 0],
  ['only the first ones', authMigrations.slice(0, 1), 8],
])('with %s the library misses what it says', async (_name, migrations, missing) => {
  const test = await openTestDatabase([{ id: 'auth', migrations }])
  const { read, write } = test.database
  const db = createQueuedKysely({ read, write, onChange: () => undefined })
  const options = libraryOptions({
    config: readAuthConfig({}, undefined, test.database.file),
    passwords: createPasswords(),
    secret: 'a secret of more than thirty-two characters',
    baseUrl: 'http://127.0.0.1:1',
    basePath: '/api/v1/auth',
    trustedOrigins: [],
    uiBasePath: '/_console',
    signUpIsClosed: true,
    newId: () => test.ids.uuid(),
    now: () => test.clock.now(),
    isClient: () => false,
    inviters: { isGood: () => true, takeOn: () => Promise.resolve() },
    send: () => Promise.resolve(),
    onUser: () => Promise.resolve(),
    onLink: () => Promise.resolve(),
    log: test.log,
  })
  const left = await getMigrations({ ...options, database: { db: db as never, type: 'sqlite', transaction: false } })
  expect(left.toBeCreated.map(({ table }) => table)).toHaveLength(missing)
  expect(left.toBeAdded).toEqual([])
  await test.close()
})
