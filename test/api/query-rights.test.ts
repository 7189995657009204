// Reading rights in every clause of a query (D-25, D-87, D-88): what may not be read behaves as if it did not exist.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { restricted, restrictedPlugins } from '../support/restricted-permissions.ts'

let host: TestHost
let projects: string[]

beforeAll(async () => {
  host = await createTestHost({
    plugins: restrictedPlugins({
      hiddenObjects: ['vault'],
      hiddenFields: ['task.pay', 'task.inside', 'project.budget', 'task.boss', 'project.secret_tags', 'note.body'],
      rows: { task: { open: true }, project: { public: true } },
    }),
  })
  await host.defineObject('vault', { name: { type: 'text' } })
  await host.defineObject('project', {
    name: { type: 'text' },
    budget: { type: 'number' },
    public: { type: 'boolean' },
    secret_tags: { type: 'tags' },
  })
  await host.defineObject(
    'task',
    {
      title: { type: 'text' },
      open: { type: 'boolean' },
      pay: { type: 'number' },
      inside: { type: 'text' },
      project: { type: 'lookup', reference: 'project', relationshipName: 'tasks' },
      boss: { type: 'lookup', reference: 'project', relationshipName: 'bossed' },
      vault: { type: 'lookup', reference: 'vault' },
    },
    { search: { fields: ['title', 'inside'] } },
  )
  await host.defineObject(
    'note',
    { body: { type: 'text' }, rank: { type: 'number' } },
    { search: { fields: ['body'] } },
  )
  await host.post('/data/note', { body: 'treasure', rank: 1 })
  const vault = (await host.post('/data/vault', { name: 'gold' })).body.id
  projects = (
    await host.post('/data/project/createMany', [
      { name: 'P', budget: 5, public: true },
      { name: 'Q', budget: 7, public: false },
    ])
  ).body.records.map((record: { id: string }) => record.id)
  const rows = [
    { title: 'one', open: true, pay: 1, inside: 'treasure', project: projects[0], boss: projects[1], vault },
    { title: 'two', open: false, pay: 2, inside: 'treasure', project: projects[0] },
    { title: 'three', open: true, pay: 3, project: projects[1] },
  ]
  expect((await host.post('/data/task/createMany', rows)).status).toBe(201)
})
afterAll(() => host.stop())

const ask = (words: Record<string, unknown>, object = 'task') => host.post(`/data/${object}/query`, words, restricted)
const found = async (words: Record<string, unknown>, object = 'task') => {
  const { status, body } = await ask(words, object)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.records as Record<string, any>[] // oxlint-disable-line no-explicit-any -- tests reach into bodies freely
}
const titles = async (words: Record<string, unknown>) => (await found(words)).map((record) => record['title'])

describe('a field that may not be read', () => {
  /** The same clause with a field that does not exist. */
  const clauses: readonly (readonly [name: string, words: (field: string) => Record<string, unknown>])[] = [
    ['a filter', (field) => ({ filter: { [field]: 1 } })],
    ['a filter in array form', (field) => ({ filter: [field, 'is_null'] })],
    ['a negated filter', (field) => ({ filter: { $not: { [field]: null } } })],
    ['a comparison of fields', (field) => ({ filter: { title: { $field: field } } })],
    ['a sort', (field) => ({ sort: `-${field}` })],
    ['a select', (field) => ({ select: ['title', field] })],
    ['distinct rows', (field) => ({ select: field, distinct: true })],
    ['a group', (field) => ({ groupBy: field })],
    ['an aggregation', (field) => ({ aggregations: [{ function: 'sum', field }] })],
    [
      'a filter of an aggregation',
      (field) => ({ aggregations: [{ function: 'count', filter: { [field]: { $null: true } } }] }),
    ],
    ['a searched field', (field) => ({ search: { query: 'x', fields: [field] } })],
    ['fields of an expansion', (field) => ({ expand: { project: { fields: [field] } } })],
    ['the condition of an expansion', (field) => ({ expand: { project: { where: { [field]: null } } } })],
    ['the order of an expansion', (field) => ({ expand: { project: { orderBy: field } } })],
    ['a path', (field) => ({ filter: { [`project.${field}`]: 1 } })],
    ['a sort by a path', (field) => ({ sort: `project.${field}` })],
    ['a group by a path', (field) => ({ groupBy: `project.${field}` })],
    ['a select by a path', (field) => ({ select: `project.${field}` })],
  ]

  it.each(clauses)('is unknown to %s', async (_name, words) => {
    const names = ['pay', 'inside', 'budget']
    const unknown = await ask(words('zzz'))
    expect(unknown.status, JSON.stringify(unknown.body)).toBe(400)
    for (const name of names) {
      const hidden = await ask(words(name))
      expect(hidden.status, JSON.stringify(hidden.body)).toBe(400)
      const told = JSON.stringify(hidden.body.error.details).replaceAll(name, 'zzz')
      expect(JSON.parse(told)).toEqual(unknown.body.error.details)
      expect(hidden.body.error.message).toBe(unknown.body.error.message)
    }
  })

  it('is unknown to loose conditions', async () => {
    const unknown = await host.get('/data/task?zzz=1', restricted)
    const hidden = await host.get('/data/task?pay=1', restricted)
    expect([hidden.status, hidden.body.error.code]).toEqual([400, 'invalid_query'])
    expect(JSON.stringify(hidden.body.error.details).replaceAll('pay', 'zzz')).toBe(
      JSON.stringify(unknown.body.error.details),
    )
  })

  it('is absent from records, related records and children', async () => {
    const [record] = await found({ expand: 'project', sort: 'title' })
    expect(record).not.toHaveProperty('pay')
    expect(record).toHaveProperty('title', 'one')
    expect(record!['project']).toMatchObject({ name: 'P' })
    expect(record!['project']).not.toHaveProperty('budget')
    const [project] = await found({ expand: 'tasks' }, 'project')
    expect(project!['tasks'][0]).not.toHaveProperty('pay')
  })

  it('is neither found by a search nor excluded by one', async () => {
    expect(await titles({ search: 'treasure' })).toEqual([])
    expect(await titles({ search: 'one -treasure' })).toEqual(['one'])
    expect(await titles({ filter: { $search: 'treasure' } })).toEqual([])
    // The only searched field is hidden: nothing at all can be found.
    expect(await found({ search: 'treasure' }, 'note')).toEqual([])
    expect((await host.post('/data/note/query', { search: 'treasure' })).body.records).toHaveLength(1)
  })

  it('leads nowhere when it is a relation', async () => {
    for (const words of [{ expand: 'boss' }, { filter: { 'boss.name': 'Q' } }, { sort: 'boss' }]) {
      expect((await ask(words)).body.error.code).toBe('invalid_query')
    }
    expect((await ask({ expand: 'bossed' }, 'project')).body.error.code).toBe('invalid_query')
  })
})

