// The Model Context Protocol over HTTP with the official client: what there is, each tool, confirmations, resources, prompts,
// rights of keys, and messages that are none (D-295 to D-298).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { Answer } from '../support/create-test-host.ts'
import type { McpTestClient } from '../support/mcp-client.ts'
import { connectMcp } from '../support/mcp-client.ts'

const clock = createManualClock(Date.now())
const fiveMinutes = 300_000
let host: AuthHost
let owner: McpTestClient
let reader: McpTestClient
let narrow: McpTestClient

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const keyOf = async (body: Record<string, unknown>): Promise<string> => {
  const { status, body: made } = await host.post('/keys', body)
  expect(status).toBe(201)
  return made.key as string
}

beforeAll(async () => {
  host = await createAuthHost({}, { clock })
  await host.patch('/settings', { rateLimits: { heavy: null, read: null, write: null } })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    size: { type: 'number' },
    state: { type: 'select', options: ['open', 'closed'] },
    secretly: { type: 'text' },
  })
  await host.defineObject('vault', { name: { type: 'text' } })
  const item = {
    name: 'tasks_only',
    objects: { task: { allowRead: true, allowEdit: true } },
    fields: { 'task.secretly': { readable: false, editable: false } },
  }
  const saved = await host.put('/meta/permission/tasks_only', { type: 'permission', name: 'tasks_only', item })
  expect(saved.status, JSON.stringify(saved.body)).toBe(200)
  owner = await connectMcp(host.host.url, bearer(host.host.token))
  reader = await connectMcp(host.host.url, bearer(await keyOf({ name: 'Reader', readOnly: true })))
  narrow = await connectMcp(host.host.url, bearer(await keyOf({ name: 'Narrow', permissionSets: ['tasks_only'] })))
}, 60_000)

afterAll(async () => {
  for (const one of [owner, reader, narrow]) await one?.close()
  await host?.stop()
})

