// Two machines change the same property of metadata: both list it under names people know, somebody chooses, and both have
// what was chosen.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apart, createSyncedHost, inStep, listen, pair, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import type { TestHost } from '../support/create-test-host.ts'

let desk: PeopledHost
let laptop: TestHost
let n = 0
let name = ''

beforeAll(async () => {
  desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const both = (): TestHost[] => [desk, laptop]
const conflictsOf = async (host: TestHost, query = '') => (await host.get(`/sync/conflicts?limit=200${query}`)).body
const itemOf = async (host: TestHost) => (await host.get(`/meta/object/${name}`)).body.item

async function save(host: TestHost, change: (item: Record<string, unknown>) => void): Promise<void> {
  const item = structuredClone(await itemOf(host))
  change(item)
  const { status, body } = await host.put(`/meta/object/${name}`, item)
  expect(status, JSON.stringify(body)).toBe(200)
}

const setLabel = (label: string) => (item: Record<string, unknown>) => void (item['label'] = label)
const setFieldLabel = (label: string) => (item: Record<string, unknown>) => {
  ;(item['fields'] as Record<string, Record<string, unknown>>)['title']!['label'] = label
}

beforeEach(async () => {
  name = `thing${(n += 1)}`
  await desk.defineObject(name, { title: { type: 'text', label: 'Title' } }, { label: 'Thing' })
  await until('it is there', async () => (await laptop.get(`/meta/object/${name}`)).status === 200)
  await inStep(both())
})

describe('a property that two machines changed', () => {
  it('is listed on both by names people know, with what stood before', async () => {
    await apart(laptop, [desk], async () => {
      await save(desk, setLabel('Desk thing'))
      await save(desk, setFieldLabel('Desk title'))
      await save(laptop, setLabel('Laptop thing'))
      await save(laptop, setFieldLabel('Laptop title'))
    })
    for (const host of both()) {
      const { conflicts, total } = await until('it is listed', async () => {
        const found = await conflictsOf(host)
        return found.total === 2 ? found : undefined
      })
      expect(total).toBe((await host.get('/sync/status')).body.counts.conflicts)
      const ofItem = conflicts.find(({ item }: { item: { field?: unknown } }) => item.field === undefined)
      expect(ofItem).toMatchObject({
        kind: 'field',
        object: '',
        item: { type: 'object', name, label: 'Laptop thing', property: 'label', isOverlay: false },
        base: 'Thing',
        winner: { value: 'Laptop thing', device: { name: 'Laptop' } },
        losers: [{ value: 'Desk thing', device: { name: 'Desk' } }],
      })
      const ofField = conflicts.find(({ item }: { item: { field?: unknown } }) => item.field !== undefined)
      expect(ofField).toMatchObject({
        item: { name, field: { name: 'title', label: 'Laptop title' }, property: 'label' },
        base: 'Title',
        losers: [{ value: 'Desk title' }],
      })
    }
    // By the words for many, on either machine.
    const ids = (await conflictsOf(desk)).conflicts.map(({ id }: { id: string }) => id)
    const answer = await desk.post('/sync/conflicts/resolve', { ids, choice: 'mine' })
    expect(answer.body).toEqual({ resolved: expect.arrayContaining(ids), failed: [] })
    for (const host of both()) {
      await until('it is as was chosen', async () => {
        const item = await itemOf(host)
        return item.label === 'Desk thing' && item.fields.title.label === 'Desk title'
      })
      await until('it is over', async () => (await conflictsOf(host)).total === 0)
    }
    await inStep(both())
  })

  it('is kept, or gets a value of its own, and can be opened again', async () => {
    await apart(laptop, [desk], async () => {
      await save(desk, setLabel('Desk thing'))
      await save(laptop, setLabel('Laptop thing'))
    })
    const [{ id }] = (await conflictsOf(laptop)).conflicts
    const kept = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'winner' })
    expect([kept.status, kept.body.record, kept.body.conflict.state]).toEqual([200, null, 'resolved'])
    await until('it is over', async () => (await conflictsOf(desk)).total === 0)
    expect((await itemOf(desk)).label).toBe('Laptop thing')
    const over = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'winner' })
    expect([over.status, over.body.error.code]).toEqual([409, 'conflict'])
    expect((await laptop.post(`/sync/conflicts/${id}/reopen`)).body.conflict.state).toBe('open')
    const wrong = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'both' })
    expect(wrong.body.error.details.fieldErrors[0]).toMatchObject({ field: 'choice', code: 'invalid_option' })
    const own = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 'Our thing' })
    expect(own.status, JSON.stringify(own.body)).toBe(200)
    for (const host of both()) await until('it is so', async () => (await itemOf(host)).label === 'Our thing')
    await inStep(both())
  })

  it('ends for all when somebody edits it', async () => {
    await apart(laptop, [desk], async () => {
      await save(desk, setLabel('Desk thing'))
      await save(laptop, setLabel('Laptop thing'))
    })
    for (const host of both()) await until('it is listed', async () => (await conflictsOf(host)).total === 1)
    await save(laptop, setLabel('Edited thing'))
    for (const host of both()) await until('it is over', async () => (await conflictsOf(host)).total === 0)
    expect((await itemOf(desk)).label).toBe('Edited thing')
  })

  it('is seen and decided by those who may change metadata', async () => {
    await apart(laptop, [desk], async () => {
      await save(desk, setLabel('Desk thing'))
      await save(laptop, setLabel('Laptop thing'))
    })
    const [{ id }] = (await conflictsOf(desk)).conflicts
    expect((await desk.as(0).get('/sync/conflicts')).body).toMatchObject({ total: 0, conflicts: [] })
    expect((await desk.as(0).get(`/sync/conflicts/${id}`)).status).toBe(404)
    expect((await desk.as(0).post(`/sync/conflicts/${id}/resolve`, { choice: 'winner' })).status).toBe(404)
    expect((await desk.post(`/sync/conflicts/${id}/resolve`, { choice: 'loser', loser: 0 })).status).toBe(200)
    for (const host of both()) await until('it is so', async () => (await itemOf(host)).label === 'Desk thing')
  })
})
