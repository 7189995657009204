// GraphQL over HTTP: what can be asked and written, in which shapes, and how failures are told (D-181, D-182).
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost
let project: string

const fields = {
  title: { type: 'text', required: true },
  size: { type: 'number', scale: 0 },
  cost: { type: 'currency' },
  due: { type: 'date' },
  at: { type: 'datetime' },
  start: { type: 'time' },
  done: { type: 'boolean' },
  state: { type: 'select', options: ['open', 'closed'] },
  labels: { type: 'tags' },
  project: { type: 'lookup', reference: 'project', relationshipName: 'tasks' },
  people: { type: 'user', multiple: true },
  others: { type: 'lookup', reference: 'project', multiple: true },
  link: { type: 'url' },
  mail: { type: 'email' },
  code: { type: 'text', externalId: true },
  extra: { type: 'json' },
  hint: { type: 'secret' },
  twice: { type: 'formula', expression: 'record.size * 2.0', returnType: 'number' },
}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('project', { name: { type: 'text' }, lead: { type: 'user' } })
  await host.defineObject('task', fields)
  project = (await host.post('/data/project', { name: 'Bridge' })).body.id
}, 60_000)

afterAll(async () => host?.stop())

const ask = (query: string, variables?: object, headers?: Record<string, string>): Promise<Answer> =>
  host.post('/graphql', { query, ...(variables === undefined ? {} : { variables }) }, headers)

const dataOf = async (query: string, variables?: object) => {
  const { status, body } = await ask(query, variables)
  expect([status, body.errors], JSON.stringify(body)).toEqual([200, undefined])
  return body.data
}

const failureOf = async (query: string, variables?: object) => {
  const { status, body } = await ask(query, variables)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.errors[0]
}