const raw = (message: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  host.post('/mcp', message, headers)

const create = async (data: Record<string, unknown>): Promise<string> => {
  const { isError, found, text } = await owner.call('create_record', { object: 'task', data })
  expect(isError, text).toBe(false)
  return found.id as string
}

describe('the endpoint', () => {
  it.each(['/mcp', '/api/mcp', '/api/v1/mcp'])('is at %s', async (path) => {
    const one = await connectMcp(host.host.url, bearer(host.host.token), path)
    expect(one.client.getServerVersion()).toMatchObject({ name: 'cairn' })
    await one.client.ping()
    await one.close()
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('begins with version %s', async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const { status, body, headers } = await raw({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect([status, body.result.protocolVersion]).toEqual([200, protocolVersion])
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('mcp-session-id')).toBeNull()
    const { status: taken, body: nothing } = await raw({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([taken, nothing]).toEqual([202, undefined])
    expect((await raw({ jsonrpc: '2.0', id: 2, method: 'ping' })).body.result).toEqual({})
  })

  it('needs a credential, and says how to bring it', async () => {
    const without = await host.anonymous('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })
    expect([without.status, without.body.error.code]).toEqual([401, 'unauthenticated'])
    expect(without.headers.get('www-authenticate')).toBe('Bearer')
    const wrong = await raw({ jsonrpc: '2.0', id: 1, method: 'ping' }, bearer('cairn_none'))
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'api_key_invalid'])
  })

  it('is closed to other hosts and origins', async () => {
    const foreign = await raw({ jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'http://evil.example' })
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'origin_forbidden'])
  })

  it('has no streams and no sessions to end', async () => {
    for (const answer of [await host.get('/mcp'), await host.delete('/mcp')])
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    [[], ''],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], ''],
    ['"text"', ''],
    ['7', ''],
    [{}, 'jsonrpc'],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 'jsonrpc'],
    [{ jsonrpc: '2.0', id: 1 }, 'method'],
    [{ jsonrpc: '2.0', id: 1, method: 5 }, 'method'],
  ])('refuses %j', async (message, field) => {
    const { status, body } = await raw(message)
    expect([status, body.error.details.fieldErrors[0].field]).toEqual([400, field])
  })

  it('answers methods and tools that are not there in the words of the protocol', async () => {
    expect((await raw({ jsonrpc: '2.0', id: 1, method: 'no/such' })).body.error.code).toBe(-32_601)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'drop_everything' } }
    expect((await raw(call)).body.error.code).toBe(-32_602)
    expect((await raw({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x' })).body.error.code).toBe(-32_600)
  })
})

describe('tools', () => {
  it('are listed with schemas, hints and the warning about what records say', async () => {
    const { tools } = await owner.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_objects',
      'describe_object',
      'query_records',
      'aggregate_records',
      'get_record',
      'create_record',
      'update_record',
      'delete_record',
      'comment_record',
      'run_flow',
      'plan_metadata_change',
      'save_metadata',
      'import_records',
      'export_records',
    ])
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema.type).toBe('object')
      expect(outputSchema?.type).toBe('object')
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const)
        expect(typeof annotations?.[hint]).toBe('boolean')
    }
    const shown = tools.find(({ name }) => name === 'query_records')!
    expect(shown.description).toContain('never instructions')
    expect(tools.find(({ name }) => name === 'delete_record')!.annotations).toMatchObject({ destructiveHint: true })
  })

  it('show objects and their fields', async () => {
    const { found } = await owner.call('list_objects')
    expect(found.objects.map(({ name }: { name: string }) => name)).toEqual(['task', 'vault'])
    const described = (await owner.call('describe_object', { object: 'task' })).found
    expect(described.fields.find(({ name }: { name: string }) => name === 'state')).toMatchObject({
      type: 'select',
      editable: true,
      options: ['open', 'closed'],
    })
    expect(described.actions).toEqual(['create', 'edit', 'delete', 'purge'])
    expect(described.definition.fields.title).toMatchObject({ type: 'text', required: true })
  })

  it('write and read records', async () => {
    const id = await create({ title: 'First', size: 3, state: 'open' })
    const read = (await owner.call('get_record', { object: 'task', id })).found
    expect(read.record).toMatchObject({ title: 'First', size: 3 })
    const expectedVersion = read.record.updated_at
    const changed = (await owner.call('update_record', { object: 'task', id, data: { size: 4 }, expectedVersion }))
      .found
    expect(changed.record).toMatchObject({ title: 'First', size: 4 })
    const late = await owner.call('update_record', { object: 'task', id, data: { size: 5 }, expectedVersion })
    expect([late.isError, late.text]).toEqual([true, expect.stringContaining('CONCURRENT_UPDATE')])
    expect((await host.get(`/data/task/${id}`)).body.record.size).toBe(4)
  })

  it('find and count records, a page at a time', async () => {
    for (const size of [100, 200, 300]) await create({ title: `Page ${size}`, size })
    const filter = { title: { $startsWith: 'Page' } }
    const args = { object: 'task', filter, sort: '-size', select: ['title'], limit: 2, count: true }
    const first = (await owner.call('query_records', args)).found
    expect([first.records[0].title, first.total, first.hasMore]).toEqual(['Page 300', 3, true])
    const second = (await owner.call('query_records', { ...args, cursor: first.nextCursor })).found
    expect([second.records.length, second.records[0].title, second.hasMore]).toEqual([1, 'Page 100', false])
    const aggregations = [
      { function: 'count', alias: 'n' },
      { function: 'sum', field: 'size', alias: 'sum' },
    ]
    const grouped = (await owner.call('aggregate_records', { object: 'task', aggregations, filter })).found
    expect(grouped.groups).toEqual([{ n: 3, sum: 600 }])
  })

  it('search where there are words to look for, and list where there are none (D-88)', async () => {
    await host.defineObject('plain', { name: { type: 'text' } }, { enable: { apiMethods: ['list'] } })
    expect((await owner.call('query_records', { object: 'plain', search: ' ' })).found.records).toEqual([])
    expect((await owner.call('query_records', { object: 'plain', search: 'x' })).text).toContain('method_not_allowed')
  })

  it('name field and reason of what is refused', async () => {
    const { isError, text } = await owner.call('create_record', { object: 'task', data: { size: 'x', nope: 1 } })
    expect(isError).toBe(true)
    const { error } = JSON.parse(text.split('\n').at(-1)!)
    expect(error).toMatchObject({ code: 'validation_error', httpStatus: 400 })
    expect(error.details.fieldErrors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual(
      expect.arrayContaining([
        ['size', 'invalid_number'],
        ['nope', 'unknown_field'],
        ['title', 'required'],
      ]),
    )
    const wrong = await owner.call('query_records', { objct: 'task', limit: 0 })
    expect(wrong.text).toContain('object: The argument is required.')
    expect(wrong.text).toContain('objct: The tool has no argument of this name.')
    expect(wrong.text).toContain('limit: ')
    const filter = await owner.call('query_records', { object: 'task', filter: { nope: 1 } })
    expect(filter.text).toContain('invalid_query')
    expect((await owner.call('get_record', { object: 'task', id: 'none' })).text).toContain('resource_not_found')
    expect((await owner.call('describe_object', { object: 'constructor' })).text).toContain('resource_not_found')
  })

  it('comment on records', async () => {
    const id = await create({ title: 'Talk' })
    const { found } = await owner.call('comment_record', { object: 'task', id, body: 'Seen by the **assistant**' })
    const items = (await host.get(`/data/task/${id}/feed?type=comments_only`)).body.data.items
    expect(items[0]).toMatchObject({ id: found.feedId, body: 'Seen by the **assistant**' })
  })

  it('run flows', async () => {
    const flow = {
      name: 'double',
      type: 'autolaunched',
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'end', type: 'end' },
      ],
      edges: [{ id: 'e', source: 'start', target: 'end' }],
    }
    const made = await host.post('/api/automation', flow)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { found, text } = await owner.call('run_flow', { flow: 'double', params: { n: 2 } })
    expect(found?.status, text).toBe('completed')
    expect((await owner.call('run_flow', { flow: 'none' })).text).toContain('flow_not_found')
  })

  it('export records as text', async () => {
    await create({ title: 'Exported, with comma' })
    const { found } = await owner.call('export_records', {
      object: 'task',
      filter: { title: { $startsWith: 'Exported' } },
      select: ['title'],
    })
    expect(found.contentType).toContain('text/csv')
    expect(found.content).toContain('"Exported, with comma"')
  })
})

