// A job survives the death of the process: it goes on where it stopped, and no row is there twice (D-68).
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { sized } from '../support/test-size.ts'

const total = sized(900, 6_000, 12_000)
let dataDir: string
let server: ChildServer

afterEach(async () => {
  await server.end('SIGKILL').catch(() => null)
  rmSync(dataDir, { recursive: true, force: true })
})

interface Job {
  readonly jobId: string
  readonly status: string
  readonly processed: number
  readonly created: number
  readonly updated: number
  readonly failed: number
  readonly undo?: {
    readonly processed: number
    readonly purged: number
    readonly restored: number
    readonly kept: number
  }
}

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: never }> {
  const { status, text } = await server.call(method, `/api/v1${path}`, body)
  return { status, body: JSON.parse(text) as never }
}

const job = async (id: string): Promise<Job> => (await call('GET', `/data/import/jobs/${id}`)).body

async function until(id: string, done: (state: Job) => boolean): Promise<Job> {
  for (;;) {
    const state = await job(id)
    if (done(state)) return state
    await pause(5)
  }
}

/** Kills the server without a warning and starts it on the same folder. */
async function die(): Promise<void> {
  await server.end('SIGKILL')
  server = await startChildServer({ dataDir })
}

async function count(filter: unknown = {}): Promise<number> {
  const query = `count=true&top=1&filter=${encodeURIComponent(JSON.stringify(filter))}`
  const { body } = await call('GET', `/data/item?${query}`)
  return (body as { total: number }).total
}

describe('kill -9', () => {
  it(
    'in the middle of an upsert and of its undo loses and doubles nothing',
    { timeout: sized(120_000, 600_000) },
    async () => {
      dataDir = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
      server = await startChildServer({ dataDir })
      const fields = { key: { type: 'text', unique: true }, size: { type: 'number' } }
      await call('PUT', '/meta/object/item', { type: 'object', name: 'item', item: { name: 'item', fields } })
      // Every third row updates a record that is there already.
      const old = Array.from({ length: total / 3 }, (_, n) => ({ key: `k${n * 3}`, size: -1 }))
      for (let at = 0; at < old.length; at += 2_000)
        expect((await call('POST', '/data/item/import', { rows: old.slice(at, at + 2_000) })).status).toBe(200)
      const csv = `key,size\n${Array.from({ length: total }, (_, n) => `k${n},${n}`).join('\n')}\n`
      const started = await call('POST', '/data/item/import/jobs', { csv, writeMode: 'upsert', matchFields: ['key'] })
      expect(started.status).toBe(202)
      const { jobId } = started.body as Job

      let seen = 0
      for (const part of sized([0.3], [0.1, 0.4, 0.7])) {
        const before = await until(jobId, (state) => state.processed >= total * part)
        expect(before.status).toBe('running')
        await die()
        const after = await job(jobId)
        expect(after.processed).toBeGreaterThanOrEqual(Math.max(before.processed, seen))
        seen = after.processed
      }
      const done = await until(jobId, (state) => state.status === 'completed')
      expect(done).toMatchObject({ processed: total, created: (total * 2) / 3, updated: total / 3, failed: 0 })
      expect(await count()).toBe(total)
      expect(await count({ size: { $lt: 0 } })).toBe(0)
      expect(readdirSync(join(dataDir, 'imports'))).toEqual([])

      await call('POST', `/data/import/jobs/${jobId}/undo`)
      await until(jobId, (state) => (state.undo?.processed ?? 0) >= total * 0.3)
      await die()
      const undone = await until(jobId, (state) => state.status === 'undone')
      expect(undone.undo).toMatchObject({ processed: total, purged: (total * 2) / 3, restored: total / 3, kept: 0 })
      expect(await count()).toBe(total / 3)
      expect(await count({ size: -1 })).toBe(total / 3)
    },
  )

  it(
    'in the middle of a direct import leaves what a repeat with its key goes on with',
    { timeout: sized(120_000, 600_000) },
    async () => {
      dataDir = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
      server = await startChildServer({ dataDir })
      const fields = { key: { type: 'text' }, size: { type: 'number' }, next: { type: 'lookup', reference: 'item' } }
      const item = { name: 'item', fields, displayNameField: 'key' }
      expect((await call('PUT', '/meta/object/item', { type: 'object', name: 'item', item })).status).toBe(200)
      // Every fifth row is wrong, and every seventh names a row that comes later.
      const isWrong = (n: number): boolean => n % 5 === 4
      const rows = Array.from({ length: total }, (_, n) => ({
        ...{ key: `k${n}`, size: isWrong(n) ? 'wrong' : n },
        ...(n % 7 === 0 && n + 2 < total && !isWrong(n + 2) && { next: `k${n + 2}` }),
      }))
      const body = JSON.stringify({ rows })
      const send = async (): Promise<Response | null> =>
        fetch(`${server.url}/api/v1/data/item/import`, {
          method: 'POST',
          headers: {
            ...{ authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
            'idempotency-key': 'cut-off',
          },
          body,
        }).catch(() => null)
      const sizes: number[] = []
      for (const part of sized([0.1], [0, 0.1, 0.3, 0.6])) {
        const sent = send()
        while ((await count()) < Math.max(1, (total * part * 4) / 5)) await pause(1)
        await die()
        expect(await sent).toBeNull()
        sizes.push(await count())
      }
      expect(sizes.at(-1)!).toBeLessThan((total * 4) / 5)
      const answer = await send()
      const report = (await answer!.json()) as { errors: { row: number }[] }
      expect([answer!.status, report]).toEqual([
        200,
        expect.objectContaining({ total, created: (total * 4) / 5, updated: 0, skipped: 0, failed: total / 5 }),
      ])
      const wrongRows = rows.flatMap((_, n) => (isWrong(n) ? [n + 1] : []))
      expect(report.errors.map(({ row }) => row)).toEqual(wrongRows.slice(0, 1_000))
      expect(await count()).toBe((total * 4) / 5)
      const named = rows.filter((row, n) => 'next' in row && !isWrong(n)).length
      expect(await count({ next: { $ne: null } })).toBe(named)
      const again = await send()
      expect([again!.headers.get('idempotent-replay'), await again!.json()]).toEqual(['true', report])
      expect(await count()).toBe((total * 4) / 5)
    },
  )

  it('while a file is sent leaves neither a job nor a file behind', { timeout: 60_000 }, async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
    server = await startChildServer({ dataDir })
    await call('PUT', '/meta/object/item', {
      type: 'object',
      name: 'item',
      item: { name: 'item', fields: { key: { type: 'text' } } },
    })
    const sent = fetch(`${server.url}/api/v1/data/item/import/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'text/csv' },
      body: new ReadableStream({
        async pull(controller) {
          controller.enqueue(new TextEncoder().encode(`key\n${'row\n'.repeat(50_000)}`))
          await pause(50)
        },
      }),
      duplex: 'half',
    } as RequestInit).catch(() => null)
    const folder = join(dataDir, 'imports')
    while (!existsSync(folder) || readdirSync(folder).length === 0) await pause(20)
    await die()
    expect(await sent).toBeNull()
    expect((await call('GET', '/data/import/jobs')).body).toEqual({ jobs: [], total: 0 })
    for (let tries = 0; tries < 100 && readdirSync(folder).length > 0; tries += 1) await pause(20)
    expect(readdirSync(folder)).toEqual([])
  })
})
