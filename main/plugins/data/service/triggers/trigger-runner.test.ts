// What becomes of an event whose trigger cannot be run.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { platformError } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import { localOwner } from '#main/kernel/context.ts'
import { openTestDatabase } from '../../../../../test/support/open-test-database.ts'
import type { TestDatabase } from '../../../../../test/support/open-test-database.ts'
import { dataMigrations } from '../../migrations/index.ts'
import { createTriggerRunner } from './trigger-runner.ts'
import { readRuns } from './trigger-store.ts'

let test: TestDatabase
beforeEach(async () => void (test = await openTestDatabase([{ id: 'data', migrations: dataMigrations }])))
afterEach(() => test.close())

it('is tried again for a while where that may help, and fails in place of holding up all that come behind it', async () => {
  const { database, clock, log } = test
  const actions = [{ type: 'update_record', config: {} }]
  const { consumer } = createTriggerRunner({
    read: database.read,
    write: database.write,
    clock,
    log,
    triggers: () => [{ name: 'stuck', priority: 100, condition: null, actions }],
    run: () => Promise.reject(platformError('timeout')),
    timeZone: () => 'UTC',
    exists: () => true,
    organizationOf: () => null,
  })
  const event: PlatformEvent = {
    ...{ eventId: 1, type: 'record.created', object: 'deal', recordId: 'r', payload: { record: { id: 'r' } } },
    ...{ actor: localOwner, source: 'API', requestId: 'q', timestamp: clock.iso(), depth: 0 },
  }
  for (let tries = 1; tries < 10; tries += 1)
    await expect(consumer.handle(event, [])).rejects.toMatchObject({ code: 'timeout' })
  await consumer.handle(event, [])
  expect(readRuns(database.read, 'stuck', { eventId: 2, action: 0 }, 9)).toMatchObject([
    { status: 'failed', error: expect.stringContaining('timeout') },
  ])
})
