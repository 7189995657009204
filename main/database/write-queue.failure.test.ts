// What the write queue does when the engine itself fails: a full file and a transaction the engine ended by itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { Tx } from '#main/kernel/database.ts'
import { openDiskSpace } from '#main/kernel/disk-space.ts'
import type { DiskSpace } from '#main/kernel/disk-space.ts'
import { createEventBus } from '#main/kernel/events.ts'
import type { EventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createLogSync } from './log-sync.ts'
import type { LogSync } from './log-sync.ts'
import { leaveSyncToWriter, openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createStatements } from './statements.ts'
import { createWriteQueue } from './write-queue.ts'
import type { WriteQueue } from './write-queue.ts'

let dir: string
let connection: Connection
let queue: WriteQueue
let logSync: LogSync
let bus: EventBus
let lines: string[]

const insert = (tx: Tx, bytes: number): void => {
  tx.run(statement('INSERT INTO item (body) VALUES (zeroblob(?))', [bytes]))
}
const count = (): unknown => connection.prepare('SELECT count(*) FROM item').pluck().get()
const pages = (): number => connection.pragma('page_count', { simple: true }) as number

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-failure-'))
  connection = openWriter(join(dir, 'cairn.db'))
  connection.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)')
  lines = []
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  bus = createEventBus({ clock: createManualClock(0), log })
  logSync = createLogSync(join(dir, 'cairn.db'))
  leaveSyncToWriter(connection)
  queue = createQueue()
})

function createQueue(space?: DiskSpace): WriteQueue {
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  return createWriteQueue({
    connection,
    statements: createStatements(connection),
    bus,
    log,
    logSync,
    space,
    onSchemaChange: () => undefined,
  })
}

afterEach(async () => {
  await queue.close()
  await logSync.close()
  connection.close()
  rmSync(dir, { recursive: true })
})

describe('write queue when the disk is full', () => {
  it('rejects every write of the group with service_unavailable, releases no event and loses nothing before it', async () => {
    const seen: string[] = []
    bus.onCommitted('*', (event) => seen.push(event.type))
    await queue.write('before', (tx) => insert(tx, 10))
    connection.pragma(`max_page_count = ${pages() + 2}`)
    const results = await Promise.allSettled([
      queue.write('small', (tx) => {
        insert(tx, 10)
        tx.emit(internalContext('test'), { type: 'small', payload: null })
      }),
      queue.write('large', (tx) => insert(tx, 100_000)),
    ])
    const unavailable = {
      status: 'rejected',
      reason: { code: 'service_unavailable', details: { retryAfterSeconds: 1 } },
    }
    expect(results).toMatchObject([unavailable, unavailable])
    expect(count()).toBe(1)
    expect(seen).toEqual([])
    expect(queue.health()).toBe('degraded')
    expect(connection.inTransaction).toBe(false)
  })

  it('is healthy again after a write that succeeds', async () => {
    connection.pragma(`max_page_count = ${pages() + 2}`)
    await expect(queue.write('large', (tx) => insert(tx, 100_000))).rejects.toMatchObject({
      code: 'service_unavailable',
    })
    expect(queue.health()).toBe('degraded')
    await queue.write('nothing', () => undefined)
    expect(queue.health()).toBe('degraded')
    await queue.write('small', (tx) => insert(tx, 10))
    expect(queue.health()).toBe('ok')
    expect(lines.filter((line) => line.includes('degraded'))).toHaveLength(1)
  })

  it('is found healthy by its own probe when nobody writes', async () => {
    connection.pragma(`max_page_count = ${pages() + 2}`)
    await expect(queue.write('large', (tx) => insert(tx, 100_000))).rejects.toThrow()
    await vi.waitFor(() => expect(queue.health()).toBe('ok'), { timeout: 5000, interval: 50 })
    expect(count()).toBe(0)
  })

  it('keeps the reason of a write that had failed by itself', async () => {
    connection.pragma(`max_page_count = ${pages() + 2}`)
    const results = await Promise.allSettled([
      queue.write('own', () => {
        throw new Error('own reason')
      }),
      queue.write('large', (tx) => insert(tx, 100_000)),
    ])
    expect(results).toMatchObject([{ reason: { message: 'own reason' } }, { reason: { code: 'service_unavailable' } }])
  })
})

