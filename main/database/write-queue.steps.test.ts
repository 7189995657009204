// Long jobs: one transaction, between whose steps the event loop is free. How often it is free is counted, not timed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { platformError } from '#shared/errors.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import { createEventBus } from '#main/kernel/events.ts'
import type { EventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createDatabase } from './create-database.ts'
import type { HostDatabase } from './create-database.ts'

const ctx = internalContext('test')
/** Longer than a job may hold the event loop, so that it is given free after each step. */
const stepMs = 9
let dir: string
let database: HostDatabase
let bus: EventBus

const insert = (tx: Tx, id: number): void => {
  tx.run(statement('INSERT INTO item (id) VALUES (?)', [id]))
}
const ids = (): number[] =>
  database.read.all<{ id: number }>(statement('SELECT id FROM item ORDER BY id')).map((row) => row.id)

const work = (): void => {
  for (const until = performance.now() + stepMs; performance.now() < until;);
}

/** Inserts rows, each in a step that takes long. */
function* inserting(tx: Tx, from: number, to: number): Steps<string> {
  for (let id = from; id < to; id += 1) {
    work()
    insert(tx, id)
    tx.emit(ctx, { type: 'test.inserted', payload: { id } })
    yield
  }
  return 'done'
}

/** What is looked at once in each turn of the event loop until a promise is settled. */
const inTurnsOf = async <T>(promise: Promise<unknown>, look: () => T): Promise<T[]> => {
  const seen: T[] = []
  let isOver = false
  void promise.catch(() => undefined).finally(() => (isOver = true))
  for (;;) {
    await nextTurn()
    if (isOver) return seen
    seen.push(look())
  }
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-steps-'))
  const clock = createManualClock(1_700_000_000_000)
  const log = createLogger({ destination: { write: () => undefined } })
  bus = createEventBus({ clock, log })
  database = await createDatabase({ file: join(dir, 'cairn.db'), bus, clock, log, ports: { spawn: forkSpawner } })
  await database.write('schema', (tx) => tx.ddl('CREATE TABLE item (id INTEGER PRIMARY KEY)'))
})

afterEach(async () => {
  await database.close()
  rmSync(dir, { recursive: true })
})

describe('a long job', () => {
  it('leaves the event loop free after each long step, and is seen as a whole', async () => {
    const before = database.groups()
    const job = database.writeStepwise('long', (tx) => inserting(tx, 0, 20))
    const seen = await inTurnsOf(job, () => ids().length)
    expect(seen.length).toBeGreaterThanOrEqual(20)
    expect(new Set(seen).difference(new Set([0, 20])).size).toBe(0)
    expect(await job).toBe('done')
    expect(database.groups() - before).toBe(1)
  })

  it('leaves nothing when it fails midway, and the next job is written', async () => {
    const told: unknown[] = []
    bus.onCommitted('*', (event) => void told.push(event.payload))
    const failing = database.writeStepwise('failing', function* (tx) {
      yield* inserting(tx, 0, 5)
      throw platformError('conflict', { reason: 'test' })
    })
    const next = database.write('next', (tx) => insert(tx, 100))
    await expect(failing).rejects.toMatchObject({ code: 'conflict' })
    await next
    expect(ids()).toEqual([100])
    expect(told).toEqual([])
  })

  it('keeps other jobs and loans waiting until all of it is told', async () => {
    const order: string[] = []
    bus.onCommitted('test.inserted', ({ payload }) => void order.push(String((payload as { id: number }).id)))
    const long = database.writeStepwise('long', (tx) => inserting(tx, 0, 3)).then(() => order.push('long'))
    const small = database.write('small', (tx) => {
      insert(tx, 7)
      tx.emit(ctx, { type: 'test.inserted', payload: { id: 7 } })
    })
    const lent = database.longDdl.run(['CREATE TABLE other (id)']).then(() => order.push('lent'))
    await Promise.all([long, small, lent])
    expect(order.filter((one) => one !== 'lent')).toEqual(['0', '1', '2', 'long', '7'])
    expect(order.indexOf('lent')).toBeGreaterThan(order.indexOf('2'))
  })

  it('begins anew behind others of its group, which are not kept waiting', async () => {
    const order: string[] = []
    let begun = 0
    const first = database.write('first', (tx) => insert(tx, 1)).then(() => order.push('first'))
    const long = database
      .writeStepwise('long', (tx) => {
        begun += 1
        return inserting(tx, 10, 13)
      })
      .then(() => order.push('long'))
    const last = database.write('last', (tx) => insert(tx, 2)).then(() => order.push('last'))
    await Promise.all([first, long, last])
    expect(order).toEqual(['first', 'long', 'last'])
    // Once where the group had ended before it, on a busy machine.
    expect([1, 2]).toContain(begun)
    expect(ids()).toEqual([1, 2, 10, 11, 12])
  })

  it('undoes a savepoint around steps with all that was gathered in it', async () => {
    const flushed: number[] = []
    const flush = function* (items: readonly number[]): Steps<void> {
      for (const item of items) {
        flushed.push(item)
        work()
        yield
      }
    }
    await database.writeStepwise('job', function* (tx) {
      tx.gather(flush, 1)
      try {
        yield* tx.savepointSteps(function* () {
          yield* inserting(tx, 0, 3)
          tx.gather(flush, 2)
          throw platformError('conflict', { reason: 'test' })
        })
      } catch {
        tx.gather(flush, 3)
      }
      insert(tx, 50)
    })
    expect(ids()).toEqual([50])
    expect(flushed).toEqual([1, 3])
  })

  it('tells many events slice by slice', async () => {
    const told: number[] = []
    bus.onCommitted('test.inserted', ({ payload }) => {
      told.push((payload as { id: number }).id)
      if (told.length % 100 === 0) work()
    })
    const job = database.writeStepwise('long', function* (tx) {
      yield* inserting(tx, 0, 1)
      for (let id = 1; id < 1_000; id += 1) tx.emit(ctx, { type: 'test.inserted', payload: { id } })
    })
    const seen = await inTurnsOf(job, () => told.length)
    expect(new Set(seen).size).toBeGreaterThanOrEqual(9)
    expect(told).toEqual(Array.from({ length: 1_000 }, (_, id) => id))
  })

  it('is done before the database closes', async () => {
    const job = database.writeStepwise('long', (tx) => inserting(tx, 0, 3))
    await nextTurn()
    await database.close()
    await expect(job).resolves.toBe('done')
  })
})
