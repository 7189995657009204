// Lists: specification "Query parameters of the list operation", D-72 to D-91.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let ids: string[]
let projects: string[]

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('client', { name: { type: 'text', required: true }, city: { type: 'text' } })
  await host.defineObject('project', {
    name: { type: 'text', required: true },
    client: { type: 'lookup', reference: 'client', relationshipName: 'projects' },
  })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    status: { type: 'select', options: ['open', 'doing', 'done'] },
    priority: { type: 'number' },
    done: { type: 'boolean' },
    due: { type: 'date' },
    seen: { type: 'datetime' },
    tags: { type: 'tags' },
    mail: { type: 'email' },
    extra: { type: 'json' },
    project: { type: 'lookup', reference: 'project' },
    watchers: { type: 'lookup', reference: 'project', multiple: true },
  })
  await host.patch('/settings', { timezone: 'Europe/Berlin' })
  const clients = (
    await host.post('/data/client/createMany', [
      { name: 'Acme', city: 'Bonn' },
      { name: 'Zeta', city: 'Ulm' },
    ])
  ).body.records
  const made = await host.post('/data/project/createMany', [
    { name: 'Alpha', client: clients[0].id },
    { name: 'Beta', client: clients[1].id },
  ])
  projects = made.body.records.map((record: { id: string }) => record.id)
  const rows = [
    {
      title: 'apple',
      status: 'open',
      priority: 3,
      done: false,
      due: '2026-01-10',
      seen: '2026-01-10T22:30:00Z',
      tags: ['red', 'fruit'],
      mail: 'A@x.org',
      extra: { a: { b: 5 } },
      project: projects[0],
      watchers: [projects[0], projects[1]],
    },
    {
      title: 'Banana',
      status: 'doing',
      priority: 1,
      done: true,
      due: '2026-01-11',
      seen: '2026-01-11T00:30:00Z',
      tags: ['yellow', 'fruit'],
      project: projects[1],
      watchers: [projects[1]],
    },
    { title: 'cherry', status: 'done', priority: 2.5, done: true, due: null, tags: [], extra: { a: { b: 'x' } } },
    { title: 'Äpfel 100%', status: null, priority: null, done: null, due: '2026-02-01' },
    { title: 'apple pie_', status: 'open', priority: 3, done: false, due: '2025-12-31', tags: ['red'] },
  ]
  ids = (await host.post('/data/task/createMany', rows)).body.records.map((record: { id: string }) => record.id)
})

afterAll(() => host.stop())

const list = (parameters: Record<string, string | string[]>) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) for (const one of [value].flat()) search.append(name, one)
  return host.get(`/data/task?${search}`)
}
const titles = async (parameters: Record<string, string | string[]>) => {
  const answer = await list({ sort: 'id', ...parameters })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.records.map((record: { title: string }) => record.title) as string[]
}
const matching = (filter: unknown) => titles({ filter: JSON.stringify(filter) })
const refused = async (parameters: Record<string, string | string[]>) => {
  const answer = await list(parameters)
  expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  expect(answer.body.error.code).toBe('invalid_query')
  return answer.body.error.details
}

describe('GET /data/:object', () => {
  it('answers object, records and hasMore, 20 records by default, in creation order', async () => {
    await host.defineObject('many', { n: { type: 'number' } })
    await host.post(
      '/data/many/createMany',
      Array.from({ length: 25 }, (_, n) => ({ n })),
    )
    const { body } = await host.get('/data/many')
    expect(body.object).toBe('many')
    expect(body.records.map((record: { n: number }) => record.n)).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(body.hasMore).toBe(true)
    expect(body).not.toHaveProperty('total')
    expect(typeof body.nextCursor).toBe('string')
    const rest = (await host.get(`/data/many?cursor=${body.nextCursor}`)).body
    expect(rest.records.map((record: { n: number }) => record.n)).toEqual([20, 21, 22, 23, 24])
    expect(rest.hasMore).toBe(false)
    expect(rest).not.toHaveProperty('nextCursor')
  })

  it('answers 404 for an unknown object', async () => {
    expect((await host.get('/data/none')).status).toBe(404)
  })
})

