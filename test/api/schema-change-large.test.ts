// Changes of tables too large to be changed at once: reads go on, writes of the object wait, a change can be stopped, and
// what a kill cuts off is undone at the next start (D-101).
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

const rows = sized(31_000, 40_000)
const name = 'large'
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('aside', { note: { type: 'text' } })
  await makeLarge()
}, 120_000)
afterAll(() => host.stop())

/** Makes an object of many records, for the tests that follow one another: every tenth `amount` is no number. */
async function makeLarge(): Promise<void> {
  await host.defineObject(name, {
    amount: { type: 'text', index: true },
    status: { type: 'select', options: ['a', 'b'] },
    total: { type: 'formula', expression: 'record.status == "a" ? 1 : 2', returnType: 'number' },
  })
  for (let at = 0; at < rows; at += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, i) => ({
      amount: (at + i) % 10 === 0 ? 'none' : String(at + i),
      status: i % 2 === 0 ? 'a' : 'b',
    }))
    expect((await host.post(`/data/${name}/createMany`, { records })).status).toBe(201)
  }
}

const converted = { amount: { type: 'number', index: true }, status: { type: 'select', options: ['a', 'b'] } }
const put = (name: string, fields: Record<string, unknown>, query = '?confirm=true') =>
  host.put(`/meta/object/${name}${query}`, { name, fields })
const filtered = async (name: string, filter: unknown): Promise<Answer> =>
  host.get(`/data/${name}?count=true&top=2&sort=amount&filter=${encodeURIComponent(JSON.stringify(filter))}`)

/** Asks until the change has reached a phase. */
async function untilPhase(name: string, phase: string): Promise<void> {
  await expect
    .poll(async () => (await host.get(`/meta/object/${name}/change`)).body.data.phase, { timeout: 20_000, interval: 3 })
    .toBe(phase)
}

/** Opens the file beside the host, to see what no route shows. */
function physical(name: string): { columns: string[]; indexes: string[]; sound: unknown } {
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  try {
    return {
      columns: (db.pragma(`table_info("o_${name}")`) as { name: string }[]).map((column) => column.name),
      indexes: (db.pragma(`index_list("o_${name}")`) as { name: string }[]).map((index) => index.name),
      sound: db.pragma('integrity_check', { simple: true }),
    }
  } finally {
    db.close()
  }
}

describe('a change of a large table', () => {
  it('can be stopped: everything is as before', async () => {
    const before = physical(name)
    const change = put(name, converted)
    await untilPhase(name, 'converting')
    expect((await host.delete(`/meta/object/${name}/change`)).body.data).toEqual({ object: name, cancelled: true })
    const answer = await change
    expect([answer.status, answer.body.error.code, answer.body.error.details.reason]).toEqual([
      409,
      'conflict',
      'cancelled',
    ])
    expect(physical(name)).toEqual(before)
    expect((await filtered(name, { amount: 'none' })).body.total).toBe(rows / 10)
    const written = await host.post(`/data/${name}`, { amount: 'x' })
    expect(written.status).toBe(201)
    expect((await host.delete(`/data/${name}/${written.body.id}?purge=true`)).status).toBe(200)
    expect((await host.get(`/meta/object/${name}`)).body.item.fields.amount.type).toBe('text')
    expect((await host.get(`/meta/object/${name}/change`)).body.data).toEqual({ running: false })
  }, 120_000)

  it('converts in slices while reads go on and writes of the object are told to come back', async () => {
    const [record] = (await host.get(`/data/${name}?top=1`)).body.records
    const dryRun = await put(name, converted, '?dryRun=true')
    expect(dryRun.body.plan).toContainEqual(
      expect.objectContaining({ change: 'retype_field', converted: rows * 0.9, nulled: rows / 10, lossy: rows / 10 }),
    )
    const retype = dryRun.body.plan.find(({ change }: { change: string }) => change === 'retype_field')
    expect(retype.failures).toHaveLength(100)
    const change = put(name, converted, `?confirm=${dryRun.body.planHash}`)
    await untilPhase(name, 'converting')
    const refused = await host.patch(`/data/${name}/${record.id}`, { status: 'b' })
    expect(refused.status).toBe(503)
    expect(refused.body.error).toMatchObject({ code: 'service_unavailable', details: { reason: 'schema_change' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await host.get(`/data/${name}/${record.id}`)).body.record.amount).toBe(record.amount)
    expect((await host.post('/data/aside', { note: 'other objects go on' })).status).toBe(201)
    expect((await change).status).toBe(200)

    expect((await filtered(name, { amount: { $gte: rows - 2 } })).body.records).toMatchObject([
      { amount: rows - 2 },
      { amount: rows - 1 },
    ])
    expect((await filtered(name, { amount: null })).body.total).toBe(rows / 10)
    expect((await host.patch(`/data/${name}/${record.id}`, { amount: 5 })).status).toBe(200)
    expect(physical(name)).toMatchObject({ sound: 'ok' })
    expect(physical(name).indexes).toContain(`i_${name}__amount`)

    const kept = (await host.get(`/meta/object/${name}/backups`)).body.data
    const backup = kept.find(({ field }: { field: string }) => field === 'amount')
    expect(backup).toMatchObject({ kind: 'conversion', records: rows / 10 })
    expect((await host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    expect((await filtered(name, { amount: 'none' })).body.total).toBe(rows / 10 - 1)
    expect((await host.get(`/data/${name}/${record.id}`)).body.record.amount).toBe('5')
  }, 120_000)

  it('adds, indexes, computes and deletes fields and the object, and brings it back', async () => {
    const base = { amount: { type: 'text', index: true }, status: { type: 'select', options: ['a', 'b'] } }
    const wider = {
      ...base,
      status: { type: 'select', options: ['a', 'b'], index: true },
      level: { type: 'number', defaultValue: 7, index: true },
      twice: { type: 'formula', expression: 'record.level * 2.0', returnType: 'number' },
    }
    expect((await put(name, wider)).status).toBe(200)
    expect((await filtered(name, { level: 7 })).body.total).toBe(rows)
    expect((await filtered(name, { twice: 14 })).body.total).toBe(rows)
    expect(physical(name).indexes).toEqual(
      expect.arrayContaining([`i_${name}`, `i_${name}__amount`, `i_${name}__level`, `i_${name}__status`]),
    )
    expect((await put(name, base)).status).toBe(200)
    expect(physical(name).indexes).not.toContain(`i_${name}__level`)
    const gone = await host.delete(`/meta/object/${name}?confirm=true`)
    expect(gone.status).toBe(200)
    const kept = (await host.get(`/meta/object/${name}/backups`)).body.data
    const backup = kept.find(({ kind }: { kind: string }) => kind === 'object')
    expect(backup).toMatchObject({ records: rows })
    expect((await host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    expect((await filtered(name, { status: 'a' })).body.total).toBe(rows / 2)
  }, 120_000)
})