describe('a write', () => {
  it('creates a record and answers it with its relations', async () => {
    const { createTask } = await dataOf(
      `mutation ($data: TaskCreate!) { createTask(data: $data) {
        id title size cost due at start done state labels link mail extra hint twice
        project { id name lead { name } } projectId people { name } peopleId others { name } othersId
        created_at created_by { id name } owner { name } ownerId
      } }`,
      {
        data: {
          title: 'First',
          size: 3_000_000_000,
          cost: 12.5,
          due: '2026-01-31',
          at: '2026-01-31T09:15:30+01:00',
          start: '08:30',
          done: true,
          state: 'open',
          labels: ['a', 'b'],
          projectId: project,
          people: ['00000000-0000-7000-8000-000000000001'],
          others: [project],
          link: 'https://example.org/',
          mail: 'me@example.org',
          extra: { deep: [1, { none: null }] },
          hint: 'hush',
        },
      },
    )
    expect(createTask).toMatchObject({
      title: 'First',
      size: 3_000_000_000,
      cost: 12.5,
      due: '2026-01-31',
      at: '2026-01-31T08:15:30.000Z',
      start: '08:30:00',
      done: true,
      state: 'open',
      labels: ['a', 'b'],
      extra: { deep: [1, { none: null }] },
      hint: '********',
      twice: 6_000_000_000,
      project: { id: project, name: 'Bridge', lead: null },
      projectId: project,
      people: [{ name: 'owner' }],
      peopleId: ['00000000-0000-7000-8000-000000000001'],
      others: [{ name: 'Bridge' }],
      othersId: [project],
      created_by: { name: 'owner' },
      owner: { name: 'owner' },
    })
    const { record } = (await host.get(`/data/task/${createTask.id}`)).body
    expect(record).toMatchObject({ project, at: createTask.at, created_at: createTask.created_at })
  })

  it('fails alone: the other writes of a document stay, in their order', async () => {
    const { status, body } = await ask(`mutation {
      one: createTask(data: {title: "kept 1"}) { title }
      two: createTask(data: {size: 1, due: "soon", state: "unheard of"}) { title }
      three: createTask(data: {title: "kept 2"}) { title }
    }`)
    expect([status, body.data]).toEqual([200, { one: { title: 'kept 1' }, two: null, three: { title: 'kept 2' } }])
    expect(body.errors).toHaveLength(1)
    const [error] = body.errors
    expect(error).toMatchObject({ path: ['two'], locations: [{ line: 3 }] })
    expect(error.extensions).toMatchObject({
      code: 'validation_error',
      httpStatus: 400,
      category: 'validation',
      retryable: false,
      requestId: expect.any(String),
    })
    const problems = error.extensions.details.fieldErrors.map(({ field, code }: { field: string; code: string }) => [
      field,
      code,
    ])
    expect(problems).toEqual(
      expect.arrayContaining([
        ['title', 'required'],
        ['due', 'invalid_date'],
        ['state', 'invalid_option'],
      ]),
    )
  })

  it('knows versions: a stale one is CONCURRENT_UPDATE with the record as it is', async () => {
    const made = (await dataOf('mutation { createTask(data: {title: "v1"}) { id updated_at } }')).createTask
    const change = `mutation ($id: ID!, $v: String) { updateTask(id: $id, data: {title: "v2"}, expectedVersion: $v) { title } }`
    expect(await dataOf(change, { id: made.id, v: made.updated_at })).toEqual({ updateTask: { title: 'v2' } })
    const { extensions } = await failureOf(change, { id: made.id, v: made.updated_at })
    expect(extensions).toMatchObject({
      code: 'CONCURRENT_UPDATE',
      httpStatus: 409,
      details: { currentRecord: { title: 'v2' } },
    })
    const none = await failureOf(change, { id: made.id, v: null })
    expect(none.extensions).toMatchObject({ httpStatus: 400, details: { fieldErrors: [{ field: 'expectedVersion' }] } })
    const cleared =
      'mutation ($id: ID!) { updateTask(id: $id, data: {code: null, labels: null}) { title code labels } }'
    expect((await dataOf(cleared, { id: made.id })).updateTask).toMatchObject({ title: 'v2', code: null })
  })

  it('upserts by external id and by id', async () => {
    const upsert = `mutation ($t: String) { upsertTask(externalId: "E-1", data: {title: $t}) { id title code } }`
    const first = (await dataOf(upsert, { t: 'made' })).upsertTask
    const second = (await dataOf(upsert, { t: 'changed' })).upsertTask
    expect([first.code, second]).toEqual(['E-1', { id: first.id, title: 'changed', code: 'E-1' }])
    const byId = 'mutation ($id: ID) { upsertTask(id: $id, data: {title: "again"}) { id title } }'
    expect((await dataOf(byId, { id: first.id })).upsertTask).toEqual({ id: first.id, title: 'again' })
    expect(
      (await failureOf('mutation { upsertTask(externalId: "E-2", data: {size: 1}) { id } }')).extensions.code,
    ).toBe('validation_error')
  })

  it('deletes into the trash, restores, and purges', async () => {
    const { id } = (await dataOf('mutation { createTask(data: {title: "gone"}) { id } }')).createTask
    const remove = 'mutation ($id: ID!, $p: Boolean) { deleteTask(id: $id, purge: $p) { id success } }'
    expect((await dataOf(remove, { id })).deleteTask).toEqual({ id, success: true })
    expect((await failureOf('query ($id: ID!) { task(id: $id) { id } }', { id })).extensions).toMatchObject({
      code: 'resource_not_found',
      httpStatus: 404,
    })
    const trash = '{ taskList(deleted: only) { records { id deleted_at deleted_by { name } } } }'
    expect((await dataOf(trash)).taskList.records).toEqual([
      { id, deleted_at: expect.any(String), deleted_by: { name: 'owner' } },
    ])
    const restore = 'mutation ($id: ID!) { restoreTask(id: $id) { title } }'
    expect((await dataOf(restore, { id })).restoreTask).toEqual({ title: 'gone' })
    expect((await failureOf(restore, { id })).extensions.code).toBe('conflict')
    expect((await dataOf(remove, { id, p: true })).deleteTask.success).toBe(true)
    expect((await dataOf(trash)).taskList.records).toEqual([])
  })

  it('creates several or none', async () => {
    const many = 'mutation ($r: [TaskCreate!]!) { createTasks(records: $r) { title } }'
    expect((await dataOf(many, { r: [{ title: 'm1' }, { title: 'm2' }] })).createTasks).toEqual([
      { title: 'm1' },
      { title: 'm2' },
    ])
    const before = (await host.get('/data/task?count=true&top=1')).body.total
    const { extensions } = await failureOf(many, { r: [{ title: 'm3' }, { size: 1 }] })
    expect(extensions).toMatchObject({ code: 'validation_error', details: { index: 1 } })
    expect((await host.get('/data/task?count=true&top=1')).body.total).toBe(before)
  })

  it('has one effect for one idempotency key', async () => {
    const headers = { 'idempotency-key': 'graphql-1' }
    const query = 'mutation { a: createTask(data: {title: "once"}) { id } b: createTask(data: {title: "once"}) { id } }'
    const first = await ask(query, undefined, headers)
    const second = await ask(query, undefined, headers)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replay')).toBe('true')
    expect((await host.get('/data/task?title=once&count=true')).body.total).toBe(2)
    expect((await ask('mutation { createTask(data: {title: "other"}) { id } }', undefined, headers)).status).toBe(409)
  })

  it('takes a relation by either name, but not by two that differ', async () => {
    const two = 'mutation ($p: ID) { createTask(data: {title: "t", project: $p, projectId: null}) { id } }'
    expect((await failureOf(two, { p: project })).extensions.details.fieldErrors[0].field).toBe('project')
  })
})