describe('top, skip, count', () => {
  it('page by offset and count exactly on request', async () => {
    const { body } = await list({ top: '2', skip: '1', count: 'true', sort: 'id' })
    expect(body.records).toHaveLength(2)
    expect(body).toMatchObject({ total: 5, hasMore: true })
    expect((await list({ count: '' })).body.total).toBe(5)
    expect((await list({ count: 'false' })).body).not.toHaveProperty('total')
  })

  it('refuse bad values and a page over 1,000', async () => {
    expect(await refused({ top: '0' })).toMatchObject({ parameter: 'top' })
    expect(await refused({ top: '1001' })).toMatchObject({ parameter: 'top', limit: 1000 })
    for (const bad of ['-1', '1.5', 'x', '1e3']) await refused({ top: bad })
    await refused({ skip: '-1' })
    await refused({ count: 'maybe' })
    expect((await list({ top: '1000' })).status).toBe(200)
  })
})

describe('cursor', () => {
  it('is bound to filter, sort and search, excludes skip, and cannot be forged (C8)', async () => {
    const { nextCursor } = (await list({ top: '2', sort: 'priority' })).body
    expect((await list({ top: '2', sort: 'priority', cursor: nextCursor })).status).toBe(200)
    await refused({ top: '2', sort: '-priority', cursor: nextCursor })
    await refused({ top: '2', sort: 'priority', cursor: nextCursor, filter: '{"done":true}' })
    await refused({ top: '2', sort: 'priority', cursor: nextCursor, skip: '1' })
    await refused({ top: '2', sort: 'priority', cursor: `${nextCursor.slice(0, -2)}AA` })
    await refused({ cursor: 'garbage' })
  })

  it('visits every record once over ties and nulls in both directions', async () => {
    for (const sort of ['priority', '-priority', 'status', '-due,title', 'title']) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { body } = await list({ top: '1', sort, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...body.records.map((record: { id: string }) => record.id))
        cursor = body.nextCursor
      } while (cursor !== undefined)
      expect(seen.toSorted(), sort).toEqual(ids.toSorted())
    }
  })
})

describe('sort', () => {
  it('puts nulls first ascending, folds ASCII case, and orders selects by option', async () => {
    expect(await titles({ sort: 'priority,title' })).toEqual(['Äpfel 100%', 'Banana', 'cherry', 'apple', 'apple pie_'])
    expect(await titles({ sort: 'title' })).toEqual(['apple', 'apple pie_', 'Banana', 'cherry', 'Äpfel 100%'])
    expect(await titles({ sort: '-status,title' })).toEqual(
      ['cherry', 'Banana', 'apple', 'apple pie_', 'Äpfel 100%'].toSorted((a, b) => order(a) - order(b)),
    )
    function order(title: string) {
      return ['cherry', 'Banana', 'apple pie_', 'apple', 'Äpfel 100%'].indexOf(
        title === 'apple' ? 'apple pie_' : title === 'apple pie_' ? 'apple' : title,
      )
    }
  })

  it('accepts field asc, field desc, leading minus, JSON forms, and orderBy as a deprecated alias', async () => {
    const down = await titles({ sort: 'priority desc, title asc' })
    expect(await titles({ sort: '-priority,title' })).toEqual(down)
    expect(await titles({ sort: '[["priority","desc"],"title"]' })).toEqual(down)
    expect(await titles({ sort: '[{"field":"priority","order":"desc"},{"field":"title"}]' })).toEqual(down)
    const answer = await host.get('/data/task?orderBy=-priority,title')
    expect(answer.body.records.map((record: { title: string }) => record.title)).toEqual(down)
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(answer.headers.get('cairn-deprecated')).toBe('orderBy; use=sort')
  })

  it('walks relation paths', async () => {
    expect(await titles({ sort: '-project.client.name', filter: '{"project":{"$null":false}}' })).toEqual([
      'Banana',
      'apple',
    ])
  })

  it('refuses unknown and unsortable fields and more than eight terms', async () => {
    await refused({ sort: 'nope' })
    await refused({ sort: 'extra' })
    await refused({ sort: Array.from({ length: 9 }, () => 'id').join(',') })
  })
})

