// The words of a list query one by one, at their edges: D-72 to D-90. What they mean together is in the property tests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let project: string

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('client', { name: { type: 'text' } })
  await host.defineObject('project', {
    name: { type: 'text' },
    client: { type: 'lookup', reference: 'client', relationshipName: 'projects' },
  })
  await host.defineObject('task', {
    title: { type: 'text' },
    n: { type: 'number' },
    status: { type: 'select', options: ['b', 'a'] },
    tags: { type: 'tags' },
    day: { type: 'date' },
    flag: { type: 'boolean' },
    word: { type: 'text', caseSensitive: false },
    hidden: { type: 'text', sortable: false },
    project: { type: 'lookup', reference: 'project' },
    data: { type: 'json' },
    place: { type: 'address' },
    link: { type: 'record' },
  })
  const client = (await host.post('/data/client', { name: 'C' })).body.id
  project = (await host.post('/data/project', { name: 'P', client })).body.id
  const rows = [
    {
      title: 'one',
      n: 1,
      status: 'a',
      tags: ['x', 'y'],
      day: '2026-01-01',
      flag: true,
      word: 'Straße',
      project,
      data: { a: [1, 2], b: 'true' },
      link: { object: 'project', id: project },
    },
    { title: 'two', n: 2, status: 'b', tags: ['x'], word: 'ÄRGER' },
    { title: 'three', tags: [] },
  ]
  expect((await host.post('/data/task/createMany', rows)).status).toBe(201)
})
afterAll(() => host.stop())

type Row = Record<string, unknown>
const told = (answer: Awaited<ReturnType<TestHost['get']>>): unknown => {
  if (answer.status !== 200) return `${answer.status} ${answer.body.error.code} ${answer.body.error.details.parameter}`
  return answer.body.records.map((record: Row) => record['title'] ?? record)
}
const get = async (query: string) => told(await host.get(`/data/task?${query}`))
const post = async (words: Row, object = 'task') => told(await host.post(`/data/${object}/query`, words))
const all = ['one', 'two', 'three']

describe('parameters of a list (D-72, D-73, D-75)', () => {
  it.each<[string, unknown]>([
    ['$filter=1', '400 invalid_query $filter'],
    ['limit=1', ['one']],
    ['offset=1', ['two', 'three']],
    ['top=1&limit=2', ['one']],
    ['skip=2&offset=0', ['three']],
    ['sort=n&orderBy=-n', ['three', 'one', 'two']],
    ['top=0', '400 invalid_query top'],
    ['top=', '400 invalid_query top'],
    ['skip=-1', '400 invalid_query skip'],
    ['count=perhaps', '400 invalid_query count'],
    ['cursor=abc', '400 invalid_query cursor'],
    ['cursor=', all],
    ['status=a&status=b', ['one', 'two']],
    ['n=1e0', ['one']],
    ['n=abc', '400 invalid_query n'],
    ['filter={"n":9007199254740993}', '400 invalid_query filter'],
    ['filter={"n":1}&filter={"n":2}', '400 invalid_query filter'],
    ['filter={"n":1}&filter=', '400 invalid_query filter'],
    ['filter={"n":1}&filter={"n":1}', ['one']],
    ['search=a&search=b', '400 invalid_query search'],
    ['title=', []],
    ['title=null', []],
    ['n=null', ['three']],
    ['n=2&n=null', ['two', 'three']],
    ['Title=one', '400 invalid_query Title'],
    ['__proto__=1', '400 invalid_query __proto__'],
    ['constructor=1', '400 invalid_query constructor'],
    ['data.__proto__=1', []],
    ['data.b=true', ['one']],
    ['project.client.name=C', ['one']],
    ['project.nope=1', '400 invalid_query project.nope'],
    ['project=xyz', []],
    ['day=2026-01-01', ['one']],
    ['flag=1', ['one']],
    ['flag=yes', '400 invalid_query flag'],
    ['link.object=project', ['one']],
    ['filter=', all],
    ['filter=[]', all],
    ['filter="x"', '400 invalid_query filter'],
    ['filter={"n":1}&status=b', []],
    ['filter={"n":{"$gte":1}}&tags=y', ['one']],
    ['filter={"__proto__":{"n":1}}', '400 invalid_query filter'],
    ['filter={"constructor":1}', '400 invalid_query filter'],
    ['deleted=x', '400 invalid_query deleted'],
    ['having={"count":1}', '400 invalid_query having'],
  ])('%s', async (query, expected) => {
    expect(await get(query)).toEqual(expected)
  })
})

