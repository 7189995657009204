// What becomes of feeds when records and objects go (D-59, D-101), and when objects are renamed.
import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'

/** Milliseconds the host's clock is ahead. */
let ahead = 0
const now = (): number => systemClock.now() + ahead
const clock = { ...systemClock, now, iso: () => new Date(now()).toISOString() }
let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock })
})
afterAll(() => host.stop())

const tables = ['fact', 'item', 'reaction', 'pin', 'star', 'subscription'] as const

/** Rows by table, as another connection sees them. */
function rowsOf(recordId: string): Record<string, number> {
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  try {
    const count = (table: string) =>
      (db.prepare(`SELECT count(*) AS n FROM feed_${table} WHERE record_id = ?`).get(recordId) as { n: number }).n
    return Object.fromEntries(tables.map((table) => [table, count(table)]))
  } finally {
    db.close()
  }
}

function indexedDocuments(): number {
  const db = new Sqlite(join(host.dataDir, 'cairn.db'), { readonly: true })
  try {
    return (db.prepare('SELECT count(*) AS n FROM feed_word_docsize').get() as { n: number }).n
  } finally {
    db.close()
  }
}

/** A record with something in every table. */
async function busyRecord(object: string): Promise<string> {
  const id = await newRecord(host, object, { title: 'One' })
  const record = `${object}/${id}`
  const item = await addItem(host, record, { body: 'words of it' })
  await addItem(host, record, { body: 'reply', parentId: item.id })
  for (const mark of ['pin', 'star']) await host.post(`/data/${record}/feed/${item.id}/${mark}`)
  await host.post(`/data/${record}/feed/${item.id}/reactions`, { emoji: '👍' })
  await host.post(`/data/${record}/subscribe`)
  await host.patch(`/data/${record}`, { title: 'Two' })
  return id
}

const all = { fact: 2, item: 2, reaction: 1, pin: 1, star: 1, subscription: 1 }
const nothing = { fact: 0, item: 0, reaction: 0, pin: 0, star: 0, subscription: 0 }

describe('a purge', () => {
  it('takes everything of the record away, live or deleted, and nothing of others', async () => {
    await host.defineObject('task', { title: { type: 'text' } })
    const before = indexedDocuments()
    const [live, deleted, other] = [await busyRecord('task'), await busyRecord('task'), await busyRecord('task')]
    expect(rowsOf(live)).toEqual(all)
    await host.delete(`/data/task/${deleted}`)
    expect(rowsOf(deleted)).toEqual({ ...all, fact: 3 })
    for (const id of [live, deleted]) {
      expect((await host.delete(`/data/task/${id}?purge=true`)).status).toBe(200)
      expect(rowsOf(id)).toEqual(nothing)
      expect(refusal(await host.get(`/data/task/${id}/changelog`))).toEqual([404, 'resource_not_found'])
    }
    expect(rowsOf(other)).toEqual(all)
    expect(indexedDocuments()).toBe(before + 2)
    expect((await pageOf(host, `task/${other}/feed/search?query=words`)).total).toBe(1)
  })

  it('of an object without a trash is every deletion', async () => {
    await host.defineObject('brief', { title: { type: 'text' } }, { enable: { trash: false } })
    const id = await busyRecord('brief')
    await host.delete(`/data/brief/${id}`)
    expect(rowsOf(id)).toEqual(nothing)
  })

  it('lets a record of the same id begin anew', async () => {
    const id = await busyRecord('task')
    await host.delete(`/data/task/${id}?purge=true`)
    await newRecord(host, 'task', { id, title: 'Again' })
    expect((await pageOf(host, `task/${id}/feed`)).items.map((item: { type: string }) => item.type)).toEqual([
      'record_create',
    ])
    expect((await pageOf(host, `task/${id}/feed/search?query=words`)).total).toBe(0)
  })
})

describe('an object', () => {
  it('that is renamed keeps the feeds of its records', async () => {
    await host.defineObject('early', { title: { type: 'text' } })
    const id = await busyRecord('early')
    await host.defineObject('late', { title: { type: 'text' } }, { renamedFrom: 'early' })
    const feed = await pageOf(host, `late/${id}/feed`)
    expect([feed.total, feed.items[0].object]).toEqual([4, 'late'])
    expect((await pageOf(host, `late/${id}/changelog`)).entries.at(-1).object).toBe('late')
    expect((await pageOf(host, `late/${id}/feed/search?query=words`)).total).toBe(1)
    expect((await host.get(`/data/late/${id}/subscribe`)).status).toBe(200)
    await host.patch(`/data/late/${id}`, { title: 'Three' })
    expect((await pageOf(host, `late/${id}/changelog`)).total).toBe(3)
  })

  it('that is deleted keeps them until its backup has expired', async () => {
    await host.defineObject('gone', { title: { type: 'text' } })
    await host.defineObject('back', { title: { type: 'text' } })
    const [id, kept] = [await busyRecord('gone'), await busyRecord('back')]
    const before = indexedDocuments()
    for (const object of ['gone', 'back'])
      expect((await host.delete(`/meta/object/${object}?confirm=true`)).status).toBe(200)
    expect(rowsOf(id)).toEqual(all)
    const backups = (await host.get('/meta/object/back/backups')).body.data as { id: string }[]
    expect((await host.post(`/meta/object/back/backups/${backups[0]!.id}/restore`)).status).toBe(200)
    expect((await pageOf(host, `back/${kept}/feed`)).total).toBe(4)

    ahead += 29 * 86_400_000
    await host.restart()
    await host.patch('/settings', { timezone: 'UTC' })
    expect(rowsOf(id)).toEqual(all)
    ahead += 2 * 86_400_000
    await host.restart()
    await expect.poll(() => rowsOf(id), { timeout: 10_000 }).toEqual(nothing)
    expect(indexedDocuments()).toBe(before - 2)
    expect(rowsOf(kept)).toEqual(all)
  })
})
