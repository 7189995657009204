// The search over all objects at once (D-310): what it finds, how it ranks, and that rights hold in every part of the answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { restricted, restrictedPlugins } from '../support/restricted-permissions.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost

const fields = {
  title: { type: 'text' },
  body: { type: 'textarea' },
  inside: { type: 'text' },
  open: { type: 'boolean' },
}

beforeAll(async () => {
  host = await createTestHost({
    plugins: restrictedPlugins({
      hiddenObjects: ['vault'],
      hiddenFields: ['task.inside', 'secretive.title'],
      rows: { task: { open: true } },
    }),
  })
  const search = { search: { fields: ['title', 'body', 'inside'] } }
  await host.defineObject('task', fields, search)
  await host.defineObject('vault', fields, search)
  await host.defineObject('secretive', { title: { type: 'text' }, body: { type: 'textarea' } }, search0())
  await host.defineObject('silent', { title: { type: 'text' } }, { enable: { searchable: false } })
  await host.defineObject('closed', { title: { type: 'text' } }, { enable: { apiEnabled: false } })
  for (const record of [
    { title: 'Budget', open: true },
    { title: 'Budget plan', open: true },
    { title: 'The next Budget', open: true },
    { title: 'Kitchen', body: `${'words '.repeat(60)}and the Büdget of the kitchen ${'more '.repeat(60)}`, open: true },
    { title: 'Budget hidden', open: false },
    { title: 'Other', inside: 'budget', open: true },
  ])
    await host.post('/data/task', record)
  await host.post('/data/vault', { title: 'Budget of the vault' })
  await host.post('/data/secretive', { title: 'Budget named', body: 'plain' })
  await host.post('/data/secretive', { title: 'Named', body: 'a budget in the body' })
})
afterAll(() => host.stop())

function search0() {
  return { search: { fields: ['title', 'body'] } }
}

interface Hit {
  object: string
  title: string | null
  titleRanges: [number, number][]
  match?: { field: string; text: string; ranges: [number, number][] }
}

const find = async (query: string, headers: Record<string, string> = {}) => {
  const { status, body } = await host.get(`/search?${query}`, headers)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as {
    results: Hit[]
    objects: { object: string; total?: number; hasMore: boolean }[]
    incomplete: string[]
  }
}
const titles = ({ results }: { results: Hit[] }) => results.map(({ title }) => title)

describe('GET /search', () => {
  it('finds in all objects, the title itself first, then what begins with it, has it, and mentions it', async () => {
    const found = await find('q=budget&count=true&object=task')
    const all = titles(await find('q=budget'))
    expect(all[0]).toBe('Budget')
    expect(all.indexOf('Budget plan')).toBeLessThan(all.indexOf('The next Budget'))
    expect(all.indexOf('The next Budget')).toBeLessThan(all.indexOf('Kitchen'))
    expect(all).toContain('Budget of the vault')
    expect(found.objects).toEqual([{ object: 'task', total: 6, hasMore: false }])
    expect(await find('q=budget&count=true&objects=task')).toEqual(found)
  })

  it('marks words whatever their accents, and cuts a long text to the part that has them', async () => {
    const { results } = await find('q=budg kitch&object=task')
    const kitchen = results.find(({ title }) => title === 'Kitchen')!
    const { field, text, ranges } = kitchen.match!
    expect(field).toBe('body')
    expect(text.length).toBeLessThan(200)
    expect(ranges.map(([at, length]) => text.slice(at, at + length))).toEqual(['Büdget', 'kitchen'])
    expect(kitchen.titleRanges).toEqual([[0, 7]])
  })

  it('tells a caller of restricted rights no record, field, count or excerpt beyond them', async () => {
    const found = await find('q=budget&count=true', restricted)
    expect(titles(found).toSorted()).toEqual(['Budget', 'Budget plan', 'Kitchen', 'The next Budget', null].toSorted())
    expect(found.objects).toEqual([
      { object: 'secretive', total: 1, hasMore: false },
      { object: 'task', total: 4, hasMore: false },
    ])
    const [blind] = found.results.filter(({ object }) => object === 'secretive')
    expect(blind).toMatchObject({ title: null, titleRanges: [], match: { field: 'body' } })
    for (const object of ['vault', 'absent', 'silent', 'closed'])
      expect((await host.get(`/search?q=budget&object=${object}`, restricted)).status).toBe(404)
  })

  it('refuses a search without words or with too many', async () => {
    expect((await host.get('/search?q=%20')).status).toBe(400)
    expect((await host.get(`/search?q=${'a+'.repeat(100)}`)).body.error.code).toBe('invalid_query')
    expect((await host.get('/search?q=a&limit=51')).status).toBe(400)
    expect((await host.get('/search?q=a&limit=0x10')).status).toBe(400)
    expect((await host.get('/search?q=a&count=1&limit=5')).status).toBe(200)
    expect((await host.anonymous('GET', '/search?q=a')).status).toBe(401)
  })

  it('forgets what goes into the trash and finds what comes back', async () => {
    const { id } = (await host.post('/data/task', { title: 'Wanderer', open: true })).body
    expect(titles(await find('q=wander'))).toEqual(['Wanderer'])
    await host.delete(`/data/task/${id}`)
    expect(titles(await find('q=wander'))).toEqual([])
    await host.post(`/data/task/${id}/restore`)
    expect(titles(await find('q=wander'))).toEqual(['Wanderer'])
  })

  it('finds each of many records by each of its words', { timeout: sized(180_000, 900_000) }, async () => {
    const many = sized(300, 1_200, 10_000)
    const word = (n: number): string => `w${(n * 7919).toString(36)}x${n}`
    await host.defineObject('crowd', { title: { type: 'text' }, body: { type: 'textarea' } }, search0())
    for (let at = 0; at < many; at += 500) {
      const records = Array.from({ length: Math.min(500, many - at) }, (_, index) => ({
        title: `Person ${word(at + index)}`,
        body: `lives in ${word(at + index + many)}`,
      }))
      expect((await host.post('/data/crowd/createMany', { records })).status).toBe(201)
    }
    const step = sized(10, 1)
    for (let at = 0; at < many; at += step) {
      for (const wanted of [word(at), word(at + many)]) {
        const found = await find(`q=${wanted}`)
        expect(titles(found), wanted).toContain(`Person ${word(at)}`)
      }
    }
  })
})
