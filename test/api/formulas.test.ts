// Formula fields over HTTP: stored at write, computed on reading when they follow the clock, refused at save (D-94).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { timezone: 'Europe/Berlin' })
})

afterAll(() => host.stop())

const formula = (expression: unknown, rest: object = {}): object => ({ type: 'formula', expression, ...rest })

/** Saves a definition and answers whatever comes back. */
const save = (name: string, fields: Record<string, unknown>): Promise<Answer> =>
  host.put(`/meta/object/${name}`, { type: 'object', name, item: { name, fields } })

const problemsOf = (answer: Answer): string[] =>
  answer.body.error.details.fieldErrors.map((error: { field: string; code: string }) => `${error.field} ${error.code}`)

describe('a formula', () => {
  beforeAll(() =>
    host.defineObject('line', {
      name: { type: 'text' },
      gross: formula('record.net + record.tax'),
      tax: formula('round(record.net * 0.19, 2)'),
      net: formula('record.qty * record.price'),
      qty: { type: 'number' },
      price: { type: 'currency' },
      label: formula('upper(record.name) + " x" + string(record.qty)'),
      big: formula('record.net > 100'),
      due: { type: 'date' },
      warn_on: formula('addDays(record.due, -7)'),
      money: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
      money_value: formula('record.money.value', { returnType: 'number' }),
      failing: formula('1 + int(record.name) / record.qty'),
    }),
  )

  it('is stored from the values of the record and from formulas that stand after it', async () => {
    const { status, body } = await host.post('/data/line', {
      name: 'pen',
      qty: 3,
      price: 40,
      due: '2026-03-03',
      money: { value: 7, currency: 'EUR' },
    })
    expect(status).toBe(201)
    expect(body.record).toMatchObject({
      net: 120,
      tax: 22.8,
      gross: 142.8,
      label: 'PEN x3',
      big: true,
      warn_on: '2026-02-24',
      money_value: 7,
      failing: null,
    })
    const read = await host.get(`/data/line/${body.id}`)
    expect(read.body.record).toEqual(body.record)
  })

  it('follows every change, and only a change of its values is a change', async () => {
    const { id, record } = (await host.post('/data/line', { name: 'ink', qty: 1, price: 10 })).body
    const changed = (await host.patch(`/data/line/${id}`, { qty: 2 })).body.record
    expect(changed).toMatchObject({ net: 20, tax: 3.8, gross: 23.8, label: 'INK x2', big: false })
    const same = (await host.patch(`/data/line/${id}`, { qty: 2 })).body.record
    expect(same.updated_at).toBe(changed.updated_at)
    expect(changed.updated_at > record.updated_at).toBe(true)
    expect((await host.patch(`/data/line/${id}`, { price: null })).body.record).toMatchObject({
      net: null,
      gross: null,
      big: false,
    })
  })

  it('cannot be written', async () => {
    const { body } = await host.post('/data/line', { name: 'x', qty: 1, price: 1, net: 99, big: true })
    expect(body.record).toMatchObject({ net: 1, big: false })
    expect((await host.patch(`/data/line/${body.id}`, { net: 5 })).body.record.net).toBe(1)
  })

  it('filters, sorts, groups and adds up as its type', async () => {
    await host.defineObject('item', {
      n: { type: 'number' },
      twice: formula('record.n * 2'),
      even: formula('record.n % 2 == 0'),
    })
    await host.post('/data/item/createMany', { records: [1, 2, 3, 4].map((n) => ({ n })) })
    const list = await host.get('/data/item?filter={"twice":{"$gt":2}}&sort=-twice')
    expect(list.body.records.map((record: { twice: number }) => record.twice)).toEqual([8, 6, 4])
    const groups = await host.get(
      '/data/item?groupBy=even&aggregations=[{"function":"sum","field":"twice","alias":"s"}]',
    )
    expect(groups.body.records).toEqual(
      expect.arrayContaining([
        { even: true, s: 12 },
        { even: false, s: 8 },
      ]),
    )
    const text = await host.get('/data/item?filter={"twice":{"$contains":"8"}}')
    expect(text.body.error.code).toBe('invalid_query')
  })

  it('is worked out in batches, createMany and upserts too', async () => {
    const { body } = await host.post('/data/line/batch', {
      operation: 'create',
      records: [{ data: { name: 'a', qty: 2, price: 2 } }, { data: { name: 'b', qty: 3, price: 3 } }],
      options: { returnRecords: true },
    })
    expect(body.results.map((result: { record: { net: number } }) => result.record.net)).toEqual([4, 9])
  })

  it('infers its type, and keeps to a declared one that fits', async () => {
    await host.defineObject('typed', {
      n: { type: 'number' },
      d: { type: 'date' },
      as_text: formula('record.n', { returnType: 'text' }),
      moment: formula('record.d', { returnType: 'datetime' }),
      span: formula('days(record.d, "2026-12-31")'),
    })
    const { record } = (await host.post('/data/typed', { n: 1.5, d: '2026-12-01' })).body
    expect(record).toMatchObject({ as_text: '1.5', moment: '2026-11-30T23:00:00.000Z', span: 30 })
    const refused = await save('typed_wrong', {
      n: { type: 'number' },
      f: formula('record.n > 1', { returnType: 'number' }),
    })
    expect(problemsOf(refused)).toEqual(['fields.f.returnType invalid_option'])
  })

  it('takes the other written form of an expression', async () => {
    await host.defineObject('dialect', {
      n: { type: 'number' },
      f: formula({ dialect: 'cel', source: 'record.n + 1' }),
    })
    expect((await host.post('/data/dialect', { n: 1 })).body.record.f).toBe(2)
  })
})