describe('write queue while its disk is watched', () => {
  let space: DiskSpace

  beforeEach(async () => {
    await queue.close()
    space = openDiskSpace({ file: join(dir, 'cairn.ballast'), bytes: 0, onChange: () => undefined })
    space.started()
    queue = createQueue(space)
  })

  afterEach(() => space.close())

  it('refuses all that makes no room, untried, until there is space again', async () => {
    await queue.write('before', (tx) => insert(tx, 10))
    connection.pragma(`max_page_count = ${pages() + 2}`)
    const isFull = { code: 'service_unavailable', retryable: true, details: { reason: 'disk_full' } }
    await expect(queue.write('large', (tx) => insert(tx, 100_000))).rejects.toMatchObject(isFull)
    expect(queue.health()).toBe('disk_full')
    let ran = false
    const next = queue.write('next', () => {
      ran = true
    })
    await expect(next).rejects.toMatchObject(isFull)
    await expect(queue.lend(() => Promise.resolve())).rejects.toMatchObject(isFull)
    expect(await queue.lend(() => Promise.resolve('folded'), { keepsSchema: true })).toBe('folded')
    await queue.write('delete', (tx) => tx.run(statement('DELETE FROM item')), { whenFull: true })
    expect({ ran, rows: count(), health: queue.health() }).toEqual({ ran: false, rows: 0, health: 'disk_full' })
    await vi.waitFor(() => expect(queue.health()).toBe('ok'), { timeout: 10_000, interval: 50 })
    await queue.write('after', (tx) => insert(tx, 10))
    expect(count()).toBe(1)
  })

  it('tries once more what makes room, when that is what meets the full disk first', async () => {
    await queue.write('before', (tx) => insert(tx, 10))
    connection.pragma(`max_page_count = ${pages() + 2}`)
    const told: string[] = []
    let runs = 0
    const alone = queue.write(
      'delete',
      (tx) => {
        runs += 1
        tx.afterCommit(() => told.push(`run ${runs}`))
        if (runs === 1) insert(tx, 100_000)
        else tx.run(statement('DELETE FROM item'))
        return runs
      },
      { whenFull: true },
    )
    expect(await alone).toBe(2)
    expect({ told, rows: count() }).toEqual({ told: ['run 2'], rows: 0 })
    const never = queue.write('never', (tx) => insert(tx, 100_000), { whenFull: true })
    await expect(never).rejects.toMatchObject({ details: { reason: 'disk_full' } })
  })

  it('learns of a full disk from a job that fails alone', async () => {
    connection.pragma(`max_page_count = ${pages() + 2}`)
    const caught = queue.write('large', (tx) => {
      try {
        tx.savepoint(() => insert(tx, 100_000))
      } catch (error) {
        throw new Error('A reason of its own.', { cause: error })
      }
    })
    await expect(caught).rejects.toThrow()
    expect(queue.health()).toBe('disk_full')
  })
})

describe('write queue when another connection holds the file', () => {
  it('rejects with service_unavailable and writes again when the file is free', async () => {
    connection.pragma('busy_timeout = 50')
    const other = openWriter(join(dir, 'cairn.db'))
    other.exec('BEGIN IMMEDIATE')
    await expect(queue.write('blocked', (tx) => insert(tx, 1))).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(queue.health()).toBe('degraded')
    other.exec('COMMIT')
    other.close()
    await queue.write('free', (tx) => insert(tx, 1))
    expect(queue.health()).toBe('ok')
    expect(count()).toBe(1)
  })
})

describe('write queue when the log cannot be forced to disk', () => {
  beforeEach(async () => {
    await queue.close()
    // A log that is not there: the system refuses to open it.
    logSync = createLogSync(join(dir, 'elsewhere.db'))
    queue = createQueue()
  })

  it('answers with service_unavailable, releases no event, and runs no further write before all is on disk', async () => {
    const seen: string[] = []
    bus.onCommitted('*', (event) => seen.push(event.type))
    const write = queue.write('first', (tx) => {
      insert(tx, 10)
      tx.emit(internalContext('test'), { type: 'first', payload: null })
      tx.whenOnDisk(() => seen.push('effect'))
    })
    await expect(write).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(queue.health()).toBe('degraded')
    let ran = false
    const next = queue.write('next', () => {
      ran = true
    })
    await expect(next).rejects.toMatchObject({ code: 'service_unavailable' })
    expect({ ran, seen }).toEqual({ ran: false, seen: [] })
  })

  it('holds for statements that return what they wrote', async () => {
    const returning = statement('INSERT INTO item (body) VALUES (zeroblob(1)) RETURNING id')
    await expect(queue.write('all', (tx) => tx.all(returning))).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  it('answers a write that changed nothing', async () => {
    expect(await queue.write('nothing', (tx) => tx.run(statement('DELETE FROM item WHERE id = 77')).changes)).toBe(0)
  })

  it('answers a repeatable write, and none after it that would rest on what is not on disk', async () => {
    const repeatable = { repeatable: true }
    expect(await queue.write('repeatable', (tx) => insert(tx, 10), repeatable)).toBeUndefined()
    expect(await queue.write('another', (tx) => insert(tx, 10), repeatable)).toBeUndefined()
    expect({ rows: count(), health: queue.health() }).toEqual({ rows: 2, health: 'ok' })
    const reading = queue.write('nothing', (tx) => tx.get(statement('SELECT count(*) FROM item')))
    await expect(reading).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  it('makes a repeatable write wait that has something to tell others', async () => {
    const told: string[] = []
    const write = queue.write(
      'repeatable',
      (tx) => {
        insert(tx, 10)
        tx.whenOnDisk(() => told.push('told'))
      },
      { repeatable: true },
    )
    await expect(write).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(told).toEqual([])
  })

  it('writes again once its probe has folded the log into the file', async () => {
    const seen: string[] = []
    bus.onCommitted('*', (event) => seen.push(event.type))
    const first = queue.write('first', (tx) => {
      insert(tx, 10)
      tx.emit(internalContext('test'), { type: 'first', payload: null })
      tx.whenOnDisk(() => seen.push('effect'))
    })
    await expect(first).rejects.toThrow()
    writeFileSync(join(dir, 'elsewhere.db-wal'), '')
    await vi.waitFor(() => expect(queue.health()).toBe('ok'), { timeout: 5000, interval: 50 })
    // Whoever wrote it was told that nobody knows; it is on disk, so others hear of it.
    expect(seen).toEqual(['effect', 'first'])
    await queue.write('second', (tx) => insert(tx, 10))
    expect(count()).toBe(2)
  })
})
