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

const eventOf = (eventId: number): PlatformEvent => ({
  ...{ eventId, type: 'record.created', object: 'deal', recordId: 'r', payload: { record: { id: 'r' } } },
  ...{ actor: localOwner, source: 'API', requestId: 'q', timestamp: test.clock.iso(), depth: 0 },
})

/** A runner of triggers whose actions all have their trigger's name as their type. */
function runnerOf(triggers: Record<string, number>, more: Partial<Parameters<typeof createTriggerRunner>[0]>) {
  const { database, clock, log } = test
  const found = Object.entries(triggers).map(([name, actions]) => ({
    ...{ name, priority: 100, condition: null },
    actions: Array.from({ length: actions }, () => ({ type: name, config: {} })),
  }))
  return createTriggerRunner({
    ...{ read: database.read, write: database.write, clock, log, triggers: () => found, timeZone: () => 'UTC' },
    ...{ run: async () => undefined, exists: () => true, organizationOf: () => null, ...more },
  }).consumer
}

const statuses = (trigger: string): string[] =>
  readRuns(test.database.read, trigger, { eventId: 99, action: 0 }, 9).map(({ status }) => status)

it('has all of its tries, however often another action was tried for the event', async () => {
  let tries = 0
  const consumer = runnerOf(
    { first: 1, second: 1 },
    {
      run: async (_ctx, type) => {
        if (type === 'second' || (tries += 1) < 10) throw platformError('timeout')
      },
    },
  )
  for (let attempt = 1; attempt < 19; attempt += 1) await expect(consumer.handle(eventOf(1), [])).rejects.toThrow()
  await consumer.handle(eventOf(1), [])
  expect([statuses('first'), statuses('second')]).toEqual([['done'], ['failed']])
})

it('is tried once for each event after it took too long at all tries for one, until it comes through', async () => {
  let isSlow = true
  const consumer = runnerOf(
    { slow: 1 },
    {
      run: async () => {
        if (isSlow) throw platformError('timeout')
      },
    },
  )
  for (let attempt = 1; attempt < 10; attempt += 1) await expect(consumer.handle(eventOf(1), [])).rejects.toThrow()
  await consumer.handle(eventOf(1), [])
  await consumer.handle(eventOf(2), [])
  isSlow = false
  await consumer.handle(eventOf(3), [])
  isSlow = true
  await expect(consumer.handle(eventOf(4), [])).rejects.toThrow()
  expect(statuses('slow')).toEqual(['done', 'failed', 'failed'])
})

it('is not begun after one before it failed, also when the process ends at once', async () => {
  const run = async (): Promise<void> => {
    began += 1
    if (began === 1) throw platformError('conflict')
  }
  let began = 0
  let writes = 0
  const { write } = test.database
  // What is stored before the end of the process is the first write.
  const cut: typeof write = (...job) =>
    (writes += 1) > 1 ? Promise.reject(platformError('service_unavailable')) : write(...job)
  await runnerOf({ two: 2 }, { run, write: cut })
    .handle(eventOf(1), [])
    .catch(() => undefined)
  await runnerOf({ two: 2 }, { run }).handle(eventOf(1), [])
  expect([began, statuses('two')]).toEqual([1, ['skipped', 'failed']])
})

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