describe('a list', () => {
  beforeAll(async () => {
    await host.defineObject('step', {
      name: { type: 'text' },
      rank: { type: 'number' },
      day: { type: 'date' },
      marks: { type: 'tags' },
      task: { type: 'lookup', reference: 'project', relationshipName: 'steps' },
      mood: { type: 'select', options: ['low', 'high'] },
    })
    const records = Array.from({ length: 30 }, (_, rank) => ({
      name: `Step ${rank}`,
      rank,
      day: `2026-01-${String((rank % 28) + 1).padStart(2, '0')}`,
      marks: rank % 2 === 0 ? ['even'] : ['odd', 'strange'],
      mood: rank < 10 ? 'low' : 'high',
      ...(rank % 3 === 0 ? { task: project } : {}),
    }))
    expect((await host.post('/data/step/createMany', { records })).status).toBe(201)
  })

  it('has 20 records unless asked otherwise, and goes on after a cursor', async () => {
    const page = (await dataOf('{ stepList { records { rank } total hasMore nextCursor } }')).stepList
    expect([page.records.length, page.total, page.hasMore]).toEqual([20, 30, true])
    const next = 'query ($c: String) { stepList(cursor: $c) { records { rank } total hasMore nextCursor } }'
    const rest = (await dataOf(next, { c: page.nextCursor })).stepList
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null, total: 30 })
    expect([...page.records, ...rest.records].map(({ rank }) => rank)).toEqual(Array.from({ length: 30 }, (_, i) => i))
    expect((await failureOf(next, { c: 'foreign' })).extensions.code).toBe('invalid_query')
    expect((await failureOf('{ stepList(top: 1001) { hasMore } }')).extensions.details.limit).toBe(1_000)
  })

  it.each([
    ['{rank: {eq: 3}}', { rank: 3 }],
    ['{rank: {ne: 3}}', { rank: { $ne: 3 } }],
    ['{rank: {gt: 3, lte: 7}}', { rank: { $gt: 3, $lte: 7 } }],
    ['{rank: {gte: 3, lt: 7}}', { rank: { $gte: 3, $lt: 7 } }],
    ['{rank: {in: [1, 2]}}', { rank: [1, 2] }],
    ['{rank: {nin: [1, 2]}}', { rank: { $nin: [1, 2] } }],
    ['{rank: {between: [4, 6]}}', { rank: { $between: [4, 6] } }],
    ['{name: {contains: "EP 1"}}', { name: { $contains: 'EP 1' } }],
    ['{name: {notContains: "1"}}', { name: { $notContains: '1' } }],
    ['{name: {startsWith: "step 2"}}', { name: { $startsWith: 'step 2' } }],
    ['{name: {endsWith: "9"}}', { name: { $endsWith: '9' } }],
    ['{taskId: {isNull: true}}', { task: { $null: true } }],
    ['{task: null}', { task: null }],
    ['{marks: {contains: "odd"}}', { marks: { $contains: 'odd' } }],
    ['{marks: {all: ["odd", "strange"]}}', { marks: { $all: ['odd', 'strange'] } }],
    ['{mood: {eq: "low"}}', { mood: 'low' }],
    ['{mood: {gt: "low"}}', { mood: { $gt: 'low' } }],
    ['{day: {gte: "2026-01-20"}}', { day: { $gte: '2026-01-20' } }],
    ['{task: {name: {eq: "Bridge"}}}', { 'task.name': 'Bridge' }],
    ['{task: {not: {name: {eq: "Bridge"}}}}', { $not: { 'task.name': 'Bridge' } }],
    ['{created_by: {name: {eq: "owner"}}}', { 'created_by.name': 'owner' }],
    [
      '{or: [{rank: {lt: 2}}, {and: [{rank: {gt: 5}}, {mood: {eq: "low"}}]}]}',
      { $or: [{ rank: { $lt: 2 } }, { rank: { $gt: 5 }, mood: 'low' }] },
    ],
    ['{not: {rank: {gt: 3}}}', { $not: { rank: { $gt: 3 } } }],
    ['{or: []}', { $or: [] }],
    ['{}', {}],
  ])('finds by %s what the filter language finds', async (where, filter) => {
    const { records, total } = (await dataOf(`{ stepList(where: ${where}, top: 100) { records { id } total } }`))
      .stepList
    const expected = (await host.post('/data/step/query', { filter, top: 100, count: true })).body
    expect(records.map(({ id }: { id: string }) => id)).toEqual(expected.records.map(({ id }: { id: string }) => id))
    expect(total).toBe(expected.total)
  })

  it('orders by several fields, and searches', async () => {
    const sorted = '{ stepList(orderBy: [{field: mood}, {field: rank, order: desc}], top: 2) { records { rank } } }'
    expect((await dataOf(sorted)).stepList.records).toEqual([{ rank: 9 }, { rank: 8 }])
    expect((await dataOf('{ stepList(search: "step 17") { records { rank } } }')).stepList.records).toEqual([
      { rank: 17 },
    ])
    expect((await dataOf('{ stepList(skip: 28, top: 5) { records { rank } } }')).stepList.records).toHaveLength(2)
  })

  it('takes the words of enumerations as texts too', async () => {
    const asTexts =
      '{ stepList(deleted: "exclude", orderBy: [{field: "rank", order: "desc"}], top: 1) { records { rank } } }'
    expect((await dataOf(asTexts)).stepList.records).toEqual([{ rank: 29 }])
    expect((await ask('{ stepList(orderBy: [{field: "nothing"}]) { hasMore } }')).status).toBe(400)
    expect((await ask('{ stepList(orderBy: [{field: rank, order: 7}]) { hasMore } }')).status).toBe(400)
  })

  it('never widens by words without a value', async () => {
    for (const where of ['{not: null}', '{or: null}', '{rank: {in: null}}'])
      expect((await failureOf(`{ stepList(where: ${where}) { hasMore } }`)).extensions.code).toBe('invalid_query')
  })

  it('walks relations, and the lists that hang on a record', async () => {
    const found = await dataOf(
      `query ($id: ID!) { project(id: $id) {
      name
      steps(where: {rank: {gt: 5}}, orderBy: [{field: rank, order: desc}], top: 3) { rank task { name steps(top: 1) { rank } } }
    } }`,
      { id: project },
    )
    expect(found.project.steps).toEqual(
      [27, 24, 21].map((rank) => ({ rank, task: { name: 'Bridge', steps: [{ rank: 27 }] } })),
    )
  })

  it('asks once per level, however many records there are', async () => {
    const others = await host.post('/data/project/createMany', {
      records: Array.from({ length: 40 }, (_, i) => ({ name: `P${i}` })),
    })
    const records = others.body.records.map(({ id }: { id: string }, i: number) => ({
      name: `Own ${i}`,
      task: id,
      mood: 'low',
    }))
    await host.post('/data/step/createMany', { records })
    const query = (top: number) =>
      `{ stepList(where: {name: {startsWith: "Own"}}, top: ${top}) { records { name task { name lead { name } steps(top: 1) { name } } } } }`
    const statements = async (top: number): Promise<number> => {
      const taken: number[] = []
      // What the host does by itself now and then is counted, too: the fewest are those of the query.
      for (let round = 0; round < 4; round += 1) {
        const before = host.host.database.statementCount()
        await dataOf(query(top))
        taken.push(host.host.database.statementCount() - before)
      }
      return Math.min(...taken)
    }
    const few = await statements(2)
    expect(few).toBeGreaterThan(3)
    expect(few).toBeLessThan(10)
    expect(await statements(40)).toBe(few)
  })

  it('asks no list again because another one fails', async () => {
    const good = Array.from({ length: 6 }, (_, i) => `good${i}: stepList(top: 3) { records { name } }`).join(' ')
    const statements = async (query: string): Promise<[number, Answer]> => {
      await ask(query)
      const before = host.host.database.statementCount()
      const answer = await ask(query)
      return [host.host.database.statementCount() - before, answer]
    }
    const [alone] = await statements(`{ ${good} }`)
    const [both, { status, body }] = await statements(`{ ${good} bad: stepList(cursor: "none") { records { name } } }`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ good0: { records: [{}, {}, {}] }, bad: null })
    expect(body.errors).toMatchObject([{ path: ['bad'], locations: [{}], extensions: { code: 'invalid_query' } }])
    expect(alone).toBeGreaterThanOrEqual(6)
    expect(both).toBeLessThan(alone + 3)
  })

  it('groups: values over records as analytics names them', async () => {
    const groups = '{ stepAggregate(where: {rank: {lt: 20}}, groupBy: ["mood"], measures: ["count", "rank.sum"]) }'
    const { stepAggregate } = await dataOf(groups)
    expect(stepAggregate).toHaveLength(2)
    expect(stepAggregate).toEqual(
      expect.arrayContaining([
        { mood: 'low', count: 10, 'rank.sum': 45 },
        { mood: 'high', count: 10, 'rank.sum': 145 },
      ]),
    )
    expect((await failureOf('{ stepAggregate(measures: ["nothing.sum"]) }')).extensions.code).toBe('invalid_query')
  })
})