describe('a formula that cannot be', () => {
  it.each<[what: string, fields: Record<string, unknown>, problem: string]>([
    ['no CEL', { f: formula('1 +') }, 'fields.f.expression expression_error'],
    ['an unknown field', { f: formula('record.nope * 2') }, 'fields.f.expression unknown_field'],
    ['an unknown name', { f: formula('nope * 2') }, 'fields.f.expression expression_error'],
    ['itself', { f: formula('record.f + 1') }, 'fields.f.expression expression_error'],
    [
      'a number and a text',
      { n: { type: 'number' }, f: formula('record.n + "a"') },
      'fields.f.expression expression_error',
    ],
    ['the record before', { n: { type: 'number' }, f: formula('previous.n') }, 'fields.f.expression expression_error'],
    ['the user', { f: formula('user.id') }, 'fields.f.expression expression_error'],
    ['the whole record', { f: formula('size(record)') }, 'fields.f.expression expression_error'],
    [
      'one that is unique and follows the clock',
      { f: formula('today()', { unique: true }) },
      'fields.f.unique not_allowed',
    ],
    ['a password', { p: { type: 'password' }, f: formula('record.p') }, 'fields.f.expression expression_error'],
  ])('is refused at save: %s', async (_what, fields, problem) => {
    const answer = await save('broken', fields)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(problemsOf(answer)).toContain(problem)
    expect((await host.get('/meta/object/broken')).status).toBe(404)
  })

  it('is refused at save: a ring of formulas', async () => {
    const answer = await save('ring', { a: formula('record.b'), b: formula('record.c'), c: formula('record.a') })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.fieldErrors[0].message).toMatch(/reads itself/)
  })
})

