// SIGKILL at moments of a change of a large table: the next start finds the old definition with all old values, or the new
// one complete, and takes everything else away (D-101).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { sized } from '../support/test-size.ts'

const rows = 31_000
const dataDir = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
let server: ChildServer

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await server.call(method, `/api/v1${path}`, body)
  return { status: answer.status, body: JSON.parse(answer.text) as Record<string, never> & { data: never } }
}
const count = async (filter: unknown): Promise<number> => {
  const { body } = await call('GET', `/data/big?count=true&top=1&filter=${encodeURIComponent(JSON.stringify(filter))}`)
  return body['total'] ?? -1
}

beforeAll(async () => {
  server = await startChildServer({ dataDir })
  const fields = { v: { type: 'text', index: true }, n: { type: 'number' } }
  await call('PUT', '/meta/object/big', { name: 'big', fields })
  for (let at = 0; at < rows; at += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, i) => ({
      v: (at + i) % 2 === 0 ? `x${at + i}` : `${at + i}`,
      n: i,
    }))
    expect((await call('POST', '/data/big/createMany', { records })).status).toBe(201)
  }
}, 120_000)

afterAll(async () => {
  await server.end('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

/** Kills the server once the change is in a phase, or at once when it has passed it, and starts it again. */
async function killIn(phase: string, extraMs: number): Promise<void> {
  const order = ['counting', 'preparing', 'converting', 'storing', 'indexing', 'computing']
  const fields = { v: { type: 'number', index: true }, n: { type: 'number' }, more: { type: 'text', index: true } }
  const change = server.call('PUT', '/api/v1/meta/object/big?confirm=true', { name: 'big', fields }).catch(() => null)
  for (let asked = 0; asked < 2_000; asked += 1) {
    const { data } = (await call('GET', '/meta/object/big/change')).body as { data: { phase?: string } }
    if (data.phase !== undefined && order.indexOf(data.phase) >= order.indexOf(phase)) break
    await pause(3)
  }
  await pause(extraMs)
  await server.end('SIGKILL')
  await change
  server = await startChildServer({ dataDir })
}

const put = (type: string) =>
  call('PUT', '/meta/object/big?confirm=true', {
    name: 'big',
    fields: { v: { type, index: true }, n: { type: 'number' } },
  })

const moments: readonly [phase: string, extraMs: number][] = [
  ['counting', 0],
  ['preparing', 5],
  ['converting', 0],
  ['converting', 60],
  ['converting', 150],
  ['storing', 0],
  ['indexing', 20],
]

it.each(sized([moments[3]!], moments))(
  'leaves one whole version of the object when killed while %s (+ %i ms)',
  async (phase, extraMs) => {
    await killIn(phase, extraMs)
    const { item } = (await call('GET', '/meta/object/big')).body as unknown as {
      item: { fields: Record<string, { type: string }> }
    }
    const isNew = item.fields['v']!.type === 'number'
    expect(Object.hasOwn(item.fields, 'more')).toBe(isNew)
    expect(await count({})).toBe(rows)
    expect(await count({ v: { $null: false } })).toBe(isNew ? rows / 2 : rows)
    expect(await count({ v: isNew ? 7 : 'x8' })).toBe(1)

    const tidy = () => {
      const db = new Sqlite(join(dataDir, 'cairn.db'), { readonly: true })
      try {
        const listed = db.prepare('SELECT columns FROM data_schema_backup').all() as { columns: string }[]
        const kept = new Set(listed.flatMap(({ columns }) => JSON.parse(columns) as string[]))
        const columns = (db.pragma('table_info("o_big")') as { name: string }[]).map(({ name }) => name)
        return {
          stray: columns.filter((name) => name.startsWith('$') && !kept.has(name)),
          indexes: (db.pragma('index_list("o_big")') as { name: string }[])
            .map(({ name }) => name)
            .filter((name) => name.startsWith('i_'))
            .toSorted(),
          sound: db.pragma('integrity_check', { simple: true }),
        }
      } finally {
        db.close()
      }
    }
    await expect
      .poll(tidy, { timeout: 20_000 })
      .toEqual({ stray: [], indexes: ['i_big', ...(isNew ? ['i_big__more'] : []), 'i_big__v'], sound: 'ok' })
    expect((await call('POST', '/data/big', { n: 1 })).status).toBe(201)
    const { records } = (await call('GET', '/data/big?top=1&sort=-created_at')).body as unknown as {
      records: { id: string }[]
    }
    await call('DELETE', `/data/big/${records[0]!.id}?purge=true`)
    if (!isNew) return
    const { data } = (await call('GET', '/meta/object/big/backups')).body as unknown as { data: { id: string }[] }
    expect((await call('POST', `/meta/object/big/backups/${data[0]!.id}/restore`)).status).toBe(200)
    expect((await put('text')).status).toBe(200)
    expect(await count({ v: 'x8' })).toBe(1)
  },
  60_000,
)