describe('sorts (D-78)', () => {
  it.each<[string, unknown]>([
    ['sort=', all],
    ['sort=title,title', ['one', 'three', 'two']],
    ['sort=%2Btitle', ['one', 'three', 'two']],
    ['sort=title%20DESC', ['two', 'three', 'one']],
    ['sort=title%20upwards', '400 invalid_query sort'],
    ['sort=tags', '400 invalid_query sort'],
    ['sort=hidden', '400 invalid_query sort'],
    ['sort=data.a', '400 invalid_query sort'],
    ['sort=place', '400 invalid_query sort'],
    ['sort=TITLE', '400 invalid_query sort'],
    ['sort=status', ['three', 'two', 'one']],
    ['sort=-project,n', ['one', 'three', 'two']],
    ['sort=-project.client.name', ['one', 'three', 'two']],
    ['sort=project.client.name.x', '400 invalid_query sort'],
    ['sort=-id', ['three', 'two', 'one']],
    ['sort=[{"field":"n","order":"sideways"}]', '400 invalid_query sort'],
  ])('%s', async (query, expected) => {
    expect(await get(query)).toEqual(expected)
  })
})

describe('bodies of POST query (D-74)', () => {
  it.each<[Row, unknown]>([
    [{ where: { n: 1 } }, ['one']],
    [{ filters: { n: 1 } }, ['one']],
    [{ filter: { n: 1 }, where: { n: 2 } }, ['one']],
    [{ filter: '{"n":1}' }, ['one']],
    [{ filter: ['n', '=', 1] }, ['one']],
    [{ fields: 'title', limit: 1, offset: 1 }, ['two']],
    [{ top: '2' }, ['one', 'two']],
    [{ top: 1.5 }, '400 invalid_query top'],
    [{ sort: [['n', 'desc']] }, ['two', 'one', 'three']],
    [{ orderBy: ['-n'] }, ['two', 'one', 'three']],
    [{ unknown: 1 }, all],
    [{ joins: [] }, '400 invalid_query joins'],
    [{ windowFunctions: [] }, '400 invalid_query windowFunctions'],
    [{ search: { query: 'one two', operator: 'or' } }, ['one', 'two']],
    [{ search: { query: 'one two' } }, []],
    [{ search: { query: 'one two -one', operator: 'or' } }, ['two']],
    [{ search: { query: 'one', operator: 'xor' } }, '400 invalid_query search'],
    [{ search: { query: 'one', fields: ['title'] } }, ['one']],
    [{ search: 'one', searchFields: 'title' }, ['one']],
    [{ search: 'one', searchFields: 'n' }, '400 invalid_query search'],
    [{ search: 5 }, '400 invalid_query search'],
    [{ search: '' }, all],
  ])('%j', async (words, expected) => {
    expect(await post(words)).toEqual(expected)
  })
})