describe('filter in object form (D-79)', () => {
  it.each([
    [{ priority: 3 }, ['apple', 'apple pie_']],
    [{ priority: { $eq: 1 } }, ['Banana']],
    [{ priority: { $ne: 3 } }, ['Banana', 'cherry', 'Äpfel 100%']],
    [{ priority: { $gt: 2.5 } }, ['apple', 'apple pie_']],
    [{ priority: { $gte: 2.5, $lt: 3 } }, ['cherry']],
    [{ priority: { $lte: 1 } }, ['Banana']],
    [{ priority: { $between: [1, 2.5] } }, ['Banana', 'cherry']],
    [{ status: ['open', 'done'] }, ['apple', 'cherry', 'apple pie_']],
    [{ status: { $in: ['doing'] } }, ['Banana']],
    [{ status: { $nin: ['open', 'done'] } }, ['Banana', 'Äpfel 100%']],
    [{ status: null }, ['Äpfel 100%']],
    [{ status: { $null: false } }, ['apple', 'Banana', 'cherry', 'apple pie_']],
    [{ due: { $exists: false } }, ['cherry']],
    [{ status: { $gt: 'open' } }, ['Banana', 'cherry']],
    [{ title: { $contains: 'APPLE' } }, ['apple', 'apple pie_']],
    [{ title: { $contains: 'äPF' } }, ['Äpfel 100%']],
    [{ title: { $contains: '100%' } }, ['Äpfel 100%']],
    [{ title: { $contains: 'pie_' } }, ['apple pie_']],
    [{ title: { $notContains: 'apple' } }, ['Banana', 'cherry', 'Äpfel 100%']],
    [{ title: { $startsWith: 'ba' } }, ['Banana']],
    [{ title: { $endsWith: 'RY' } }, ['cherry']],
    [{ title: 'banana' }, []],
    [{ mail: 'a@X.org' }, ['apple']],
    [{ done: true }, ['Banana', 'cherry']],
    [{ tags: { $contains: 'fruit' } }, ['apple', 'Banana']],
    [{ tags: { $any: ['red', 'yellow'] } }, ['apple', 'Banana', 'apple pie_']],
    [{ tags: { $all: ['red', 'fruit'] } }, ['apple']],
    [{ tags: { $null: true } }, ['cherry', 'Äpfel 100%']],
    [{ 'extra.a.b': 5 }, ['apple']],
    [{ 'extra.a.b': { $contains: 'X' } }, ['cherry']],
    [{ 'project.name': 'Alpha' }, ['apple']],
    [{ project: { name: 'Beta' } }, ['Banana']],
    [{ 'project.client.city': 'Bonn' }, ['apple']],
    [{ 'watchers.name': 'Alpha' }, ['apple']],
    [{ $and: [{ done: true }, { priority: 1 }] }, ['Banana']],
    [{ $or: [{ priority: 1 }, { due: '2026-02-01' }] }, ['Banana', 'Äpfel 100%']],
    [{ $not: { done: true } }, ['apple', 'Äpfel 100%', 'apple pie_']],
    [{ $nor: [{ done: true }, { status: 'open' }] }, ['Äpfel 100%']],
    [{ $and: [] }, ['apple', 'Banana', 'cherry', 'Äpfel 100%', 'apple pie_']],
    [{ $or: [] }, []],
    [{ seen: '2026-01-11' }, ['Banana']],
    [{ seen: { $lt: '2026-01-11' } }, ['apple']],
    [{ due: { $during: 'today' } }, []],
  ])('%j', async (filter, expected) => {
    expect(await matching(filter)).toEqual(expected)
  })

  it('reads date-only operands on a datetime in the workspace zone (D-84)', async () => {
    // 22:30 UTC on the 10th is 23:30 in Berlin, still the 10th there.
    expect(await matching({ seen: { $lte: '2026-01-10' } })).toEqual(['apple'])
    expect(await matching({ seen: { $gt: '2026-01-10' } })).toEqual(['Banana'])
  })

  it('understands macros (D-85)', async () => {
    expect(await matching({ due: { $lt: { $today: '' } } })).toHaveLength(4)
    expect(await matching({ created_at: { $gt: { $now: '-1h' } } })).toHaveLength(5)
    expect(await matching({ created_by: { $user: 'id' } })).toHaveLength(5)
    expect(await matching({ created_at: { $eq: { $field: 'updated_at' } } })).toHaveLength(5)
  })

  it.each([
    [{ nope: 1 }],
    [{ title: { $matches: 'x' } }],
    [{ title: { $regex: 'x' } }],
    [{ title: { $any: ['x'] } }],
    [{ done: { $gt: true } }],
    [{ priority: 'abc' }],
    [{ due: 'tomorrowish' }],
    [{ extra: 5 }],
    [{ priority: { $in: [] } }],
    [{ 'project.client.name.deeper': 1 }],
    [{ $xor: [] }],
  ])('refuses %j with invalid_query naming parameter and reason', async (filter) => {
    const details = await refused({ filter: JSON.stringify(filter) })
    expect(details).toMatchObject({ parameter: 'filter' })
    expect(typeof details.reason).toBe('string')
  })

  it('refuses JSON that does not parse, more than 100 conditions, and a depth over 16', async () => {
    await refused({ filter: '{"a":' })
    await refused({ filter: JSON.stringify({ $or: Array.from({ length: 101 }, (_, n) => ({ priority: n })) }) })
    let deep: unknown = { priority: 1 }
    for (let level = 0; level < 17; level += 1) deep = { $not: deep }
    await refused({ filter: JSON.stringify(deep) })
  })

  it('takes filters as a deprecated alias; filter wins', async () => {
    const answer = await list({ filters: '{"priority":1}' })
    expect(answer.body.records).toHaveLength(1)
    expect(answer.headers.get('cairn-deprecated')).toBe('filters; use=filter')
    expect(await titles({ filters: '{"priority":1}', filter: '{"done":true}' })).toEqual(['Banana', 'cherry'])
  })
})