describe('a formula that follows the clock', () => {
  const day = (offset: number): string => {
    const now = new Date(Date.now() + offset * 86_400_000)
    return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(now)
  }
  let project: string
  let task: string

  beforeAll(async () => {
    await host.defineObject('plan', {
      name: { type: 'text' },
      start: { type: 'date' },
      running: formula('days(record.start, today())'),
      long_running: formula('record.running > 5'),
      doubled: formula('days(record.start, "2030-01-01") * 2'),
    })
    await host.defineObject('step', {
      plan: { type: 'lookup', reference: 'plan', relationshipName: 'steps' },
      due: { type: 'date' },
      overdue: formula('record.due < today()'),
    })
    project = (await host.post('/data/plan', { name: 'p', start: day(-10) })).body.id
    task = (await host.post('/data/step', { plan: project, due: day(-1) })).body.id
  })

  it('is in answers of create, update, get, list, query and expansions', async () => {
    const created = (await host.post('/data/plan', { name: 'q', start: day(-2) })).body
    expect(created.record).toMatchObject({ running: 2, long_running: false })
    const updated = (await host.patch(`/data/plan/${created.id}`, { start: day(-8) })).body
    expect(updated.record).toMatchObject({ running: 8, long_running: true })
    expect((await host.get(`/data/plan/${project}`)).body.record).toMatchObject({ running: 10, long_running: true })
    const list = (await host.get('/data/plan?name=p')).body.records
    expect(list).toEqual([(await host.get(`/data/plan/${project}`)).body.record])
    const query = (await host.post('/data/step/query', { expand: ['plan'] })).body.records[0]
    expect(query).toMatchObject({ overdue: true, plan: { running: 10, long_running: true } })
    const children = (await host.get(`/data/plan/${project}?expand=steps`)).body.record
    expect(children.steps).toMatchObject([{ id: task, overdue: true }])
  })

  it('is computed for a select that names only it, and shows nothing else', async () => {
    const one = (await host.get('/data/plan?name=p&select=long_running')).body.records[0]
    expect(Object.keys(one).sort()).toEqual(['created_at', 'id', 'long_running', 'updated_at'])
    expect(one.long_running).toBe(true)
    const related = (await host.get(`/data/step/${task}?select=plan.running`)).body.record
    expect(related.plan).toEqual({ id: project, running: 10 })
  })

  it('is not stored: it changes without a write', async () => {
    const before = (await host.get(`/data/plan/${project}`)).body.record
    expect(before.running).toBe(10)
    const paged = (await host.get('/data/plan?top=1&sort=-doubled')).body
    const next = (await host.get(`/data/plan?top=1&sort=-doubled&cursor=${paged.nextCursor}`)).body
    expect([...paged.records, ...next.records].map((record: { running: number }) => record.running)).toHaveLength(2)
    expect(before.doubled).toBe(2 * Math.round((Date.UTC(2030, 0, 1) - Date.parse(before.start)) / 86_400_000))
  })

  it.each(['filter={"running":{"$gt":1}}', 'sort=running', 'groupBy=running&aggregations=[{"function":"count"}]'])(
    'takes no part in %s',
    async (query) => {
      const answer = await host.get(`/data/plan?${query}`)
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_query'])
    },
  )
})

describe('a formula of an extension', () => {
  const extend = (fields: object): Promise<Answer> =>
    host.put('/meta/object/core_more', { item: { name: 'core_more', extend: 'core', fields } })

  it('may read the fields of the extended object, and no others', async () => {
    await host.defineObject('core', { n: { type: 'number' } })
    const refused = await extend({ twice: formula('record.nope * 2') })
    expect([refused.status, refused.body.error.details.fieldErrors[0].code]).toEqual([400, 'unknown_field'])
    expect((await extend({ twice: formula('record.n * 2') })).status).toBe(200)
    expect((await host.post('/data/core', { n: 4 })).body.record.twice).toBe(8)
  })
})

describe('a formula over summaries', () => {
  it('follows when the summary changes', async () => {
    await host.defineObject('invoice', {
      name: { type: 'text' },
      vat: { type: 'percent' },
      total: { type: 'summary', summaryOperations: { object: 'position', field: 'amount', function: 'sum' } },
      with_vat: formula('round(record.total * (1 + coalesce(record.vat, 0) / 100), 2)'),
    })
    await host.defineObject('position', {
      invoice: { type: 'master_detail', reference: 'invoice' },
      amount: { type: 'number' },
    })
    const invoice = (await host.post('/data/invoice', { name: 'i', vat: 10 })).body
    expect(invoice.record).toMatchObject({ total: 0, with_vat: 0 })
    const position = (await host.post('/data/position', { invoice: invoice.id, amount: 50 })).body.id
    await host.post('/data/position', { invoice: invoice.id, amount: 30 })
    const read = async () => (await host.get(`/data/invoice/${invoice.id}`)).body.record
    expect(await read()).toMatchObject({ total: 80, with_vat: 88 })
    await host.patch(`/data/position/${position}`, { amount: 20 })
    expect(await read()).toMatchObject({ total: 50, with_vat: 55 })
    await host.delete(`/data/position/${position}`)
    expect(await read()).toMatchObject({ total: 30, with_vat: 33 })
  })
})

