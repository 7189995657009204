// Functions and hooks over HTTP: what scripts see, return and refuse, and where they are stopped (D-98, D-99).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    hours: { type: 'number' },
    status: { type: 'select', options: ['open', 'done'] },
  })
  await host.defineObject('note', { text: { type: 'text' } })
})
afterAll(() => host.stop())

/** Stores a function and runs it. */
async function runFunction(source: string, input?: unknown, rest: Record<string, unknown> = {}): Promise<Answer> {
  expect((await host.put('/meta/function/probe', { name: 'probe', source, ...rest })).status).toBe(200)
  return host.post('/functions/probe/run', input === undefined ? undefined : { input })
}

async function addHook(key: string, item: Record<string, unknown>): Promise<void> {
  const { status, body } = await host.put(`/meta/hook/${key}`, { name: key, object: 'task', ...item })
  expect([status, body.error?.details]).toEqual([200, undefined])
}

describe('functions', () => {
  it('see their input, return a value and log', async () => {
    const { status, body } = await runFunction('log("got", input); return { sum: input.a + input.b }', { a: 1, b: 2 })
    expect(status).toBe(200)
    expect(body).toMatchObject({ function: 'probe', result: { sum: 3 }, logs: ['got {"a":1,"b":2}'] })
    expect(body.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('return null for nothing, and cannot change their input', async () => {
    expect((await runFunction('log()')).body.result).toBeNull()
    const { status, body } = await runFunction('input.a = 2', { a: 1 })
    expect([status, body.error.code]).toEqual([422, 'execution_failed'])
  })

  it('cannot change how their end is told by changing the prototypes of their language (D-408)', async () => {
    for (const told of ['{ ok: true, value: "no JSON" }', `{ ok: true, value: "[".repeat(900000) }`, 'undefined']) {
      const { status, body } = await runFunction(`Object.prototype.toJSON = () => (${told}); return 7`)
      expect([status, body.result], told).toEqual([200, 7])
    }
  })

  it('use records with the rights of the caller', async () => {
    const source = `
      const made = await records.create('note', { text: 'one' })
      await records.update('note', made.id, { text: 'two' })
      const page = await records.list('note', { filter: { text: 'two' }, count: true })
      const read = await records.get('note', made.id)
      await records.delete('note', made.id)
      return [page.total, read.text, made.created_at <= read.updated_at]
    `
    expect((await runFunction(source)).body.result).toEqual([1, 'two', true])
    expect((await host.get('/data/note')).body.records).toEqual([])
  })

  it('can catch a refused call', async () => {
    const source = `
      try { await records.create('task', {}) } catch (error) { return error.message }
    `
    expect((await runFunction(source)).body.result).toMatch(/not valid/)
  })

  it('refuse with fail, naming the field', async () => {
    const { status, body } = await runFunction('fail("too big", "hours")')
    expect([status, body.error.code, body.error.details.fieldErrors]).toEqual([
      400,
      'validation_error',
      [{ field: 'hours', code: 'rule_violation', message: 'too big' }],
    ])
  })

  it('check their input against its schema', async () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }
    const { status, body } = await runFunction('return input.a', { a: 'x' }, { inputSchema: schema })
    expect([status, body.error.details.fieldErrors[0].field]).toEqual([400, 'input.a'])
    expect((await host.post('/functions/probe/run', { input: {} })).body.error.details.fieldErrors[0].field).toBe(
      'input.a',
    )
    expect((await host.post('/functions/nothing/run', {})).status).toBe(404)
  })

  it.each([
    ['syntax', 'return (', 422, 'execution_failed'],
    ['throw', 'throw new Error("broken")', 422, 'execution_failed'],
    ['throw of nothing', 'throw null', 422, 'execution_failed'],
    ['waiting for ever', 'await new Promise(() => undefined)', 422, 'execution_failed'],
    ['endless loop', 'for (;;) {}', 504, 'execution_timeout'],
    ['endless loop that catches', 'for (;;) { try { for (;;) {} } catch {} }', 504, 'execution_timeout'],
    [
      'promise flood',
      'const f = () => { Promise.resolve().then(f) }; f(); await new Promise(() => undefined)',
      504,
      'execution_timeout',
    ],
    ['deep recursion', 'const f = () => f() + 1; return f()', 422, 'execution_failed'],
    ['huge array', 'return new Array(10_000_000).fill(1).length', 422, 'execution_failed'],
    ['many texts', 'const a = []; for (;;) a.push("x".repeat(4_000_000) + a.length)', 422, 'execution_failed'],
    ['many buffers', 'const a = []; for (;;) a.push(new Uint8Array(4_000_000))', 422, 'execution_failed'],
    ['huge text', 'let s = "x"; for (;;) s += s', 422, 'execution_failed'],
    ['huge output', 'return "x".repeat(2_000_000)', 422, 'execution_failed'],
    ['huge log', 'for (;;) log("x".repeat(10_000))', 422, 'execution_failed'],
  ])('end with a code when there is %s', async (_what, source, status, code) => {
    // Only what runs away is ended by time; a busy machine may take long to fill the memory of the others.
    const rest = code === 'execution_timeout' ? {} : { timeoutMs: 10_000 }
    const answer = await runFunction(source, undefined, rest)
    expect([answer.status, answer.body.error?.code]).toEqual([status, code])
  })

  it('do not disturb the requests of others while one runs away', async () => {
    const runaway = runFunction('for (;;) {}')
    const times: number[] = []
    for (let n = 0; n < 50; n++) {
      const before = performance.now()
      expect((await host.get('/data/note?top=1')).status).toBe(200)
      times.push(performance.now() - before)
    }
    expect((await runaway).status).toBe(504)
    expect(times.toSorted((a, b) => a - b)[49]!).toBeLessThan(1_000)
  })
})

describe('hooks', () => {
  afterEach(async () => {
    for (const { name } of (await host.get('/meta/hook')).body.items) await host.delete(`/meta/hook/${name}`)
  })

  it('before a write see the record and change it', async () => {
    await addHook('task.fill', {
      events: ['beforeInsert', 'beforeUpdate'],
      body: 'return { title: input.record.title.trim(), hours: (input.previous ? input.previous.hours : 0) + 1 }',
    })
    const created = await host.post('/data/task', { title: '  a  ' })
    expect(created.body.record).toMatchObject({ title: 'a', hours: 1 })
    const updated = await host.patch(`/data/task/${created.body.id}`, { title: ' b ' })
    expect(updated.body.record).toMatchObject({ title: 'b', hours: 2 })
  })

  it('run in order of priority, see what earlier ones changed, and only when their condition holds', async () => {
    await addHook('task.second', {
      events: ['beforeInsert'],
      priority: 20,
      body: 'return { hours: input.record.hours * 10 }',
    })
    await addHook('task.first', { events: ['beforeInsert'], priority: 10, body: 'return { hours: 2 }' })
    await addHook('task.never', {
      events: ['beforeInsert'],
      condition: 'record.title == "other"',
      body: 'return { hours: 0 }',
    })
    expect((await host.post('/data/task', { title: 'x' })).body.record.hours).toBe(20)
  })

  it('refuse a write with fail, and nothing is stored', async () => {
    await addHook('task.limit', {
      events: ['beforeInsert', 'beforeDelete'],
      body: `if (input.event === 'beforeDelete') fail('kept'); if (input.record.hours > 8) fail('too long', 'hours')`,
    })
    const before = (await host.get('/data/task?count=true')).body.total
    const { status, body } = await host.post('/data/task', { title: 'x', hours: 9 })
    expect([status, body.error.details.fieldErrors]).toEqual([
      400,
      [{ field: 'hours', code: 'rule_violation', message: 'too long' }],
    ])
    expect((await host.get('/data/task?count=true')).body.total).toBe(before)
    const kept = await host.post('/data/task', { title: 'x', hours: 1 })
    expect((await host.delete(`/data/task/${kept.body.id}`)).body.error.code).toBe('validation_error')
    expect((await host.get(`/data/task/${kept.body.id}`)).status).toBe(200)
  })

  it('that break abort the write with their name, or are passed over when they only log', async () => {
    await addHook('task.broken', { events: ['beforeInsert'], body: 'nothing.here' })
    const { status, body } = await host.post('/data/task', { title: 'x' })
    expect([status, body.error.code, body.error.details.hook]).toEqual([400, 'validation_error', 'task.broken'])
    await addHook('task.broken', { events: ['beforeInsert'], body: 'nothing.here', onError: 'log' })
    expect((await host.post('/data/task', { title: 'x' })).status).toBe(201)
    await addHook('task.broken', { events: ['beforeInsert'], body: 'for (;;) {}', timeoutMs: 200 })
    const slow = await host.post('/data/task', { title: 'x' })
    expect([slow.status, slow.body.error.code]).toEqual([400, 'validation_error'])
  })

  it('after a write see what is stored and may write more', async () => {
    await addHook('task.note', {
      events: ['afterInsert', 'afterUpdate'],
      body: `await records.create('note', { text: input.event + ' ' + input.record.title })`,
    })
    const { id } = (await host.post('/data/task', { title: 'x' })).body
    await host.patch(`/data/task/${id}`, { title: 'y' })
    const notes = (await host.get('/data/note?sort=created_at')).body.records
    expect(notes.map((note: { text: string }) => note.text)).toEqual(['afterInsert x', 'afterUpdate y'])
  })

  it('run for every record of a bulk write, and values outside the rules are refused', async () => {
    await addHook('task.status', { events: ['beforeInsert'], body: 'return { status: input.record.title }' })
    const good = await host.post('/data/task/createMany', { records: [{ title: 'open' }, { title: 'done' }] })
    expect(good.body.records.map((record: { status: string }) => record.status)).toEqual(['open', 'done'])
    const bad = await host.post('/data/task/createMany', { records: [{ title: 'open' }, { title: 'later' }] })
    expect([bad.status, bad.body.error.details.index]).toEqual([400, 1])
  })

  it('write nothing where nothing is to stay, and are refused what would be refused', async () => {
    const { id } = (await host.post('/data/task', { title: 'real' })).body
    const kept = (await host.post('/data/note', { text: 'kept' })).body.id
    await addHook('task.note', {
      events: ['beforeInsert', 'beforeUpdate', 'beforeDelete'],
      body: `
        const made = await records.create('note', { text: 'tried' })
        const { text } = await records.update('note', '${kept}', { text: 'changed' })
        const { purged } = await records.delete('note', '${kept}')
        let refused
        try { await records.update('note', '${kept}', { nothing: 1 }) } catch (error) { refused = error.message }
        return { title: [made.text, text, purged, refused !== undefined].join(' ') }`,
    })
    const notes = (await host.get('/data/note?deleted=include&sort=id')).body.records
    const tried = async (request: Record<string, unknown>) => {
      const options = { validateOnly: true, returnRecords: true }
      return (await host.post('/data/task/batch', { ...request, options })).body
    }
    const created = await tried({ operation: 'create', records: [{ data: { title: 'x' } }] })
    expect(created.results[0].record.title).toBe('tried changed false true')
    expect((await tried({ operation: 'update', records: [{ id, data: { title: 'x' } }] })).success).toBe(true)
    expect((await tried({ operation: 'delete', records: [{ id }] })).success).toBe(true)
    expect((await host.get('/data/note?deleted=include&sort=id')).body.records).toEqual(notes)
  })

  it('that cause themselves stop at depth 5', async () => {
    await addHook('task.loop', {
      events: ['afterInsert'],
      body: `await records.create('task', { title: 'again' })`,
    })
    const before = (await host.get('/data/task?count=true')).body.total
    expect((await host.post('/data/task', { title: 'start' })).status).toBe(201)
    const written = (await host.get('/data/task?count=true')).body.total - before
    expect(written).toBeGreaterThan(1)
    expect(written).toBeLessThanOrEqual(6)
  })

  it('use functions by name', async () => {
    await host.put('/meta/function/shout', {
      name: 'shout',
      source: 'return { title: input.record.title.toUpperCase() }',
    })
    await addHook('task.shout', { events: ['beforeInsert'], function: 'shout' })
    expect((await host.post('/data/task', { title: 'x' })).body.record.title).toBe('X')
  })
})