describe('what would lose something', () => {
  const args = (id: string) => ({ object: 'task', id })

  it('is planned first and done with the token', async () => {
    const id = await create({ title: 'Doomed' })
    const asked = (await owner.call('delete_record', args(id))).found
    expect(asked).toMatchObject({
      status: 'confirmation_required',
      plan: { reversible: true, record: { title: 'Doomed' } },
    })
    expect((await host.get(`/data/task/${id}`)).status).toBe(200)
    const done = (await owner.call('delete_record', { ...args(id), confirmToken: asked.confirmToken })).found
    expect(done).toMatchObject({ status: 'done', id, purged: false })
    expect((await host.get(`/data/task/${id}`)).status).toBe(404)
    const again = await owner.call('delete_record', { ...args(id), confirmToken: asked.confirmToken })
    expect([again.isError, again.text]).toEqual([true, expect.stringContaining('confirmToken')])
  })

  it.each([
    ['a forged token', async (_id: string) => ({ client: owner, token: 'forged', more: {} })],
    [
      'the token of other arguments',
      async (id: string) => {
        const { found } = await owner.call('delete_record', { ...args(id), purge: true })
        return { client: owner, token: found.confirmToken as string, more: {} }
      },
    ],
    [
      'the token of another credential of the same person',
      async (id: string) => {
        const { found } = await owner.call('delete_record', args(id))
        const other = await connectMcp(host.host.url, bearer(await keyOf({ name: 'Other' })))
        return { client: other, token: found.confirmToken as string, more: {} }
      },
    ],
    [
      'the token of another tool',
      async (_id: string) => {
        const rows = [{ title: 'x', size: 1 }]
        const { found } = await owner.call('import_records', {
          object: 'task',
          rows,
          writeMode: 'upsert',
          matchFields: ['title'],
        })
        return { client: owner, token: found.confirmToken as string, more: {} }
      },
    ],
    [
      'a token that is too old',
      async (id: string) => {
        const { found } = await owner.call('delete_record', args(id))
        clock.advance(fiveMinutes)
        return { client: owner, token: found.confirmToken as string, more: {} }
      },
    ],
  ])('is not done with %s', async (_name, prepare) => {
    const id = await create({ title: 'Stays' })
    const { client, token } = await prepare(id)
    const { isError, text } = await client.call('delete_record', { ...args(id), confirmToken: token })
    expect([isError, text]).toEqual([true, expect.stringContaining('confirmToken: The token does not hold')])
    expect((await host.get(`/data/task/${id}`)).status).toBe(200)
    if (client !== owner) await client.close()
  })

  it('holds until the last moment', async () => {
    const id = await create({ title: 'Almost' })
    const { found } = await owner.call('delete_record', args(id))
    clock.advance(fiveMinutes - 1)
    const { found: done } = await owner.call('delete_record', { ...args(id), confirmToken: found.confirmToken })
    expect(done.status).toBe('done')
  })

  it('is asked again when the record changed meanwhile', async () => {
    const id = await create({ title: 'Changed' })
    const { found } = await owner.call('delete_record', args(id))
    await host.patch(`/data/task/${id}`, { size: 9 })
    const { text } = await owner.call('delete_record', { ...args(id), confirmToken: found.confirmToken })
    expect(text).toContain('CONCURRENT_UPDATE')
    expect((await host.get(`/data/task/${id}`)).status).toBe(200)
  })

  it('is a purge as well, also of what is in the trash', async () => {
    const id = await create({ title: 'For good' })
    await host.delete(`/data/task/${id}`)
    const { found } = await owner.call('delete_record', { ...args(id), purge: true })
    expect(found.plan.reversible).toBe(false)
    const done = await owner.call('delete_record', { ...args(id), purge: true, confirmToken: found.confirmToken })
    expect(done.found).toMatchObject({ status: 'done', purged: true })
    expect((await host.post(`/data/task/${id}/restore`)).status).toBe(404)
  })

  it('is a change of metadata that drops a field', async () => {
    const type = 'object'
    const name = 'note'
    const fields = { body: { type: 'text' }, extra: { type: 'text' } }
    const planned = (await owner.call('plan_metadata_change', { type, name, item: { name, fields } })).found
    expect([planned.losesData, planned.steps[0].change]).toEqual([false, 'add_object'])
    expect((await host.get('/meta/object/note')).status).toBe(404)
    expect((await owner.call('save_metadata', { type, name, item: { name, fields } })).found.status).toBe('done')
    await host.post('/data/note', { body: 'a', extra: 'b' })
    const smaller = { type, name, item: { name, fields: { body: { type: 'text' } } } }
    const asked = (await owner.call('save_metadata', smaller)).found
    expect(asked).toMatchObject({ status: 'confirmation_required', plan: { losesData: true } })
    expect((await host.get('/meta/object/note')).body.item.fields.extra).toBeDefined()
    const done = (await owner.call('save_metadata', { ...smaller, confirmToken: asked.confirmToken })).found
    expect(done.status).toBe('done')
    expect((await host.get('/meta/object/note')).body.item.fields.extra).toBeUndefined()
  })

  it('is an import of many rows, or one that changes records', async () => {
    const few = (await owner.call('import_records', { object: 'vault', rows: [{ name: 'a' }, { name: 'b' }] })).found
    expect(few).toMatchObject({ status: 'done', report: { created: 2, failed: 0 } })
    const rows = Array.from({ length: 101 }, (_none, at) => ({ name: `row ${at}` }))
    const asked = (await owner.call('import_records', { object: 'vault', rows })).found
    expect(asked).toMatchObject({ status: 'confirmation_required', plan: { created: 101 } })
    expect((await host.get('/data/vault?count=true')).body.total).toBe(2)
    const done = await owner.call('import_records', { object: 'vault', rows, confirmToken: asked.confirmToken })
    expect(done.found).toMatchObject({ status: 'done', report: { created: 101 } })
    const tried = (await owner.call('import_records', { object: 'vault', rows, dryRun: true })).found
    expect([tried.status, tried.report.created]).toEqual(['done', 101])
    expect((await host.get('/data/vault?count=true')).body.total).toBe(103)
  })
})