describe('a changed expression', () => {
  it('works the stored values of existing records out again, and changes the type of the column', async () => {
    await host.defineObject('moved', { n: { type: 'number' }, f: formula('record.n * 2') })
    await host.post('/data/moved/createMany', { records: [1, 2, 3].map((n) => ({ n })) })
    const values = async () =>
      (await host.get('/data/moved?sort=n')).body.records.map((record: { f: unknown }) => record.f)
    expect(await values()).toEqual([2, 4, 6])
    await host.defineObject('moved', { n: { type: 'number' }, f: formula('record.n * 10') })
    expect(await values()).toEqual([10, 20, 30])
    const texts = await host.put('/meta/object/moved?confirm=true', {
      type: 'object',
      name: 'moved',
      item: { name: 'moved', fields: { n: { type: 'number' }, f: formula('"n" + string(record.n)') } },
    })
    expect(texts.status).toBe(200)
    expect(await values()).toEqual(['n1', 'n2', 'n3'])
    await host.defineObject('moved', {
      n: { type: 'number' },
      f: formula('"n" + string(record.n)'),
      added: formula('record.f + "!"'),
    })
    const list = await host.get('/data/moved?filter={"added":"n2!"}')
    expect(list.body.records).toMatchObject([{ n: 2, f: 'n2', added: 'n2!' }])
  })
})

describe('a default written as an expression', () => {
  it('is made from the values of the new record', async () => {
    await host.defineObject('defaults', {
      title: { type: 'text', required: true },
      slug: { type: 'text', defaultValue: { expression: 'lower(record.title).replace(" ", "-")' } },
      start: { type: 'date', defaultValue: { expression: 'today()' } },
      end: { type: 'date', defaultValue: { expression: 'addDays(record.start, 14)' } },
      size: { type: 'number', defaultValue: { expression: { dialect: 'cel', source: 'size(record.title)' } } },
    })
    const { record } = (await host.post('/data/defaults', { title: 'My Title', start: '2026-01-01' })).body
    expect(record).toMatchObject({ slug: 'my-title', start: '2026-01-01', end: '2026-01-15', size: 8 })
    const given = (await host.post('/data/defaults', { title: 'x', slug: 'own', end: null })).body.record
    expect(given).toMatchObject({ slug: 'own', end: null })
  })

  it('obeys the field, and is refused at save when it is no expression', async () => {
    await host.defineObject('limited', { n: { type: 'number', max: 5, defaultValue: { expression: '3 + 3' } } })
    const refused = await host.post('/data/limited', {})
    expect(problemsOf(refused)).toEqual(['n max_value'])
    const broken = await save('limited_2', { n: { type: 'number', defaultValue: { expression: 'record.m' } } })
    expect(problemsOf(broken)).toEqual(['fields.n.defaultValue unknown_field'])
  })
})

describe('a conditionally required field', () => {
  beforeAll(() =>
    host.defineObject('conditional', {
      kind: { type: 'select', options: ['person', 'firm'] },
      vat_id: { type: 'text', conditionalRequired: 'record.kind == "firm"' },
      tags: { type: 'tags', conditionalRequired: 'record.kind == "firm"' },
      note: { type: 'text' },
    }),
  )

  it('is required exactly while its condition holds', async () => {
    const refused = await host.post('/data/conditional', { kind: 'firm', vat_id: ' ' })
    expect(problemsOf(refused)).toEqual(['vat_id required', 'tags required'])
    const person = (await host.post('/data/conditional', { kind: 'person' })).body
    const turned = await host.patch(`/data/conditional/${person.id}`, { kind: 'firm' })
    expect(problemsOf(turned)).toEqual(['vat_id required', 'tags required'])
    const whole = await host.patch(`/data/conditional/${person.id}`, { kind: 'firm', vat_id: 'DE1', tags: ['a'] })
    expect(whole.status).toBe(200)
    expect((await host.patch(`/data/conditional/${person.id}`, { vat_id: null })).status).toBe(400)
  })

  it('is checked when the definition is saved', async () => {
    const answer = await save('conditional_2', {
      a: { type: 'text', conditionalRequired: 'record.b', visibleOn: '1 +' },
    })
    expect(problemsOf(answer)).toEqual([
      'fields.a.conditionalRequired unknown_field',
      'fields.a.visibleOn expression_error',
    ])
  })
})
