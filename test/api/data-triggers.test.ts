// Triggers over HTTP (D-98, D-99, D-205): what runs after which change, as whom, once, and also after a kill.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { areOver, rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('entry', { text: { type: 'text' }, of: { type: 'text' }, amount: { type: 'number' } })
  await host.defineObject(
    'deal',
    { name: { type: 'text' }, amount: { type: 'number' }, stage: { type: 'text' }, note: { type: 'text' } },
    {
      triggers: [
        {
          name: 'log',
          events: ['create', 'update', 'delete', 'undelete'],
          actions: [
            {
              type: 'create_record',
              config: {
                object: 'entry',
                data: {
                  text: '{{ event.operation }} {{ record.name }}',
                  of: '{{ record.id }}',
                  amount: '{{ record.amount }}',
                },
              },
            },
          ],
        },
        {
          name: 'won',
          events: ['update'],
          condition: 'record.stage == "won" && previous.stage != "won"',
          actions: [{ type: 'update_record', config: { data: { note: 'Won by {{ user.id }}' } } }],
        },
        {
          name: 'off',
          active: false,
          events: ['create'],
          actions: [{ type: 'update_record', config: { data: { note: 'off' } } }],
        },
      ],
    },
  )
})

afterAll(() => host.stop())

const create = async (data: Record<string, unknown>): Promise<string> => (await host.post('/data/deal', data)).body.id

const entries = async (id: string): Promise<string[]> => {
  const { body } = await host.get(`/data/entry?of=${id}&sort=created_at`)
  return body.records.map((record: { text: string }) => record.text)
}