describe('rights', () => {
  it('of a key that only reads refuse every change', async () => {
    const id = await create({ title: 'Read' })
    expect((await reader.call('get_record', { object: 'task', id })).found.record.title).toBe('Read')
    const item = { name: 'thing', fields: { a: { type: 'text' } } }
    for (const [tool, args] of [
      ['create_record', { object: 'task', data: { title: 'x' } }],
      ['update_record', { object: 'task', id, data: { title: 'x' } }],
      ['delete_record', { object: 'task', id }],
      ['comment_record', { object: 'task', id, body: 'x' }],
      ['save_metadata', { type: 'object', name: 'thing', item }],
      ['import_records', { object: 'task', rows: [{ title: 'x' }] }],
      ['run_flow', { flow: 'double' }],
    ] as const) {
      const { isError, text } = await reader.call(tool, args)
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining('permission_denied')])
    }
    expect((await host.get(`/data/task/${id}`)).body.record.title).toBe('Read')
  })

  it('of a narrow key hide objects and fields', async () => {
    const id = await create({ title: 'Narrow', secretly: 'hidden words' })
    const { objects } = (await narrow.call('list_objects')).found
    expect(objects.map(({ name }: { name: string }) => name)).toEqual(['task'])
    const described = (await narrow.call('describe_object', { object: 'task' })).found
    expect(JSON.stringify(described)).not.toContain('secretly')
    expect(described.actions).toEqual(['edit'])
    expect((await narrow.call('describe_object', { object: 'vault' })).text).toContain('resource_not_found')
    const { record } = (await narrow.call('get_record', { object: 'task', id })).found
    expect(record).not.toHaveProperty('secretly')
    const filter = { secretly: { $contains: 'hidden' } }
    expect((await narrow.call('query_records', { object: 'task', filter })).text).toContain('invalid_query')
    for (const [tool, args] of [
      ['create_record', { object: 'task', data: { title: 'x' } }],
      ['delete_record', { object: 'task', id }],
      ['export_records', { object: 'task' }],
      ['import_records', { object: 'task', rows: [{ title: 'x' }] }],
      ['plan_metadata_change', { type: 'object', name: 'task', item: { name: 'task', fields: {} } }],
    ] as const) {
      const { isError, text } = await narrow.call(tool, args)
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining('permission_denied')])
    }
    await expect(narrow.client.readResource({ uri: 'cairn://objects/vault' })).rejects.toThrow()
  })

  it('and what was done are in the audit, under the key', async () => {
    const key = await keyOf({ name: 'Assistant' })
    const assistant = await connectMcp(host.host.url, bearer(key))
    const { found } = await assistant.call('create_record', { object: 'task', data: { title: 'Noted' } })
    await assistant.close()
    const { entries } = (await host.get('/audit?kind=mcp.acted&limit=1')).body
    expect(entries[0]).toMatchObject({ object: 'task', recordId: found.id, details: { tool: 'create_record' } })
    expect(JSON.stringify(entries[0])).toContain('api-key')
  })
})