describe('filters (D-79 to D-85)', () => {
  const refused = '400 invalid_query filter'
  it.each<[unknown, unknown]>([
    [{ $search: 'one' }, ['one']],
    [{ title: { $search: 'one' } }, ['one']],
    [{ $or: [{ $search: 'one' }, { n: 2 }] }, ['one', 'two']],
    [{ $not: { $search: 'one' } }, ['two', 'three']],
    [{ project: { $search: 'P' } }, refused],
    [{ $search: { query: 'x' } }, refused],
    [{ title: { $like: 'o%' } }, refused],
    [['title', 'like', 'o%'], ['one']],
    [['title', 'LIKE', 'ne'], ['one']],
    [['title', 'ilike', 'O%'], ['one']],
    [['title', '$like', 'o%'], refused],
    [{ field: 'title', operator: 'like', value: '_ne' }, ['one']],
    [{ field: 'n', operator: 'is_not_null' }, ['one', 'two']],
    [{ field: 'title', operator: 'resembles', value: 'x' }, refused],
    [['and'], all],
    [['or'], []],
    [['not', ['n', '=', 1], ['n', '=', 2]], refused],
    [['n', '=', null], ['three']],
    [['n', '='], refused],
    [['n', '!='], refused],
    [{ field: 'n', operator: '=' }, refused],
    [['n', 'is_null'], ['three']],
    [
      ['n', '!=', null],
      ['one', 'two'],
    ],
    [['n', 'in', 1], refused],
    [
      ['n', 'between', [1, 2]],
      ['one', 'two'],
    ],
    [['tags', 'any', ['y']], ['one']],
    [['tags', '$all', ['x', 'y']], ['one']],
    [{ n: { $in: [1, null] } }, ['one', 'three']],
    [{ n: { $nin: [1, null] } }, ['two']],
    [{ n: { $in: [] } }, refused],
    [{ n: { $in: Array.from({ length: 1_001 }, (_, i) => i) } }, refused],
    [{ n: { $in: Array.from({ length: 1_000 }, (_, i) => i) } }, ['one', 'two']],
    [{ n: {} }, refused],
    [{ n: { $gt: 1, foo: 2 } }, refused],
    [{ n: { $gte: null } }, refused],
    [{ n: { $not: { $gt: 1 } } }, ['one', 'three']],
    [{ $nor: [] }, all],
    [{ $and: {} }, refused],
    [{ $not: [] }, []],
    [{ project: { client: { name: 'C' } } }, ['one']],
    [{ 'project.client': { name: { $ne: 'C' } } }, ['two', 'three']],
    [{ tags: ['x', 'q'] }, ['one', 'two']],
    [{ tags: 'x' }, refused],
    [{ tags: { $nin: ['x'] } }, refused],
    [{ tags: null }, ['three']],
    [{ word: 'STRASSE' }, []],
    [{ word: 'STRAẞE' }, ['one']],
    [{ word: 'ärger' }, ['two']],
    [{ title: 'ONE' }, []],
    [{ flag: 'true' }, ['one']],
    [{ n: '1' }, ['one']],
    [{ title: 1 }, refused],
    [{ day: { $startOf: 'decade' } }, refused],
    [{ day: { $today: '5x' } }, refused],
    [{ day: { $during: 'sometimes' } }, refused],
    [{ day: { $lt: { $today: '-1d' } } }, ['one']],
    [['day', '<', '{today-1d}'], ['one']],
    [{ n: { $between: [1] } }, refused],
    [{ n: { $eq: { $field: 'n' } } }, ['one', 'two']],
    [{ title: { $ne: { $field: 'word' } } }, all],
    [{ n: { $gt: { $field: 'title' } } }, refused],
    [{ created_by: { $user: 'id' } }, all],
    [['owner', '=', '{me}'], all],
    [{ 'project.client.name.x': 1 }, refused],
    [{ deleted_at: null }, all],
    [{ id: { $startsWith: '0' } }, refused],
    [{ 'data.a': [1, 2] }, []],
    [{ 'data.b': { $in: ['true', 5] } }, ['one']],
  ])('%j', async (filter, expected) => {
    expect(await post({ filter })).toEqual(expected)
  })

  it('hold at most 100 conditions in at most 16 levels', async () => {
    const flat = (count: number) => ({ $or: Array.from({ length: count }, (_, n) => ({ n })) })
    expect(await post({ filter: flat(100) })).toEqual(['one', 'two'])
    expect(await post({ filter: flat(101) })).toBe(refused)
    const deep = (levels: number): unknown =>
      Array.from({ length: levels - 1 }).reduce((inner) => ({ $and: [inner] }), { n: 1 })
    expect(await post({ filter: deep(16) })).toEqual(['one'])
    expect(await post({ filter: deep(17) })).toBe(refused)
  })

  it('reach records over three relations, not over four', async () => {
    await host.defineObject('step', { title: { type: 'text' }, task: { type: 'lookup', reference: 'task' } })
    const first = (await host.post('/data/task/query', { filter: { n: 1 } })).body.records[0].id
    await host.post('/data/step', { title: 'step', task: first })
    expect(await post({ filter: { 'task.project.client.name': 'C' } }, 'step')).toEqual(['step'])
    expect(await post({ sort: 'task.project.client.name' }, 'step')).toEqual(['step'])
    await host.defineObject('leaf', { title: { type: 'text' }, step: { type: 'lookup', reference: 'step' } })
    expect(await post({ filter: { 'step.task.project.client.name': 'C' } }, 'leaf')).toBe(refused)
  })
})

