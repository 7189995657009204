// Full-text search of lists: specification "Query parameters of the list operation" (search), D-57, D-58, D-59, D-88.
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
const ids: Record<string, string> = {}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject(
    'note',
    {
      title: { type: 'text' },
      body: { type: 'textarea' },
      mail: { type: 'email' },
      status: { type: 'select', options: [{ value: 'in_progress', label: 'In Arbeit' }] },
      secret: { type: 'text' },
    },
    { search: { fields: ['title', 'body', 'mail', 'status'] } },
  )
  const rows = {
    plan: { title: 'Budget plan', body: 'Numbers for the board', secret: 'hidden words' },
    cafe: { title: 'Café', body: 'Crème brûlée, budget of the kitchen', mail: 'anna@example.com' },
    tower: { title: '東京タワーの写真', body: 'ภาษาไทย', status: 'in_progress' },
    other: { title: 'Plain', body: 'the plan has no budget plan' },
  }
  for (const [key, row] of Object.entries(rows)) ids[key] = (await host.post('/data/note', row)).body.id
})

afterAll(() => host.stop())

async function search(text: string, more: Record<string, string> = {}): Promise<string[]> {
  const query = new URLSearchParams({ search: text, sort: 'id', ...more })
  const { status, body } = await host.get(`/data/note?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  const names = new Map(Object.entries(ids).map(([key, id]) => [id, key]))
  return body.records.map((record: { id: string }) => names.get(record.id) ?? record.id)
}

/** The texts in the tables of an object's index. FTS5 cuts off what neighbouring words have in common. */
function indexTexts(object: string): string[] {
  const { uid } = host.host.plugins.service('metadata')!.objectSchema(object)!
  const rows = host.host.database.read.all<{ hex: string }>({
    sql: `SELECT hex(block) AS hex FROM "search_${uid}_data" UNION ALL SELECT hex(texts) FROM "search_${uid}_stale"`,
    parameters: [],
  })
  return rows.map(({ hex }) => Buffer.from(hex, 'hex').toString('latin1'))
}

describe('GET /data/:object?search=', () => {
  it.each([
    ['budg', ['plan', 'cafe', 'other']],
    ['BUDGET numbers', ['plan']],
    ['"budget plan"', ['plan', 'other']],
    ['"plan budget"', []],
    ['budget -plan', ['cafe']],
    ['-budget', ['tower']],
    ['cafe', ['cafe']],
    ['creme brulee', ['cafe']],
    ['anna@exam', ['cafe']],
    ['京タ', ['tower']],
    ['ไทย', ['tower']],
    ['arbeit', ['tower']],
    ['in_progress', []],
    ['hidden', []],
    ['title:budget', []],
    ['" OR "', []],
    ['', ['plan', 'cafe', 'tower', 'other']],
  ])('finds %s', async (text, found) => {
    expect(await search(text)).toEqual(found)
  })

  it('narrows to searchFields', async () => {
    expect(await search('budget', { searchFields: 'title' })).toEqual(['plan'])
    const { status, body } = await host.get('/data/note?search=x&searchFields=secret')
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_query' })
  })

  it('counts the matches and joins with filters', async () => {
    const query = new URLSearchParams({
      search: 'budget',
      count: 'true',
      top: '1',
      filter: '{"title":{"$ne":"Plain"}}',
    })
    expect((await host.get(`/data/note?${query}`)).body).toMatchObject({ total: 2, hasMore: true })
  })

  it('answers 400 invalid_query for objects that are not searchable', async () => {
    await host.defineObject('silent', { title: { type: 'text' } }, { enable: { searchable: false } })
    const { status, body } = await host.get('/data/silent?search=x')
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_query' })
  })

  it('follows every change of a record at once', async () => {
    const { id } = (await host.post('/data/note', { title: 'zebra' })).body
    expect(await search('zebra')).toEqual([id])
    await host.patch(`/data/note/${id}`, { title: 'giraffe' })
    expect(await search('zebra')).toEqual([])
    expect(await search('giraffe')).toEqual([id])
    await host.delete(`/data/note/${id}`)
    expect(await search('giraffe')).toEqual([])
    await host.post(`/data/note/${id}/restore`)
    expect(await search('giraffe')).toEqual([id])
    await host.delete(`/data/note/${id}?purge=true`)
    expect(await search('giraffe')).toEqual([])
  })

  it('keeps the words of records in the trash for a moment, and none once they are purged', async () => {
    const { body } = await host.post('/data/note/createMany', {
      records: Array.from({ length: 6 }, (_, at) => ({ title: `pangolin xcanary${at}x`, body: 'beside' })),
    })
    const made = (body.records as { id: string }[]).map(({ id }) => id)
    for (const id of made) await host.delete(`/data/note/${id}`)
    expect(await search('pangolin')).toEqual([])
    const left = (): string[] => indexTexts('note').flatMap((text) => text.match(/pangolin|\dx/g) ?? [])
    expect(left()).not.toEqual([])
    expect((await host.delete(`/data/note/${made[0]}?purge=true`)).status).toBe(200)
    expect(left()).not.toContain('0x')
    expect(left()).toContain('5x')
    for (const id of made.slice(1)) await host.delete(`/data/note/${id}?purge=true`)
    expect(left()).toEqual([])
  })

  it('keeps no word of a record whose purge is answered, also where words are just being struck', async () => {
    await host.defineObject('leaf', { title: { type: 'text' } })
    const { uid } = host.host.plugins.service('metadata')!.objectSchema('leaf')!
    const records = Array.from({ length: 1_000 }, (_, at) => ({
      title: at === 0 ? 'axolotlcanary' : `common word${at}`,
    }))
    const { body } = await host.post('/data/leaf/createMany', { records })
    const made = (body.records as { id: string }[]).map(({ id }) => id)
    await host.post('/data/leaf/deleteMany', { ids: made })
    const search = host.host.plugins.service('search')!
    const struck = { sql: `SELECT count(*) AS n FROM "search_${uid}_stale" WHERE texts = ''`, parameters: [] }
    const cleaning = search.clearStale(host.host.plugins.service('metadata')!.objectSchema('leaf')!)
    while (host.host.database.read.get<{ n: number }>(struck)!.n === 0) await turn()
    expect((await host.delete(`/data/leaf/${made[0]}?purge=true`)).status).toBe(200)
    expect(indexTexts('leaf').some((text) => text.includes('axolotl'))).toBe(false)
    await cleaning
  })

  it('finds the records of a batch and forgets those of one that is rolled back', async () => {
    await host.post('/data/note/createMany', { records: [{ title: 'quokka one' }, { title: 'quokka two' }] })
    expect(await search('quokka')).toHaveLength(2)
    const failing = await host.post('/data/note/createMany', { records: [{ title: 'quokka three' }, { nothing: 1 }] })
    expect(failing.status).toBe(400)
    expect(await search('quokka')).toHaveLength(2)
  })

  it('finds by new labels and new fields as soon as the object is saved, and after a restart', async () => {
    const { item } = (await host.get('/meta/object/note')).body
    const fields = {
      ...item.fields,
      status: { ...item.fields.status, options: [{ value: 'in_progress', label: 'Läuft' }] },
    }
    await host.put('/meta/object/note', { ...item, fields, search: { fields: ['title', 'status', 'secret'] } })
    expect(await search('lauft')).toEqual(['tower'])
    expect(await search('arbeit')).toEqual([])
    expect(await search('hidden')).toEqual(['plan'])
    await host.restart()
    expect(await search('lauft')).toEqual(['tower'])
    expect(await search('numbers')).toEqual([])
  })
})