describe('resources and prompts', () => {
  it('show objects and records', async () => {
    const id = await create({ title: 'Resource' })
    const { resources } = await owner.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['cairn://objects', 'cairn://objects/task']))
    const { resourceTemplates } = await owner.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'cairn://objects/{name}',
      'cairn://records/{object}/{id}',
    ])
    const read = async (uri: string) => {
      const [content] = (await owner.client.readResource({ uri })).contents
      return JSON.parse((content as { text: string }).text)
    }
    expect((await read('cairn://objects')).objects.length).toBeGreaterThan(1)
    expect((await read('cairn://objects/task')).name).toBe('task')
    expect((await read(`cairn://records/task/${id}`)).record.title).toBe('Resource')
  })

  it.each([
    'cairn://objects/none',
    'cairn://records/task',
    'cairn://records/task/none',
    'cairn://objects/task/more',
    'cairn://objects/%zz',
    'file:///etc/passwd',
    '',
  ])('know nothing of %j', async (uri) => {
    await expect(owner.client.readResource({ uri })).rejects.toThrow()
  })

  it('begin conversations', async () => {
    const { prompts } = await owner.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['summarise_records', 'make_table'])
    const { messages } = await owner.client.getPrompt({ name: 'summarise_records', arguments: { object: 'task' } })
    expect((messages[0]!.content as { text: string }).text).toContain('"task"')
    await expect(owner.client.getPrompt({ name: 'make_table' })).rejects.toThrow()
    await expect(owner.client.getPrompt({ name: 'none' })).rejects.toThrow()
  })
})

describe('a connection', () => {
  it('is a key that says what it is for, and what came in over it is told to its maker alone (D-320)', async () => {
    const { body: made } = await host.post('/keys', { name: 'Helper', readOnly: true, purpose: 'assistant' })
    const listed = (await host.get('/keys')).body.keys as { id: string; purpose: string | null }[]
    expect(listed.find(({ id }) => id === made.id)?.purpose).toBe('assistant')
    expect(listed.filter(({ purpose }) => purpose === null).length).toBe(listed.length - 1)
    expect((await host.post('/keys', { name: 'Helper', purpose: 'world' })).status).toBe(400)

    const helper = await connectMcp(host.host.url, bearer(made.key as string))
    await helper.call('query_records', { object: 'task' })
    await helper.call('delete_record', { object: 'task', id: '0190f2a4-0000-7000-8000-0000000000ff' })
    await helper.call('list_objects', {})
    await helper.close()
    const acts = (await host.get('/mcp/acts')).body.acts as { keyId: string }[]
    expect(acts.filter(({ keyId }) => keyId === made.id)).toMatchObject([
      { tool: 'list_objects', object: null, refused: false },
      { tool: 'delete_record', object: 'task', refused: true },
      { tool: 'query_records', object: 'task', refused: false },
    ])

    // Nobody else's, and nothing of a call that came without a key.
    const before = acts.length
    await owner.call('list_objects', {})
    expect((await host.get('/mcp/acts')).body.acts).toHaveLength(before)
    expect((await host.anonymous('GET', '/mcp/acts')).status).toBe(401)
  })
})