describe('filter in array and rule form (D-80)', () => {
  it.each([
    [
      ['priority', '=', 3],
      ['apple', 'apple pie_'],
    ],
    [
      ['priority', '<>', 3],
      ['Banana', 'cherry', 'Äpfel 100%'],
    ],
    [['AND', ['done', '==', true], ['priority', 'lt', 2]], ['Banana']],
    [
      ['or', ['priority', '=', 1], ['title', 'starts_with', 'che']],
      ['Banana', 'cherry'],
    ],
    [
      ['not', ['done', 'eq', true]],
      ['apple', 'Äpfel 100%', 'apple pie_'],
    ],
    [
      [
        ['done', '=', true],
        ['priority', '>', 2],
      ],
      ['cherry'],
    ],
    [
      ['status', 'in', ['open']],
      ['apple', 'apple pie_'],
    ],
    [
      ['status', 'not in', ['open', 'done']],
      ['Banana', 'Äpfel 100%'],
    ],
    [['title', 'like', 'app%e'], ['apple']],
    [['title', 'contains', 'pie'], ['apple pie_']],
    [['due', 'is_null'], ['cherry']],
    [['priority', 'between', [1, 2]], ['Banana']],
    [{ field: 'priority', operator: 'equals', value: 1 }, ['Banana']],
    [
      [
        { field: 'done', operator: 'equals', value: true },
        { field: 'priority', operator: 'gt', value: 2 },
      ],
      ['cherry'],
    ],
  ])('%j', async (filter, expected) => {
    expect(await matching(filter)).toEqual(expected)
  })

  it('refuses an unknown operator', async () => {
    await refused({ filter: '["priority","~",1]' })
  })
})

