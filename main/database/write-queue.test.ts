// The write queue over a real file: grouping, isolation of failures, order of answers and events.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformError, platformError } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { Tx } from '#main/kernel/database.ts'
import { createEventBus } from '#main/kernel/events.ts'
import type { EventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createDatabase } from './create-database.ts'
import type { HostDatabase } from './create-database.ts'

const ctx = internalContext('test')
let dir: string
let database: HostDatabase
let bus: EventBus

const insert = (tx: Tx, id: number, name = `n${id}`): void => {
  tx.run(statement('INSERT INTO item (id, name) VALUES (?, ?)', [id, name]))
}
const ids = (): number[] =>
  database.read.all<{ id: number }>(statement('SELECT id FROM item ORDER BY id')).map((row) => row.id)

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-queue-'))
  const clock = createManualClock(1_700_000_000_000)
  const log = createLogger()
  bus = createEventBus({ clock, log })
  database = await createDatabase({ file: join(dir, 'cairn.db'), bus, clock, log, ports: { spawn: forkSpawner } })
  await database.write('schema', (tx) => tx.ddl('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE)'))
})

afterEach(async () => {
  await database.close()
  rmSync(dir, { recursive: true })
})

describe('write queue', () => {
  it('commits the writes of one turn in one transaction', async () => {
    const before = database.groups()
    await Promise.all(Array.from({ length: 50 }, (_, index) => database.write('insert', (tx) => insert(tx, index + 1))))
    expect(database.groups() - before).toBe(1)
    expect(ids()).toHaveLength(50)
  })

  it('splits more than 256 waiting writes into several groups without losing any', async () => {
    const before = database.groups()
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => database.write('insert', (tx) => insert(tx, index + 1))),
    )
    expect(database.groups() - before).toBeGreaterThanOrEqual(3)
    expect(ids()).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
  })

  it('begins another group behind a change of a table, once all have heard of it', async () => {
    let isKnown = false
    const change = database.write('change', (tx) => {
      tx.ddl('ALTER TABLE item ADD COLUMN more TEXT')
      tx.afterCommit(() => void (isKnown = true))
    })
    const [, knew] = await Promise.all([change, database.write('insert', () => isKnown)])
    expect(knew).toBe(true)
  })

  it('rolls back only the write that throws', async () => {
    const results = await Promise.allSettled([
      database.write('one', (tx) => insert(tx, 1)),
      database.write('two', (tx) => {
        insert(tx, 2)
        throw platformError('validation_error')
      }),
      database.write('three', (tx) => insert(tx, 3)),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(ids()).toEqual([1, 3])
  })

  it('rolls back a lone write that throws and goes on', async () => {
    await expect(
      database.write('lone', (tx) => {
        insert(tx, 1)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await database.write('next', (tx) => insert(tx, 2))
    expect(ids()).toEqual([2])
    expect(database.health()).toBe('ok')
  })

  it('resolves with the result of the closure, in the order of the calls', async () => {
    const order: number[] = []
    await Promise.all(
      [1, 2, 3].map(async (id) => {
        order.push(
          await database.write('insert', (tx) => {
            insert(tx, id)
            return id
          }),
        )
      }),
    )
    expect(order).toEqual([1, 2, 3])
  })

  it("answers a broken unique index with conflict and keeps the engine's words for the log", async () => {
    await database.write('first', (tx) => insert(tx, 1, 'same'))
    const error: unknown = await database
      .write('second', (tx) => insert(tx, 2, 'same'))
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(PlatformError)
    expect(error).toMatchObject({ code: 'conflict', httpStatus: 409, details: {} })
    expect((error as PlatformError).cause).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  })

  it('shows a write to the reader only after it is acknowledged', async () => {
    const seen: number[][] = []
    await database.write('insert', (tx) => {
      insert(tx, 1)
      seen.push(ids())
      tx.afterCommit(() => seen.push(ids()))
    })
    expect(seen).toEqual([[], [1]])
  })

  it('releases events after COMMIT in the order of their ids, also when a listener raises one', async () => {
    const seen: PlatformEvent[] = []
    bus.on('outer', (_event, tx) => tx.emit(ctx, { type: 'inner', payload: null }), 1)
    bus.onCommitted('*', (event) => seen.push(event))
    const [first] = await Promise.all([
      database.write('one', (tx) => {
        insert(tx, 1)
        tx.emit(ctx, { type: 'outer', payload: null })
        return seen.length
      }),
      database.write('two', (tx) => tx.emit(ctx, { type: 'last', payload: null })),
    ])
    expect(first).toBe(0)
    expect(seen.map((event) => event.type)).toEqual(['outer', 'inner', 'last'])
    expect(seen.map((event) => event.eventId)).toEqual(seen.map((event) => event.eventId).toSorted((a, b) => a - b))
  })

  it('releases no event and runs no callback of a write that was rolled back', async () => {
    const seen: string[] = []
    bus.onCommitted('*', (event) => seen.push(event.type))
    const failing = database.write('veto', (tx) => {
      tx.afterCommit(() => seen.push('callback'))
      tx.emit(ctx, { type: 'gone', payload: null })
      throw new Error('veto')
    })
    const other = database.write('other', (tx) => tx.emit(ctx, { type: 'kept', payload: null }))
    await expect(failing).rejects.toThrow('veto')
    await other
    expect(seen).toEqual(['kept'])
  })

  it('undoes rows, events and callbacks of a savepoint that throws and keeps the rest of the write', async () => {
    const seen: string[] = []
    bus.onCommitted('*', (event) => seen.push(event.type))
    await database.write('outer', (tx) => {
      insert(tx, 1)
      tx.emit(ctx, { type: 'kept', payload: null })
      expect(() =>
        tx.savepoint(() => {
          insert(tx, 2)
          tx.emit(ctx, { type: 'undone', payload: null })
          tx.afterCommit(() => seen.push('callback'))
          throw new Error('inner')
        }),
      ).toThrow('inner')
      expect(tx.savepoint(() => 7)).toBe(7)
      insert(tx, 3)
    })
    expect(ids()).toEqual([1, 3])
    expect(seen).toEqual(['kept'])
  })

  it('refuses a closure that returns a promise and rolls its rows back', async () => {
    const closure = ((tx: Tx) => {
      insert(tx, 1)
      return Promise.resolve(1)
    }) as unknown as (tx: Tx) => number
    await expect(database.write('promise', closure)).rejects.toThrow('synchronous')
    expect(ids()).toEqual([])
  })

  it('refuses a transaction that is used after its write has ended', async () => {
    let kept: Tx | undefined
    await database.write('leak', (tx) => {
      kept = tx
    })
    expect(() => insert(kept!, 1)).toThrow('has ended')
  })

  it('raises the schema epoch with DDL and reads new columns at once', async () => {
    const query = statement<Record<string, unknown>>('SELECT * FROM item')
    await database.write('insert', (tx) => insert(tx, 1))
    expect(Object.keys(database.read.get(query)!)).toEqual(['id', 'name'])
    const epoch = database.schemaEpoch()
    await database.write('column', (tx) => tx.ddl('ALTER TABLE item ADD COLUMN extra TEXT'))
    expect(database.schemaEpoch()).toBe(epoch + 1)
    expect(Object.keys(database.read.get(query)!)).toEqual(['id', 'name', 'extra'])
  })

  it('settles what was queued before close and refuses what comes after it', async () => {
    const queued = database.write('queued', (tx) => insert(tx, 1))
    const closing = database.close()
    const late = database.write('late', (tx) => insert(tx, 2))
    const [first, second] = await Promise.allSettled([queued, late])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { code: 'service_unavailable', details: { retryAfterSeconds: 1 } },
    })
    await closing
  })

  it('commits a lone write in the next turn of the event loop, without a timer, and answers it later', async () => {
    for (let id = 1; id <= 20; id += 1) {
      let settled = false
      const write = database.write('insert', (tx) => insert(tx, id)).then(() => (settled = true))
      await new Promise((resolve) => setImmediate(resolve))
      expect({ last: ids().at(-1), settled }).toEqual({ last: id, settled: false })
      await write
    }
  })

  it('answers in the order of the calls while syncs are under way', async () => {
    const order: number[] = []
    const writes: Promise<unknown>[] = []
    for (let id = 1; id <= 30; id += 1) {
      writes.push(database.write('insert', (tx) => insert(tx, id)).then(() => order.push(id)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(writes)
    expect(order).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  })
})