describe('the protocol', () => {
  it('answers 401 without a credential, with the error of every route', async () => {
    for (const [method, path] of [
      ['POST', '/graphql'],
      ['GET', '/graphql?query={__typename}'],
      ['GET', '/graphql/schema'],
    ] as const) {
      const { status, body } = await host.anonymous(
        method,
        path,
        method === 'POST' ? { query: '{__typename}' } : undefined,
      )
      expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
    }
  })

  it('answers 400 with errors, success and error for what is no document of the schema', async () => {
    for (const query of [
      '{ task',
      '{ nonsense }',
      '{ taskList { records } }',
      'query A { __typename } query A { __typename }',
      '',
    ]) {
      const { status, body } = await ask(query)
      expect(status, query).toBe(400)
      expect(body).toMatchObject({
        success: false,
        error: { httpStatus: 400, category: 'validation', requestId: expect.any(String) },
      })
      expect(body).not.toHaveProperty('data')
      expect(body.errors[0]).toMatchObject({
        message: expect.any(String),
        extensions: { code: body.error.code, httpStatus: 400 },
      })
    }
  })

  it.each([
    [{}, 'query'],
    [[{ query: '{__typename}' }], ''],
    [{ query: 7 }, 'query'],
    [{ query: '{__typename}', variables: [] }, 'variables'],
    [{ query: '{__typename}', operationName: {} }, 'operationName'],
    [{ query: '{__typename}', extensions: 'x' }, 'extensions'],
    [
      { query: '{__typename}', extensions: { persistedQuery: { version: 2, sha256Hash: 'a' } } },
      'extensions.persistedQuery',
    ],
  ])('names the member of %j that is wrong', async (body, field) => {
    const answer = await host.post('/graphql', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.details.fieldErrors[0].field).toBe(field)
    expect(answer.body.errors[0].extensions.code).toBe('validation_error')
  })

  it('chooses the operation by its name', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }'
    expect((await host.post('/graphql', { query, operationName: 'B' })).body.data).toEqual({ b: 'Query' })
    expect((await host.post('/graphql', { query, operationName: '' })).status).toBe(400)
    expect((await host.post('/graphql', { query })).status).toBe(400)
    expect((await host.post('/graphql', { query, operationName: 'C' })).status).toBe(400)
  })

  it('queries by GET with X-Requested-With alone, and never writes', async () => {
    const path = `/graphql?query=${encodeURIComponent('query ($n: Int) { taskList(top: $n) { hasMore } }')}&variables=${encodeURIComponent('{"n":1}')}`
    const mine = { 'x-requested-with': 'test' }
    expect((await host.get(path, mine)).body).toEqual({ data: { taskList: { hasMore: true } } })
    const bare = await host.get(path)
    expect([bare.status, bare.body.error.details.fieldErrors[0].field]).toEqual([400, 'X-Requested-With'])
    const write = await host.get(
      `/graphql?query=${encodeURIComponent('mutation { createTask(data: {title: "by get"}) { id } }')}`,
      mine,
    )
    expect([write.status, write.headers.get('allow'), write.body.error.code]).toEqual([
      405,
      'POST',
      'method_not_allowed',
    ])
    expect((await host.get('/data/task?title=by%20get&count=true')).body.total).toBe(0)
    for (const variables of ['{', '{"__proto__":{"a":1}}'])
      expect(
        (await host.get(`/graphql?query={__typename}&variables=${encodeURIComponent(variables)}`, mine)).status,
      ).toBe(400)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  it('serves /api/graphql too', async () => {
    expect((await host.post('/api/graphql', { query: '{__typename}' })).body).toEqual({ data: { __typename: 'Query' } })
    expect((await host.get('/api/graphql/schema')).body).toContain('type Task {')
  })

  it('labels answers with the media type that is asked for', async () => {
    for (const [accept, type] of [
      ['application/graphql-response+json', 'application/graphql-response+json'],
      ['application/graphql-response+json;q=0.5, application/json', 'application/json'],
      ['text/html', 'application/json'],
      ['*/*', 'application/json'],
    ] as const) {
      const { headers } = await ask('{__typename}', undefined, { accept })
      expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    }
  })

  it('keeps documents by their hash, each for whoever sent it', async () => {
    const query = '{ persisted: __typename }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } }
    const unknown = await host.post('/graphql', { extensions })
    expect(unknown.status).toBe(200)
    expect(unknown.body.errors[0]).toMatchObject({
      message: 'PersistedQueryNotFound',
      extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
    })
    expect((await host.post('/graphql', { query, extensions })).body.data).toEqual({ persisted: 'Query' })
    expect((await host.post('/graphql', { extensions })).body.data).toEqual({ persisted: 'Query' })
    const path = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
    expect((await host.get(path, { 'x-requested-with': 'test' })).body.data).toEqual({ persisted: 'Query' })
    expect((await host.post('/graphql', { query: '{ __typename }', extensions })).status).toBe(400)
  })

  it('is announced', async () => {
    const { body } = await host.get('/discovery')
    expect([body.routes.graphql, body.features.graphql, body.services.graphql.enabled]).toEqual([
      '/api/v1/graphql',
      true,
      true,
    ])
    expect(body.schemaDiscovery.graphql).toMatch(/\/api\/v1\/graphql\/schema$/)
  })
})

