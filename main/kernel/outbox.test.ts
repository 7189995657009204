// The outbox over a real file: order, retries, restart, and rows that go when nobody needs them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PlatformEvent } from '#shared/events.ts'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import { createLogSync } from '#main/database/log-sync.ts'
import type { LogSync } from '#main/database/log-sync.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createManualClock } from './clock.ts'
import type { ManualClock } from './clock.ts'
import { internalContext } from './context.ts'
import { statement } from './database.ts'
import { createEventBus } from './events.ts'
import type { EventBus } from './events.ts'
import { kernelMigrations } from './kernel-migrations.ts'
import { createLogger } from './logger.ts'
import { createOutbox } from './outbox.ts'
import type { Outbox } from './outbox.ts'

const ctx = internalContext('test')
const log = createLogger()
let dir: string
let clock: ManualClock
let database: HostDatabase
let bus: EventBus
let outbox: Outbox
/** Whether the log does not reach the disk. */
let isAway = false

const open = async (): Promise<void> => {
  const file = join(dir, 'cairn.db')
  await migrateDatabase({
    file,
    plugins: [{ id: 'kernel', migrations: kernelMigrations }],
    backup: () => Promise.reject(new Error('no backup is expected')),
    clock,
    log,
  })
  bus = createEventBus({ clock, log })
  const openLog = (): LogSync => {
    const onDisk = createLogSync(file)
    return { ...onDisk, sync: () => (isAway ? Promise.reject(new Error('EIO')) : onDisk.sync()) }
  }
  database = await createDatabase({ file, bus, clock, log, ports: { spawn: forkSpawner }, openLog })
  outbox = createOutbox({ database, bus, clock, log })
}
const close = async (): Promise<void> => {
  await outbox.stop()
  await database.close()
}
const emit = (type: string, payload: unknown = null): Promise<void> =>
  database.write('emit', (tx) => tx.emit(ctx, { type, payload }))
const rows = (): number => outbox.pending()

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-outbox-'))
  clock = createManualClock(1_700_000_000_000)
  await open()
})

