// How the sender waits while nothing may leave.
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { mailMigrations } from '../migrations/index.ts'
import { createSender } from './sender.ts'
import { createTransport } from './transport.ts'

it('looks ever more seldom while nothing may leave', async () => {
  const { database, clock, log, close } = await openTestDatabase([{ id: 'mail', migrations: mailMigrations }])
  let looks = 0
  const isReady = (): boolean => {
    looks += 1
    return false
  }
  const transport = createTransport({ host: '127.0.0.1', port: 1, secure: false, from: 'a@example.org' })
  const sender = createSender({
    ...{ transport, read: database.read, write: database.write, clock, log, isReady, wordsOf: () => null },
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await sender.stop()
  await close()
  expect(looks).toBeLessThanOrEqual(4)
})