describe('the schema', () => {
  it('follows the metadata', async () => {
    await host.defineObject('later', { name: { type: 'text' } })
    expect(await dataOf('{ laterList { records { name } } }')).toEqual({ laterList: { records: [] } })
    await host.defineObject('later', { name: { type: 'text' }, more: { type: 'number' } })
    expect(await dataOf('{ laterList { records { name more } } }')).toEqual({ laterList: { records: [] } })
    expect((await host.get('/graphql/schema')).body).toMatch(/type Later \{[^}]*more: Float/)
  })

  it('gives clashing names a suffix, and every name of a field a place', async () => {
    for (const name of ['query', 'date', 'string_filter', 'note', 'note_list', 'note_page', 'user'])
      await host.defineObject(name, { name: { type: 'text' }, note: { type: 'lookup', reference: 'note' } })
    await host.defineObject(
      'odd',
      Object.fromEntries(
        ['and', 'or', 'not', 'true', 'null', 'constructor', 'type', 'field', 'operator', 'value'].map((name) => [
          name,
          { type: 'text' },
        ]),
      ),
    )
    const made = await dataOf(
      `mutation { createOdd(data: {and: "1", or: "2", constructor: "3", true: "4", field: "5", operator: "6", value: "7"}) { and or not constructor true null field } }`,
    )
    expect(made.createOdd).toEqual({
      and: '1',
      or: '2',
      not: null,
      constructor: '3',
      true: '4',
      null: null,
      field: '5',
    })
    const found = await dataOf(
      '{ oddList(where: {and_: {eq: "1"}, field: {eq: "5"}, operator: {eq: "6"}, value: {eq: "7"}}, orderBy: [{field: true_}]) { records { true } } }',
    )
    expect(found.oddList.records).toEqual([{ true: '4' }])
    const sdl = (await host.get('/graphql/schema')).body as string
    for (const name of ['Query_', 'Date_', 'StringFilter', 'NoteList', 'NotePage', 'NotePage_', 'User', 'User_'])
      expect(sdl).toMatch(new RegExp(`^(type|input) ${name} `, 'm'))
    expect(sdl).toContain('noteList(id: ID!): NoteList')
    expect(sdl).toContain('noteList_(where: NoteWhere')
    const { buildSchema, validateSchema } = await import('graphql')
    expect(validateSchema(buildSchema(sdl)).map(({ message }) => message)).toEqual([])
  })

  it('tells what definitions say', async () => {
    await host.defineObject(
      'told',
      { name: { type: 'text', help: 'How people call it "here".' } },
      { description: 'What is told.' },
    )
    const { __type } = await dataOf('{ __type(name: "Told") { description fields { name description } } }')
    expect(__type.description).toBe('What is told.')
    expect(__type.fields).toContainEqual({ name: 'name', description: 'How people call it "here".' })
  })

  it('has what the API of an object offers', async () => {
    await host.defineObject('shy', { name: { type: 'text' } }, { enable: { apiMethods: ['get', 'list'] } })
    await host.defineObject('closed', { name: { type: 'text' } }, { enable: { apiEnabled: false } })
    const sdl = (await host.get('/graphql/schema')).body as string
    expect(sdl).toContain('shyList(')
    for (const word of ['createShy', 'deleteShy', 'upsertShy', 'createShys', 'shyAggregate', 'Closed', 'closed'])
      expect(sdl).not.toContain(word)
  })

  it('is told to tools: the whole introspection query builds a client schema', async () => {
    const { buildClientSchema, getIntrospectionQuery, printSchema } = await import('graphql')
    const schema = buildClientSchema(await dataOf(getIntrospectionQuery()))
    expect(printSchema(schema)).toContain('taskList(where: TaskWhere, orderBy: [TaskOrder!], top: Int = 20')
  })
})