afterEach(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

describe('outbox', () => {
  it('writes no row for an event nobody wants', async () => {
    outbox.consume('c', { wants: (event) => event.type === 'wanted', handle: () => Promise.resolve() })
    await emit('other')
    expect(rows()).toBe(0)
    await emit('wanted')
    expect(rows()).toBe(1)
  })

  it('delivers in order, stores the cursor and drops the rows', async () => {
    const seen: unknown[] = []
    outbox.consume('c', { wants: () => true, handle: async (event) => void seen.push(event.payload) })
    await outbox.start()
    await Promise.all([1, 2, 3].map((value) => emit('e', value)))
    await vi.waitFor(() => expect(rows()).toBe(0))
    expect(seen).toEqual([1, 2, 3])
  })

  it('gives the outer event before the one its listener raised', async () => {
    const seen: PlatformEvent[] = []
    bus.on('outer', (_event, tx) => tx.emit(ctx, { type: 'inner', payload: null }), 1)
    outbox.consume('c', { wants: () => true, handle: async (event) => void seen.push(event) })
    await outbox.start()
    await emit('outer')
    await vi.waitFor(() => expect(seen.map((event) => event.type)).toEqual(['outer', 'inner']))
    expect(seen[0]!.eventId).toBeLessThan(seen[1]!.eventId)
  })

  it('leaves no row of a write that was rolled back', async () => {
    outbox.consume('c', { wants: () => true, handle: () => Promise.resolve() })
    await database
      .write('veto', (tx) => {
        tx.emit(ctx, { type: 'e', payload: null })
        throw new Error('veto')
      })
      .catch(() => undefined)
    expect(rows()).toBe(0)
  })

  it('tries a failed event again before later ones and does not hold other consumers up', async () => {
    const slow: unknown[] = []
    const quick: unknown[] = []
    let failures = 2
    outbox.consume('slow', {
      wants: () => true,
      handle: async (event) => {
        if (failures-- > 0) throw new Error('not yet')
        slow.push(event.payload)
      },
    })
    outbox.consume('quick', { wants: () => true, handle: async (event) => void quick.push(event.payload) })
    await outbox.start()
    await Promise.all([1, 2].map((value) => emit('e', value)))
    await vi.waitFor(() => expect(quick).toEqual([1, 2]))
    expect(slow).toEqual([])
    expect(rows()).toBe(2)
    await vi.waitFor(() => expect(slow).toEqual([1, 2]), { timeout: 8000, interval: 50 })
    await vi.waitFor(() => expect(rows()).toBe(0))
  })

  it('keeps what is stored for all who want it, also of a write that was answered as failed', async () => {
    const some: unknown[] = []
    const all: unknown[] = []
    const wants = ({ type }: PlatformEvent): boolean => type === 'shared'
    outbox.consume('some', { wants, handle: async (event) => void some.push(event.payload) })
    outbox.consume('all', { wants: () => true, handle: async (event) => void all.push(event.payload) })
    await outbox.start()
    isAway = true
    await expect(emit('shared', 1)).rejects.toMatchObject({ code: 'service_unavailable' })
    isAway = false
    await vi.waitFor(() => expect(database.health()).toBe('ok'), { timeout: 5_000 })
    await emit('other', 2)
    await vi.waitFor(() => expect(all).toEqual([1, 2]))
    await database.write('turn', () => undefined)
    await emit('shared', 3)
    await vi.waitFor(() => expect(some.at(-1)).toBe(3))
    expect(some).toEqual([1, 3])
  })

  it('delivers after a restart what was not handled before it', async () => {
    outbox.consume('c', { wants: () => true, handle: () => Promise.resolve() })
    await Promise.all([1, 2].map((value) => emit('e', value)))
    await close()
    await open()
    const seen: unknown[] = []
    outbox.consume('c', { wants: () => true, handle: async (event) => void seen.push(event.payload) })
    await outbox.start()
    await vi.waitFor(() => expect(seen).toEqual([1, 2]))
    await vi.waitFor(() => expect(rows()).toBe(0))
  })

  it('keeps the order over a restart with a clock that was turned back', async () => {
    outbox.consume('c', { wants: () => true, handle: () => Promise.resolve() })
    await outbox.start()
    await emit('e', 'first')
    await vi.waitFor(() => expect(rows()).toBe(0))
    await close()
    clock.set(1_600_000_000_000)
    await open()
    const seen: unknown[] = []
    outbox.consume('c', { wants: () => true, handle: async (event) => void seen.push(event.payload) })
    await outbox.start()
    await emit('e', 'second')
    await vi.waitFor(() => expect(seen).toEqual(['second']))
  })

  it('never shows a consumer events from before it was registered', async () => {
    outbox.consume('first', { wants: () => true, handle: () => Promise.reject(new Error('down')) })
    await outbox.start()
    await emit('e', 'before')
    const seen: unknown[] = []
    outbox.consume('second', { wants: () => true, handle: async (event) => void seen.push(event.payload) })
    await emit('e', 'after')
    await vi.waitFor(() => expect(seen).toEqual(['after']))
    expect(rows()).toBe(2)
  })

  it('drops rows although another consumer has wanted nothing yet', async () => {
    outbox.consume('busy', { wants: () => true, handle: () => Promise.resolve() })
    outbox.consume('quiet', { wants: () => false, handle: () => Promise.resolve() })
    await outbox.start()
    await emit('e')
    await vi.waitFor(() => expect(rows()).toBe(0))
  })

  it('keeps the event of a consumer whose predicate throws', async () => {
    const seen: unknown[] = []
    outbox.consume('c', {
      wants: () => {
        throw new Error('broken')
      },
      handle: async (event) => void seen.push(event.payload),
    })
    await outbox.start()
    await emit('e', 1)
    await vi.waitFor(() => expect(seen).toEqual([1]))
  })

  it('refuses a consumer name that is taken', () => {
    const definition = { wants: () => true, handle: () => Promise.resolve() }
    outbox.consume('c', definition)
    expect(() => outbox.consume('c', definition)).toThrow('registered twice')
  })

  it('stores the event as it was raised', async () => {
    outbox.consume('c', { wants: () => true, handle: () => Promise.resolve() })
    await emit('record.created', { id: 'x' })
    const row = database.read.get<{ event: string; consumers: string }>(statement('SELECT * FROM _outbox'))
    expect(JSON.parse(row!.event)).toMatchObject({ type: 'record.created', payload: { id: 'x' }, requestId: 'test' })
    expect(JSON.parse(row!.consumers)).toEqual(['c'])
  })
})