describe('distinct rows and groups (D-89, D-90)', () => {
  it.each<[Row, unknown]>([
    [{ select: 'status', distinct: true }, [{ status: null }, { status: 'b' }, { status: 'a' }]],
    [{ select: 'project.name', distinct: true }, '400 invalid_query expand'],
    [{ distinct: true }, '400 invalid_query distinct'],
    [{ groupBy: 'status' }, [{ status: null }, { status: 'b' }, { status: 'a' }]],
    [{ groupBy: 'status', sort: '-status', top: 1 }, [{ status: 'a' }]],
    [{ groupBy: 'status', sort: 'title' }, '400 invalid_query sort'],
    [{ groupBy: 'status', having: { status: ['a'] } }, [{ status: 'a' }]],
    [
      { groupBy: ['tags'], aggregations: [{ function: 'count', alias: 'c' }], having: { c: { $gt: 1 } } },
      [{ tags: 'x', c: 2 }],
    ],
    [
      { groupBy: 'project.client.name', aggregations: [{ function: 'max', field: 'n' }] },
      [
        { 'project.client.name': null, max_n: 2 },
        { 'project.client.name': 'C', max_n: 1 },
      ],
    ],
    [
      { groupBy: [{ field: 'day', dateGranularity: 'quarter', alias: 'q' }], having: { q: '2026-01-01' } },
      [{ q: '2026-01-01' }],
    ],
    [{ groupBy: [{ field: 'n', dateGranularity: 'month' }] }, '400 invalid_query groupBy'],
    [{ groupBy: [{ field: 'day', dateGranularity: 'decade' }] }, '400 invalid_query groupBy'],
    [{ groupBy: 'data' }, '400 invalid_query groupBy'],
    [
      {
        aggregations: [
          { function: 'count', filter: { n: { $gte: 2 } } },
          { function: 'avg', field: 'n' },
        ],
      },
      [{ count: 1, avg_n: 1.5 }],
    ],
    [{ aggregations: [{ function: 'sum', field: 'n' }], filter: { n: 99 } }, [{ sum_n: null }]],
    [{ aggregations: [{ function: 'count' }], filter: { n: 99 } }, [{ count: 0 }]],
    [{ aggregations: [{ function: 'median', field: 'n' }] }, '400 invalid_query aggregations'],
    [{ aggregations: [{ function: 'max', field: 'title' }] }, '400 invalid_query aggregations'],
    [
      {
        aggregations: [
          { function: 'sum', field: 'n' },
          { function: 'sum', field: 'n' },
        ],
      },
      '400 invalid_query aggregations',
    ],
    [{ groupBy: 'status', top: 10_001 }, '400 invalid_query top'],
    [{ groupBy: 'status', search: 'one' }, [{ status: 'a' }]],
  ])('%j', async (words, expected) => {
    expect(await post(words)).toEqual(expected)
  })

  it('group links to any record by the link', async () => {
    expect(await post({ groupBy: 'link', aggregations: [{ function: 'count' }] })).toEqual([
      { link: null, count: 2 },
      { link: { object: 'project', id: project }, count: 1 },
    ])
  })
})
