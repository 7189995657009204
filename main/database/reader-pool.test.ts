// Reader processes: real children on a real file, killed at their limit.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { translateEngineError } from './engine-errors.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { KillableChild } from '#main/kernel/ports.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createReaderPool } from './reader-pool.ts'
import type { ReaderPool } from './reader-pool.ts'

const runaway = statement('WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r')
let dir: string
let writer: Connection
let pool: ReaderPool
let children: KillableChild[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-pool-'))
  const file = join(dir, 'cairn.db')
  writer = openWriter(file)
  writer.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, blob BLOB);
    WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 1200)
    INSERT INTO t SELECT i, 'name ' || i, x'00ff' FROM r`)
  children = []
  pool = createReaderPool({
    file,
    clock: systemClock,
    log: createLogger(),
    translate: translateEngineError,
    spawn: (entry, options) => {
      const child = forkSpawner(entry, options)
      children.push(child)
      return child
    },
  })
})

afterEach(() => {
  pool.close()
  writer.close()
  rmSync(dir, { recursive: true })
})

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('reader processes', () => {
  it('answer rows of every storage class, in order, over several messages', async () => {
    const rows = await pool.query<{ id: number; name: string; blob: Uint8Array; absent: null }>(
      statement('SELECT id, name, blob, NULL AS absent FROM t WHERE id > ? ORDER BY id', [0]),
      { timeoutMs: 5000 },
    )
    expect(rows).toHaveLength(1200)
    expect(rows[1199]).toMatchObject({ id: 1200, name: 'name 1200', absent: null })
    expect([...rows[0]!.blob]).toEqual([0, 255])
  })

  it('are started on first use and reused', async () => {
    expect(pool.size()).toBe(0)
    for (let index = 0; index < 5; index += 1) await pool.query(statement('SELECT 1'), { timeoutMs: 5000 })
    expect(children).toHaveLength(1)
  })

  it('see what was acknowledged before the query', async () => {
    await pool.query(statement('SELECT 1'), { timeoutMs: 5000 })
    writer.exec('DELETE FROM t WHERE id > 10')
    expect(await pool.query(statement('SELECT count(*) AS n FROM t'), { timeoutMs: 5000 })).toEqual([{ n: 10 }])
  })

  it('are killed at the limit of a runaway query, which fails with timeout; the next query works', async () => {
    const started = performance.now()
    // How long the machine takes for 400 ms at the moment.
    const timer = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now() - started), 400))
    await expect(pool.query(runaway, { timeoutMs: 400 })).rejects.toMatchObject({ code: 'timeout' })
    expect(performance.now() - started - (await timer)).toBeLessThan(300)
    expect(await pool.query(statement('SELECT 1 AS one'), { timeoutMs: 5000 })).toEqual([{ one: 1 }])
    await expect.poll(() => alive(children[0]!.pid!), { timeout: 5_000 }).toBe(false)
  })

  it('do not delay each other: a second query runs beside a runaway one', async () => {
    // Both processes are there: starting one is not what is asked here.
    await Promise.all([1, 2].map(() => pool.query(statement('SELECT 1'), { timeoutMs: 30_000 })))
    const slow = pool.query(runaway, { timeoutMs: 3000 }).catch((error: unknown) => error)
    const started = performance.now()
    await pool.query(statement('SELECT 1'), { timeoutMs: 2500 })
    expect(performance.now() - started).toBeLessThan(2000)
    pool.close()
    await expect(slow).resolves.toMatchObject({ code: 'service_unavailable' })
  })

  it('run at most two tasks at once; the third waits for its turn', async () => {
    const slow = [1, 2].map(() => pool.query(runaway, { timeoutMs: 300 }).catch((error: unknown) => error))
    expect(await pool.query(statement('SELECT 3 AS three'), { timeoutMs: 5000 })).toEqual([{ three: 3 }])
    expect(pool.size()).toBeLessThanOrEqual(2)
    for (const result of await Promise.all(slow)) expect(result).toMatchObject({ code: 'timeout' })
  })

  it('are killed when the caller goes away', async () => {
    const abort = new AbortController()
    const slow = pool.query(runaway, { timeoutMs: 10_000, signal: abort.signal })
    setTimeout(() => abort.abort(new Error('gone')), 200)
    await expect(slow).rejects.toThrow('gone')
    // Sooner than the query's own limit would end it.
    await expect.poll(() => alive(children[0]!.pid!), { timeout: 5_000 }).toBe(false)
  })

  it('refuse a call that was cancelled before it began', async () => {
    await expect(
      pool.query(statement('SELECT 1'), { timeoutMs: 1000, signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone')
    expect(children).toHaveLength(0)
  })

  it('end a query with more rows than allowed instead of filling memory', async () => {
    const some = statement('SELECT id FROM t LIMIT 100')
    expect(await pool.query(some, { timeoutMs: 5000, maxRows: 100 })).toHaveLength(100)
    await expect(pool.query(some, { timeoutMs: 5000, maxRows: 99 })).rejects.toMatchObject({ code: 'invalid_query' })
    await expect(pool.query(runaway, { timeoutMs: 300, maxRows: 5 })).rejects.toMatchObject({ code: 'timeout' })
  })

  it('cannot write', async () => {
    await expect(pool.query(statement('DELETE FROM t'), { timeoutMs: 5000 })).rejects.toThrow()
    await expect(pool.query(statement('DELETE FROM t RETURNING id'), { timeoutMs: 5000 })).rejects.toMatchObject({
      code: 'service_unavailable',
    })
    expect(writer.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1200)
  })

  it('report an error of the engine and live on', async () => {
    await expect(pool.query(statement('SELECT missing()'), { timeoutMs: 5000 })).rejects.toThrow('no such function')
    await pool.query(statement('SELECT 1'), { timeoutMs: 5000 })
    expect(children).toHaveLength(1)
  })

  it('are started anew after one died by itself; its task fails with service_unavailable', async () => {
    const slow = pool.query(runaway, { timeoutMs: 10_000 }).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 300))
    process.kill(children[0]!.pid!, 'SIGKILL')
    await expect(slow).resolves.toMatchObject({ code: 'service_unavailable', details: { retryAfterSeconds: 1 } })
    expect(await pool.query(statement('SELECT 1 AS one'), { timeoutMs: 5000 })).toEqual([{ one: 1 }])
  })

  it('refuse work after close', async () => {
    pool.close()
    await expect(pool.query(statement('SELECT 1'), { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'service_unavailable',
    })
  })
})