/** Waits until something holds; triggers run after the answer. */
async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 5_000
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    if (Date.now() > end) throw new Error(`It did not come true: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const settled = (): Promise<number> =>
  until(
    () =>
      Promise.resolve(
        host.host.database.read.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM _outbox', parameters: [] })!.n,
      ),
    (pending) => pending === 0,
  )

const runs = async (trigger: string) => (await host.get(`/meta/trigger/${trigger}/runs`)).body.runs

describe('a trigger written in its object', () => {
  it('runs after create, update, delete and undelete, in order', async () => {
    const id = await create({ name: 'Acme', amount: 7 })
    await host.patch(`/data/deal/${id}`, { amount: 8 })
    await host.delete(`/data/deal/${id}`)
    await host.post(`/data/deal/${id}/restore`)
    const texts = ['create Acme', 'update Acme', 'delete Acme', 'undelete Acme']
    expect(
      await until(
        () => entries(id),
        (found) => found.length === 4,
      ),
    ).toEqual(texts)
    const { body } = await host.get(`/data/entry?of=${id}&sort=created_at`)
    expect(body.records.map((record: { amount: number }) => record.amount)).toEqual([7, 8, 8, 8])
    expect(body.records[0]).toMatchObject({ created_by: 'system', owner: 'system' })
  })

  it('runs when its condition holds between the record before and after, as the system, with the caller in CEL', async () => {
    const id = await create({ name: 'Cond', stage: 'new' })
    host.takeEvents()
    await host.patch(`/data/deal/${id}`, { stage: 'open' })
    await host.patch(`/data/deal/${id}`, { stage: 'won' })
    const { body: me } = await host.get(`/data/deal/${id}`)
    const deal = await until(
      async () => (await host.get(`/data/deal/${id}`)).body.record,
      (record) => record.note !== null,
    )
    expect(deal).toMatchObject({ note: `Won by ${me.record.created_by}`, updated_by: 'system' })
    await host.patch(`/data/deal/${id}`, { amount: 1 })
    await settled()
    const own = host.takeEvents().filter((event) => event.recordId === id && event.actor.type === 'system')
    expect(own).toHaveLength(1)
    expect(own[0]).toMatchObject({ source: 'automation', depth: 1 })
    const run = (await runs('deal.won'))[0]
    expect(run).toMatchObject({ status: 'done', recordId: id, caller: `user:${me.record.created_by}` })
    expect(own[0]!.causeEventId).toBe(Number(run.eventId))
  })

  it('does not run while it is switched off, nor for changes that change nothing', async () => {
    const id = await create({ name: 'Same' })
    await host.patch(`/data/deal/${id}`, { name: 'Same' })
    await settled()
    expect(await entries(id)).toEqual(['create Same'])
    expect((await host.get(`/data/deal/${id}`)).body.record.note).toBeNull()
  })

  it('runs for every record of a batch, and for none of one that is rolled back', async () => {
    const made = await host.post('/data/deal/createMany', { records: [{ name: 'b1' }, { name: 'b2' }] })
    const ids = made.body.records.map((record: { id: string }) => record.id)
    await settled()
    expect([await entries(ids[0]), await entries(ids[1])]).toEqual([['create b1'], ['create b2']])
    const before = (await runs('deal.log')).length
    await host.post('/data/deal/batch', { operation: 'create', records: [{ data: {} }, { data: { amount: 'x' } }] })
    await settled()
    expect((await runs('deal.log')).length).toBe(before)
  })

  it('does not run for an import that asks for quiet', async () => {
    const quiet = await host.post('/data/deal/import', { rows: [{ name: 'quiet' }], runAutomations: false })
    const loud = await host.post('/data/deal/import', { rows: [{ name: 'loud' }] })
    expect([quiet.body.created, loud.body.created]).toEqual([1, 1])
    await settled()
    const ids = async (name: string): Promise<string> => (await host.get(`/data/deal?name=${name}`)).body.records[0].id
    expect([await entries(await ids('quiet')), await entries(await ids('loud'))]).toEqual([[], ['create loud']])
  })
})

describe('a trigger item of its own', () => {
  const save = (name: string, item: Record<string, unknown>) =>
    host.put(`/meta/trigger/${name}`, { type: 'trigger', name, item: { name, ...item } })

  it('changes other records by id or filter and stops at the first action that fails', async () => {
    await host.defineObject('source', { name: { type: 'text' }, target: { type: 'text' } })
    await host.defineObject('sink', { name: { type: 'text' }, group: { type: 'text' }, hits: { type: 'number' } })
    const saved = await save('source.push', {
      object: 'source',
      events: ['create'],
      actions: [
        {
          type: 'update_record',
          config: { object: 'sink', filter: { group: '{{ record.name }}' }, data: { hits: 1 } },
        },
        { type: 'update_record', config: { object: 'sink', id: '{{ record.target }}', data: { hits: 2 } } },
        { type: 'run_flow', config: { flow: 'none' } },
        { type: 'update_record', config: { data: { name: 'never' } } },
      ],
    })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    const sinks = (
      await host.post('/data/sink/createMany', { records: [{ group: 'g' }, { group: 'g' }, { group: 'h' }] })
    ).body.records
    const source = await host.post('/data/source', { name: 'g', target: sinks[2].id })
    await settled()
    const hits = (await host.get('/data/sink?sort=created_at')).body.records.map(
      (record: { hits: number }) => record.hits,
    )
    expect(hits).toEqual([1, 1, 2])
    expect((await host.get(`/data/source/${source.body.id}`)).body.record.name).toBe('g')
    const found = await runs('source.push')
    expect(found.map((run: { action: number; status: string }) => [run.action, run.status])).toEqual([
      [3, 'skipped'],
      [2, 'failed'],
      [1, 'done'],
      [0, 'done'],
    ])
    expect(found[1].error).toContain('flow_not_found')
  })

  it('says why an expression, a target or a value of an action fails; other triggers go on', async () => {
    await host.defineObject('probe', { name: { type: 'text' }, count: { type: 'number' } })
    const cases: [string, Record<string, unknown>, string][] = [
      ['probe.a_expression', { data: { name: '{{ nope( }}' } }, 'expression_error'],
      [
        'probe.b_missing',
        { object: 'probe', id: '01900000-0000-7000-8000-00000000dead', data: { name: 'x' } },
        'resource_not_found',
      ],
      ['probe.c_value', { data: { count: 'many' } }, 'count'],
      ['probe.d_nothing', {}, 'data'],
      ['probe.e_fine', { data: { count: 5 } }, ''],
    ]
    for (const [name, config] of cases) {
      const { status, body } = await save(name, {
        object: 'probe',
        events: ['create'],
        actions: [{ type: 'update_record', config }],
      })
      expect(status, JSON.stringify(body)).toBe(200)
    }
    const { body } = await host.post('/data/probe', { name: 'p' })
    await settled()
    for (const [name, , reason] of cases.slice(0, 4)) {
      const [run] = await runs(name)
      expect([run.status, run.error.includes(reason)], `${name}: ${run.error}`).toEqual(['failed', true])
    }
    expect((await host.get(`/data/probe/${body.id}`)).body.record.count).toBe(5)
  })

  it('ends a chain of triggers at depth 5 (D-99)', async () => {
    await host.defineObject('spiral', { count: { type: 'number' } })
    await save('spiral.again', {
      object: 'spiral',
      events: ['create', 'update'],
      actions: [{ type: 'update_record', config: { data: { count: '{{ record.count + 1.0 }}' } } }],
    })
    const { body } = await host.post('/data/spiral', { count: 0 })
    await settled()
    expect((await host.get(`/data/spiral/${body.id}`)).body.record.count).toBe(4)
    const [last] = await runs('spiral.again')
    expect([last.status, last.error.includes('5 steps')]).toEqual(['failed', true])
  })

  it('never makes the source of a script of what a record holds', async () => {
    await host.defineObject('pasted', { name: { type: 'text' }, seen: { type: 'text' } })
    const source = 'await records.update("pasted", input.id, { seen: "{{ record.name }}" + input.name })'
    await save('pasted.run', {
      object: 'pasted',
      events: ['create'],
      actions: [
        { type: 'script', config: { source, input: { id: '{{ record.id }}', name: ' is {{ record.name }}' } } },
      ],
    })
    const { body } = await host.post('/data/pasted', { name: '" + (await records.list("deal")).records.length + "' })
    await settled()
    expect((await host.get(`/data/pasted/${body.id}`)).body.record.seen).toBe(
      '{{ record.name }} is " + (await records.list("deal")).records.length + "',
    )
  })

  it('runs scripts', async () => {
    await host.defineObject('scripted', { name: { type: 'text' }, seen: { type: 'text' } })
    await save('scripted.run', {
      object: 'scripted',
      events: ['create'],
      actions: [
        {
          type: 'script',
          config: {
            source:
              "await records.update('scripted', input.record.id, { seen: input.event + ' ' + input.record.name })",
          },
        },
      ],
    })
    const { body } = await host.post('/data/scripted', { name: 'js' })
    await settled()
    const [run] = await runs('scripted.run')
    expect([run.status, run.error]).toEqual(['done', null])
    expect((await host.get(`/data/scripted/${body.id}`)).body.record.seen).toBe('create js')
  })

  it('starts flows, each in its turn, and tells people, once', async () => {
    await host.defineObject('told', { name: { type: 'text' } })
    const params = { n: '{{ record.name.size() }}' }
    const saved = await save('told.do', {
      object: 'told',
      events: ['create', 'delete'],
      actions: [
        { type: 'run_flow', config: { flow: 'follows', params } },
        { type: 'notify', config: { to: '{{ user.id }}', title: '{{ event.operation }} {{ record.name }}' } },
        { type: 'notify', config: { to: 'nobody', title: 't' } },
      ],
    })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    const { nodes, edges } = rowOf({
      id: 'c',
      type: 'create_record',
      config: {
        object: 'entry',
        data: { text: '{{ record.name }}', of: '{{ event.type }}', amount: '{{ params.n }}' },
      },
    })
    await saveFlow(host, 'follows', { nodes, edges, concurrency: { maxConcurrent: 2 } })
    const names = Array.from({ length: 12 }, (_, at) => `t${at}`)
    const made = await host.post('/data/told/createMany', { records: names.map((name) => ({ name })) })
    await settled()
    await runsWhen(host, 'follows', (all) => all.length === 12 && areOver(all))
    const { notifications } = (await host.get('/notifications?type=record&limit=50')).body
    expect(notifications.filter(({ title }: { title: string }) => title.startsWith('create t'))).toHaveLength(12)
    await host.delete(`/data/told/${made.body.records[0].id}`)
    await settled()
    await runsWhen(host, 'follows', (all) => all.length === 13 && areOver(all))
    const { records } = (await host.get('/data/entry?amount=2&amount=3&sort=created_at')).body
    expect(records, JSON.stringify(records)).toHaveLength(13)
    expect(new Set(records.map(({ text }: { text: string }) => text))).toEqual(new Set([...names, null]))
    const [last, ...others] = await runs('told.do')
    expect(last).toMatchObject({ status: 'failed', error: 'validation_error: to: There is no such user.' })
    expect(others.slice(0, 2).map(({ status }: { status: string }) => status)).toEqual(['done', 'done'])
  })

  it('keeps no word about a purged record in the reasons of its runs (D-59)', async () => {
    await host.defineObject('quoted', { name: { type: 'text' } })
    await save('quoted.run', {
      object: 'quoted',
      events: ['create', 'update', 'delete'],
      actions: [{ type: 'script', config: { source: "fail('No ' + input.record.name)" } }],
    })
    const { body } = await host.post('/data/quoted', { name: 'Wordless' })
    const other = (await host.post('/data/quoted', { name: 'Staying' })).body
    await settled()
    const reasons = async (): Promise<Record<string, (string | null)[]>> => {
      const found = (await runs('quoted.run')) as { recordId: string; error: string | null }[]
      return Object.fromEntries(
        [body.id, other.id].map((id: string) => [
          id,
          found.filter(({ recordId }) => recordId === id).map(({ error }) => error),
        ]),
      )
    }
    expect(await reasons()).toEqual({
      [body.id]: ['validation_error: No Wordless'],
      [other.id]: ['validation_error: No Staying'],
    })
    await host.delete(`/data/quoted/${body.id}?purge=true`)
    await settled()
    expect(await reasons()).toEqual({
      [body.id]: ['validation_error', 'validation_error'],
      [other.id]: ['validation_error: No Staying'],
    })
  })

  it('has an empty list of runs before the first, and none where there is no trigger', async () => {
    await host.defineObject(
      'silent',
      { name: { type: 'text' } },
      { triggers: [{ name: 'in', events: ['create'], actions: [] }] },
    )
    await save('silent.out', { object: 'silent', events: ['create'], actions: [] })
    for (const name of ['silent.in', 'silent.out'])
      expect((await host.get(`/meta/trigger/${name}/runs`)).body, name).toEqual({ runs: [], hasMore: false })
    for (const name of ['silent.none', 'none.in', 'x'])
      expect((await host.get(`/meta/trigger/${name}/runs`)).body.error, name).toMatchObject({
        code: 'resource_not_found',
        httpStatus: 404,
        details: { resource: 'trigger', id: name },
      })
  })

  it('pages its runs and refuses limits and cursors that are none', async () => {
    const first = await host.get('/meta/trigger/source.push/runs?limit=3')
    const rest = await host.get(`/meta/trigger/source.push/runs?limit=3&cursor=${first.body.nextCursor}`)
    expect([first.body.runs.length, first.body.hasMore, rest.body.runs.length, rest.body.hasMore]).toEqual([
      3,
      true,
      1,
      false,
    ])
    expect((await host.get('/meta/trigger/source.push/runs?limit=3&cursor=')).body).toEqual(first.body)
    for (const query of ['limit=0', 'limit=201', 'cursor=x'])
      expect((await host.get(`/meta/trigger/source.push/runs?${query}`)).status).toBe(400)
  })
})

describe('a trigger of an acknowledged write', () => {
  it('runs after a restart when the process ended in between, and only once', async () => {
    const { database } = host.host
    const id = await create({ name: 'before' })
    await settled()
    // The state a kill leaves behind: the event is stored, its consumer has not come to it, and one action was done.
    const event = {
      eventId: Date.now() * 1000,
      type: 'record.created',
      object: 'deal',
      recordId: id,
      payload: { record: { id, name: 'killed', amount: 1 } },
      actor: { type: 'user', id: 'someone' },
      source: 'API',
      requestId: 'killed-request',
      timestamp: new Date().toISOString(),
      depth: 0,
    }
    await database.write('test.outbox', (tx) => {
      for (let times = 0; times < 2; times += 1)
        tx.run({
          sql: 'INSERT INTO _outbox (consumers, event) VALUES (?, ?)',
          parameters: ['["data.triggers"]', JSON.stringify(event)],
        })
    })
    await host.restart()
    await until(
      () => entries(id),
      (found) => found.length === 2,
    )
    await settled()
    expect(await entries(id)).toEqual(['create before', 'create killed'])
  })
})
