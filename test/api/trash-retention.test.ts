// What has been in the trash for longer than the object or the workspace keeps it is removed for good (D-59).
import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

const day = 86_400_000
const patience = { timeout: 10_000 }
/** Milliseconds the host's clock is ahead. */
let ahead = 0
const now = (): number => systemClock.now() + ahead
const clock = { ...systemClock, now, iso: () => new Date(now()).toISOString() }
let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock })
  await host.defineObject('task', { title: { type: 'text' } })
  await host.defineObject('memo', { title: { type: 'text' } }, { trashRetentionDays: 0 })
  await host.defineObject('draft', { title: { type: 'text' } }, { trashRetentionDays: 2 })
  await host.defineObject('part', { task: { type: 'master_detail', reference: 'task' } })
})
afterAll(() => host.stop())

/** Lets days go by and starts the host anew, which runs what fell due meanwhile. */
async function later(days: number): Promise<void> {
  ahead += days * day
  await host.restart()
}

async function deleted(object: string, data: Record<string, unknown> = { title: 'One' }): Promise<string> {
  const { body } = await host.post(`/data/${object}`, data)
  expect((await host.delete(`/data/${object}/${body.id}`)).status).toBe(200)
  return body.id as string
}

function rows(table: string, where = '1'): number {
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  try {
    return (db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get() as { n: number }).n
  } finally {
    db.close()
  }
}

const idsIn = async (object: string): Promise<string[]> =>
  (await host.get(`/data/${object}?deleted=only&top=1000`)).body.records.map(({ id }: { id: string }) => id)

describe('the trash', () => {
  it('keeps everything while no retention is set, and where the object says 0', async () => {
    const [task, memo] = [await deleted('task'), await deleted('memo')]
    const draft = await deleted('draft')
    await later(3)
    await expect.poll(() => idsIn('draft'), patience).toEqual([])
    expect([await idsIn('task'), await idsIn('memo')]).toEqual([[task], [memo]])
    expect(rows('feed_fact', `record_id = '${draft}'`)).toBe(0)

    expect((await host.patch('/settings', { trashRetentionDays: 10 })).status).toBe(200)
    await later(1)
    const young = await deleted('task')
    await later(7)
    await expect.poll(() => idsIn('task'), patience).toEqual([young])
    expect(await idsIn('memo')).toEqual([memo])
  })

  it('lets go as a purge does: with history and details, in the audit, and of nobody who came back', async () => {
    await host.patch('/settings', { trashRetentionDays: 10 })
    const { id } = (await host.post('/data/task', { title: 'Words' })).body
    const part = (await host.post('/data/part', { task: id })).body.id
    await host.post(`/data/task/${id}/feed`, { type: 'comment', body: 'Something' })
    await host.delete(`/data/task/${id}`)
    const back = await deleted('task')
    await host.post(`/data/task/${back}/restore`)
    const again = await deleted('task')
    await later(9)
    await host.post(`/data/task/${again}/restore`)
    await host.delete(`/data/task/${again}`)
    await later(2)
    await expect.poll(() => idsIn('task'), patience).toEqual([again])
    expect((await host.get(`/data/task/${back}`)).status).toBe(200)
    expect(rows('o_part', `id = '${part}'`)).toBe(0)
    for (const table of ['feed_fact', 'feed_item']) expect(rows(table, `record_id = '${id}'`)).toBe(0)
    const { entries } = (await host.get('/audit?kind=record.purged&limit=200')).body
    expect(entries).toContainEqual(
      expect.objectContaining({
        object: 'task',
        recordId: id,
        actor: { type: 'system', id: 'system' },
        source: 'system',
      }),
    )
  })

  it('is emptied in slices, to the last record', async () => {
    await host.patch('/settings', { trashRetentionDays: 1 })
    const records = Array.from({ length: 350 }, (_, index) => ({ title: `Record ${index}` }))
    const made = (await host.post('/data/task/createMany', { records })).body.records as { id: string }[]
    await host.post('/data/task/deleteMany', { ids: made.map(({ id }) => id) })
    await later(2)
    await expect.poll(() => rows('o_task', 'deleted_at IS NOT NULL'), patience).toBe(0)
  })
})