describe('loose parameters (D-73)', () => {
  it('are equality conditions, repeated ones a list, null means null, ANDed with filter', async () => {
    expect(await titles({ priority: '3' })).toEqual(['apple', 'apple pie_'])
    expect(await titles({ priority: ['1', '2.5'] })).toEqual(['Banana', 'cherry'])
    expect(await titles({ status: 'null' })).toEqual(['Äpfel 100%'])
    expect(await titles({ done: '1', filter: '{"priority":1}' })).toEqual(['Banana'])
    expect(await titles({ 'project.name': 'Alpha' })).toEqual(['apple'])
    expect(await titles({ 'project.name': 'Alpha,Beta' })).toEqual([])
  })

  it('are a list with commas where no value has one', async () => {
    const either = await titles({ status: ['open', 'doing'] })
    expect(either.length).toBeGreaterThan(1)
    expect(await titles({ status: 'open, doing' })).toEqual(either)
    expect(await titles({ watchers: `${projects[0]},${projects[1]}` })).toEqual(
      await titles({ watchers: [projects[0]!, projects[1]!] }),
    )
    await refused({ priority: '1,2' })
  })

  it('have the element on fields of several values, repeated ones any of them', async () => {
    expect(await titles({ tags: 'red' })).toEqual(['apple', 'apple pie_'])
    expect(await titles({ tags: ['yellow', 'red'] })).toEqual(['apple', 'Banana', 'apple pie_'])
    expect(await titles({ tags: 'null' })).toEqual(['cherry', 'Äpfel 100%'])
    expect(await titles({ tags: ['yellow', 'null'] })).toEqual(['Banana', 'cherry', 'Äpfel 100%'])
    expect(await titles({ watchers: projects[1]!.toUpperCase() })).toEqual(['apple', 'Banana'])
    expect(await titles({ 'watchers.name': ['Alpha', 'Nobody'] })).toEqual(['apple'])
  })

  it('are the scalar that a text looks like inside of JSON values', async () => {
    expect(await titles({ 'extra.a.b': '5' })).toEqual(['apple'])
    expect(await titles({ 'extra.a.b': ['x', '5.0'] })).toEqual(['apple', 'cherry'])
    expect(await titles({ 'extra.a.b': 'true' })).toEqual([])
  })

  it('leave the version of the API to the host (D-201)', async () => {
    expect((await list({ 'api-version': 'v1', done: '1', top: '1' })).status).toBe(200)
    const answer = await list({ 'api-version': 'v2' })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
  })

  it('refuse an unknown name and OData names (D-72)', async () => {
    expect(await refused({ statsu: 'open' })).toMatchObject({ parameter: 'statsu' })
    const details = await refused({ $top: '1' })
    expect(details.reason).toContain('/odata')
  })
})

describe('select', () => {
  it('keeps the named fields and always id, created_at, updated_at', async () => {
    const { body } = await list({ select: 'title,priority', top: '1' })
    expect(Object.keys(body.records[0]).toSorted()).toEqual(['created_at', 'id', 'priority', 'title', 'updated_at'])
    const repeated = await list({ select: ['title', 'priority'], top: '1' })
    expect(Object.keys(repeated.body.records[0])).toHaveLength(5)
    const alias = await list({ fields: 'title', top: '1' })
    expect(Object.keys(alias.body.records[0])).toHaveLength(4)
  })

  it('expands relations named by dotted fields', async () => {
    const { body } = await list({ select: 'title,project.name', priority: '1' })
    expect(body.records[0].project).toMatchObject({ id: projects[1], name: 'Beta' })
  })

  it('refuses an unknown field', async () => {
    await refused({ select: 'title,nope' })
  })
})

