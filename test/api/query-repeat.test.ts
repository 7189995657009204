// Lists that are asked for again and again: their plan is remembered, their answer never.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

const day = 86_400_000
const clock = createManualClock(Date.UTC(2026, 5, 15, 12))
let host: TestHost

beforeAll(async () => {
  host = await createTestHost({ clock })
  await host.defineObject('owner_of', { name: { type: 'text' } })
  await host.defineObject('item', {
    title: { type: 'text', index: true },
    due: { type: 'date' },
    at: { type: 'datetime' },
    link: { type: 'lookup', reference: 'owner_of' },
  })
})
afterAll(() => host.stop())

const list = async (query: string): Promise<Record<string, unknown>[]> => {
  // Three times: read anew, remembered, and from memory.
  const answers = []
  for (let time = 0; time < 3; time++) answers.push(await host.get(`/data/item?${query}`))
  for (const { status, body } of answers) {
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toEqual(answers[0]!.body)
  }
  return answers[2]!.body.records
}
const titles = async (query: string) => (await list(query)).map((record) => record['title'])
const add = async (record: Record<string, unknown>): Promise<string> => (await host.post('/data/item', record)).body.id

describe('a list that is asked for again', () => {
  it('shows every write at once', async () => {
    const query = `filter=${encodeURIComponent('{"title":{"$gte":"a"}}')}&sort=title`
    expect(await titles(query)).toEqual([])
    const id = await add({ title: 'b' })
    expect(await titles(query)).toEqual(['b'])
    await add({ title: 'a' })
    expect(await titles(query)).toEqual(['a', 'b'])
    await host.patch(`/data/item/${id}`, { title: 'c' })
    expect(await titles(query)).toEqual(['a', 'c'])
    await host.delete(`/data/item/${id}`)
    expect(await titles(query)).toEqual(['a'])
    await host.post(`/data/item/${id}/restore`)
    expect(await titles(query)).toEqual(['a', 'c'])
  })

  it('goes on with the cursor it gives, the same each time', async () => {
    await add({ title: 'd' })
    const cursors = []
    for (let time = 0; time < 3; time++) cursors.push((await host.get('/data/item?sort=title&top=2')).body.nextCursor)
    expect(new Set(cursors.slice(1)).size).toBe(1)
    for (const cursor of cursors) {
      const { body } = await host.get(`/data/item?sort=title&top=2&cursor=${cursor}`)
      expect(body.records.map((record: { title: string }) => record.title)).toEqual(['d'])
    }
  })

  it('shows the related record as it is now, and its id when it is gone', async () => {
    const owner = (await host.post('/data/owner_of', { name: 'first' })).body.id
    await add({ title: 'linked', link: owner })
    const related = async () => (await list('title=linked&expand=link'))[0]!['link']
    expect(await related()).toMatchObject({ name: 'first' })
    await host.patch(`/data/owner_of/${owner}`, { name: 'second' })
    expect(await related()).toMatchObject({ name: 'second' })
    await host.delete(`/data/owner_of/${owner}`)
    expect(await related()).toBeNull()
  })

  it('follows the clock in every macro', async () => {
    await add({ title: 'due', due: '2026-06-15' })
    const queries = ['{"due":{"$today":""}}', '["due","=","{today}"]', '{"due":{"$during":"today"}}']
    const loose = 'due={today}'
    for (const filter of queries) expect(await titles(`filter=${encodeURIComponent(filter)}`)).toEqual(['due'])
    expect(await titles(loose)).toEqual(['due'])
    clock.advance(day)
    for (const filter of queries) expect(await titles(`filter=${encodeURIComponent(filter)}`)).toEqual([])
    expect(await titles(loose)).toEqual([])
  })

  it('follows the zone of the workspace', async () => {
    await add({ title: 'late', at: '2026-06-15T22:30:00Z' })
    const query = `filter=${encodeURIComponent('{"at":"2026-06-16"}')}`
    expect(await titles(query)).toEqual([])
    await host.patch('/settings', { timezone: 'Europe/Berlin' })
    expect(await titles(query)).toEqual(['late'])
  })

  it('follows the definition of its object and of related ones', async () => {
    const owner = (await host.post('/data/owner_of', { name: 'kept' })).body.id
    await add({ title: 'kin', link: owner })
    const fields = async () => Object.keys((await list('title=kin&expand=link'))[0]!)
    const related = async () => Object.keys((await list('title=kin&expand=link'))[0]!['link'] as object)
    expect(await fields()).not.toContain('extra')
    expect(await related()).not.toContain('more')
    const change = async (object: string, name: string) => {
      const { item } = (await host.get(`/meta/object/${object}`)).body
      const saved = await host.put(`/meta/object/${object}`, {
        ...item,
        fields: { ...item.fields, [name]: { type: 'text' } },
      })
      expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    }
    await change('item', 'extra')
    await change('owner_of', 'more')
    expect(await fields()).toContain('extra')
    expect(await related()).toContain('more')
  })

  it('is refused again when it was refused', async () => {
    for (let time = 0; time < 3; time++) expect((await host.get('/data/item?nope=1')).status).toBe(400)
    for (let time = 0; time < 3; time++) expect((await host.get('/data/item?expand=nope')).status).toBe(400)
  })
})