describe('an object that may not be read', () => {
  it('cannot be reached over a relation', async () => {
    for (const words of [
      { filter: { 'vault.name': 'gold' } },
      { sort: 'vault.name' },
      { groupBy: 'vault.name' },
      { expand: 'vault' },
      { select: 'vault.name' },
    ]) {
      const { status, body } = await ask(words)
      expect([status, body.error.code], JSON.stringify(words)).toEqual([400, 'invalid_query'])
    }
    expect((await found({ filter: { vault: { $null: false } } }))[0]!['vault']).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('records that may not be read', () => {
  it('take part in nothing', async () => {
    expect(await titles({ sort: 'title' })).toEqual(['one', 'three'])
    expect((await ask({ count: true })).body.total).toBe(2)
    expect(await found({ aggregations: [{ function: 'count' }] })).toEqual([{ count: 2 }])
    expect(await found({ select: 'open', distinct: true })).toEqual([{ open: true }])
    expect(await titles({ search: 'two' })).toEqual([])
  })

  it('are not seen through relations', async () => {
    expect(await titles({ filter: { 'project.name': 'Q' } })).toEqual([])
    expect(await titles({ filter: { 'project.name': { $ne: 'Q' } }, sort: 'title' })).toEqual(['one', 'three'])
    // Sorted as if the project had no name.
    expect(await titles({ sort: 'project.name' })).toEqual(['three', 'one'])
    expect(await titles({ sort: 'project' })).toEqual(['three', 'one'])
    expect(await found({ groupBy: 'project.name', aggregations: [{ function: 'count' }] })).toEqual([
      { 'project.name': null, count: 1 },
      { 'project.name': 'P', count: 1 },
    ])
  })

  it('are left out by rules that an explained statement does not tell', async () => {
    // The rules are about fields that only rules may use here.
    const rules = await createTestHost({
      plugins: restrictedPlugins({
        hiddenObjects: [],
        hiddenFields: ['matter.class', 'client.rank'],
        rows: { matter: { class: 'ORION' }, client: { rank: 'VIP' } },
      }),
    })
    try {
      await rules.defineObject('client', { name: { type: 'text' }, rank: { type: 'text' } })
      const client = { type: 'lookup', reference: 'client' }
      await rules.defineObject('matter', { name: { type: 'text' }, class: { type: 'text' }, client })
      const asked = { cube: 'matter', measures: ['count'], dimensions: ['client.name'] }
      const { status, body } = await rules.post('/analytics/explain', asked, restricted)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/class|rank|ORION|VIP/)
    } finally {
      await rules.stop()
    }
  })

  it('stay ids in expansions and are no children', async () => {
    const records = await found({ expand: 'project', sort: '-title' })
    expect(records.map((record) => record['project'])).toEqual([projects[1], expect.objectContaining({ name: 'P' })])
    const [project] = await found({ expand: 'tasks' }, 'project')
    expect(project!['tasks'].map((task: { title: string }) => task.title)).toEqual(['one'])
  })
})