describe('expand', () => {
  it('replaces ids by records, nested by dots, arrays in order', async () => {
    const { body } = await list({ expand: 'project.client,watchers', top: '1', sort: 'id' })
    expect(body.records[0].project).toMatchObject({ name: 'Alpha', client: { name: 'Acme' } })
    expect(body.records[0].watchers.map((p: { name: string }) => p.name)).toEqual(['Alpha', 'Beta'])
  })

  it('adds children by the relationship name', async () => {
    const { body } = await host.get('/data/client?expand=projects&sort=name')
    expect(body.records.map((c: { projects: { name: string }[] }) => c.projects.map((p) => p.name))).toEqual([
      ['Alpha'],
      ['Beta'],
    ])
  })

  it('keeps the id of a deleted record as an id', async () => {
    const extra = (await host.post('/data/project', { name: 'Doomed' })).body.id
    const kept = (await host.post('/data/task', { title: 'orphan', watchers: [extra, projects[0]] })).body.id
    await host.delete(`/data/project/${extra}?purge=true`)
    const { body } = await host.get(`/data/task/${kept}?expand=watchers`)
    expect(body.record.watchers.map((w: { name?: string }) => w.name)).toEqual(['Alpha'])
    await host.delete(`/data/task/${kept}?purge=true`)
  })

  it('refuses a field that is no relation, an unknown one, and a depth over 3', async () => {
    await refused({ expand: 'title' })
    await refused({ expand: 'nope' })
    await refused({ expand: 'project.client.x.y' })
  })
})

describe('distinct', () => {
  it('answers the distinct tuples of exactly the selected fields, sorted by them', async () => {
    const { body } = await list({ distinct: 'true', select: 'priority', count: 'true' })
    expect(body.records).toEqual([{ priority: null }, { priority: 1 }, { priority: 2.5 }, { priority: 3 }])
    expect(body.total).toBe(4)
    expect(body).not.toHaveProperty('nextCursor')
    const down = await list({ distinct: '1', select: 'done', sort: '-done' })
    expect(down.body.records).toEqual([{ done: true }, { done: false }, { done: null }])
  })

  it('needs select and sorts by selected fields only', async () => {
    await refused({ distinct: 'true' })
    await refused({ distinct: 'true', select: 'done', sort: 'title' })
  })
})

describe('deleted', () => {
  it('includes or shows only deleted records, with their marks', async () => {
    const { id } = (await host.post('/data/task', { title: 'trashed' })).body
    await host.delete(`/data/task/${id}`)
    expect(await titles({ deleted: 'only' })).toContain('trashed')
    expect(await titles({ deleted: 'include' })).toContain('trashed')
    expect(await titles({})).not.toContain('trashed')
    const { body } = await list({ deleted: 'include', top: '1' })
    expect(body.records[0]).toHaveProperty('deleted_at', null)
    await refused({ deleted: 'all' })
    await host.delete(`/data/task/${id}?purge=true`)
  })
})

describe('POST /data/:object/query', () => {
  it('takes the same words as JSON and writes nothing', async () => {
    host.takeEvents()
    const { status, body } = await host.post('/data/task/query', {
      where: { done: true },
      fields: ['title'],
      orderBy: [['priority', 'desc']],
      limit: 1,
      offset: 0,
      count: true,
      expand: { project: { fields: ['name'] } },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'task', total: 2, hasMore: true })
    expect(body.records[0].title).toBe('cherry')
    expect(host.takeEvents()).toEqual([])
  })

  it('refuses joins and windowFunctions', async () => {
    for (const key of ['joins', 'windowFunctions']) {
      const answer = await host.post('/data/task/query', { [key]: [] })
      expect(answer.body.error.code).toBe('invalid_query')
    }
  })
})
