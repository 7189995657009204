// How posts wait while nothing may leave.
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { notificationMigrations } from '../migrations/index.ts'
import { createDeliveries } from './deliveries.ts'

it('are looked for ever more seldom while nothing may leave', async () => {
  const { database, clock, log, close } = await openTestDatabase([
    { id: 'notifications', migrations: notificationMigrations },
  ])
  let looks = 0
  const never = (): never => {
    throw new Error('Nothing may leave.')
  }
  const deliveries = createDeliveries({
    ...{ read: database.read, write: database.write, clock, log, outbound: { send: never } },
    ...{ readings: { forUser: never }, messageOf: never },
    isReady: () => {
      looks += 1
      return false
    },
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await deliveries.stop()
  await close()
  expect(looks).toBeLessThanOrEqual(4)
})
