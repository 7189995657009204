// Every field type against every operator of D-79: what its class (D-94) allows answers the right records, everything else
// is 400 invalid_query. The table below is written from the decisions, not from the registry.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

/** Operators by class, as D-94 lists them. */
const equality = ['$eq', '$ne', '$in', '$nin', '$null', '$exists']
const order = [...equality, '$gt', '$gte', '$lt', '$lte', '$between']
const matching = ['$contains', '$notContains', '$startsWith', '$endsWith']
const classes: Record<string, readonly string[]> = {
  E: equality,
  O: order,
  T: [...order, ...matching],
  P: [...equality, ...matching],
  M: ['$contains', '$notContains', '$in', '$any', '$all', '$null', '$exists'],
  N: ['$null', '$exists'],
  D: [...order, '$during'],
  /** Computed on reading: nothing is stored that could be asked for. */
  X: [],
}
const operators = [...new Set(Object.values(classes).flat())].toSorted()

interface TypeCase {
  readonly type: string
  readonly class: keyof typeof classes
  readonly definition?: Record<string, unknown>
  /** Two values in the type's order; `low` and `high` as operands where they differ from the value. */
  readonly low: unknown
  readonly high: unknown
  readonly operand?: (value: unknown) => unknown
}

const options = ['beta', 'alpha']
const cases: readonly TypeCase[] = [
  { type: 'text', class: 'T', low: 'apple', high: 'Banana' },
  { type: 'textarea', class: 'T', low: 'apple', high: 'Banana' },
  { type: 'markdown', class: 'P', low: 'apple', high: 'Banana' },
  { type: 'html', class: 'P', low: 'apple', high: 'Banana' },
  { type: 'richtext', class: 'P', low: 'apple', high: 'Banana' },
  { type: 'code', class: 'P', low: 'apple', high: 'Banana' },
  { type: 'email', class: 'T', low: 'apple@x.org', high: 'Banana@x.org' },
  { type: 'url', class: 'T', low: 'https://a.org/', high: 'https://b.org/' },
  { type: 'phone', class: 'T', low: '+1 2345', high: '+1 2346' },
  { type: 'number', class: 'O', low: 1.5, high: 2 },
  { type: 'currency', class: 'O', low: 1.5, high: 2 },
  { type: 'percent', class: 'O', low: 1.5, high: 2 },
  { type: 'progress', class: 'O', low: 10, high: 20 },
  { type: 'slider', class: 'O', low: 10, high: 20 },
  { type: 'rating', class: 'O', low: 1, high: 2 },
  { type: 'boolean', class: 'E', low: false, high: true },
  { type: 'toggle', class: 'E', low: false, high: true },
  { type: 'date', class: 'D', low: '2026-01-01', high: '2026-01-02' },
  { type: 'datetime', class: 'D', low: '2026-01-01T00:00:00.000Z', high: '2026-01-02T00:00:00.000Z' },
  { type: 'time', class: 'O', low: '08:00:00', high: '09:30:00' },
  { type: 'select', class: 'O', definition: { options }, low: 'beta', high: 'alpha' },
  { type: 'radio', class: 'O', definition: { options }, low: 'beta', high: 'alpha' },
  { type: 'multiselect', class: 'M', definition: { options }, low: ['beta'], high: ['alpha'] },
  { type: 'checkboxes', class: 'M', definition: { options }, low: ['beta'], high: ['alpha'] },
  { type: 'tags', class: 'M', low: ['beta'], high: ['alpha'] },
  { type: 'color', class: 'E', low: '#000000', high: '#ffffff' },
  { type: 'qrcode', class: 'E', low: 'one', high: 'two' },
  { type: 'address', class: 'N', low: { city: 'Bonn' }, high: { city: 'Ulm' } },
  { type: 'location', class: 'N', low: { latitude: 1, longitude: 2 }, high: { latitude: 3, longitude: 4 } },
  {
    type: 'composite',
    class: 'N',
    definition: { fields: { city: { type: 'text' } } },
    low: { city: 'Bonn' },
    high: { city: 'Ulm' },
  },
  {
    type: 'repeater',
    class: 'N',
    definition: { fields: { city: { type: 'text' } } },
    low: [{ city: 'Bonn' }],
    high: [{ city: 'Ulm' }],
  },
  { type: 'json', class: 'N', low: { a: 1 }, high: [2] },
  { type: 'password', class: 'N', low: 'secret words', high: 'other words' },
  { type: 'secret', class: 'N', low: 'secret words', high: 'other words' },
  { type: 'vector', class: 'N', definition: { vectorConfig: { dimensions: 2 } }, low: [0, 1], high: [1, 0] },
]

const name = ({ type }: TypeCase): string => `f_${type}`
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  const fields = Object.fromEntries(cases.map((item) => [name(item), { type: item.type, ...item.definition }]))
  await host.defineObject('target', { label: { type: 'text' } })
  await host.defineObject('thing', { label: { type: 'text' }, ...fields })
  const rows = [
    { label: 'none' },
    { label: 'low', ...Object.fromEntries(cases.map((item) => [name(item), item.low])) },
    { label: 'high', ...Object.fromEntries(cases.map((item) => [name(item), item.high])) },
  ]
  const { status, body } = await host.post('/data/thing/createMany', rows)
  expect(status, JSON.stringify(body)).toBe(201)
})
afterAll(() => host.stop())

const ask = (filter: unknown) => host.post('/data/thing/query', { filter, select: 'label', sort: 'id' })
const labels = async (filter: unknown): Promise<string> => {
  const { status, body } = await ask(filter)
  expect(status, `${JSON.stringify(filter)} ${JSON.stringify(body)}`).toBe(200)
  return body.records.map((record: { label: string }) => record.label).join(' ')
}

/** Operand of an operator for the value of `low`, and the records it must answer. */
function expectation(item: TypeCase, operator: string): { operand: unknown; found: string } {
  const element = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
  const [low, high] = [element(item.low), element(item.high)]
  // A toggle that was not given is false, never null.
  const none = item.type === 'toggle' ? '' : 'none '
  const withNone = item.type === 'toggle' ? 'none ' : ''
  switch (operator) {
    case '$eq':
      return { operand: low, found: `${withNone}low` }
    case '$ne':
      return { operand: low, found: `${none}high` }
    case '$in':
      return { operand: [low], found: `${withNone}low` }
    case '$nin':
      return { operand: [low], found: `${none}high` }
    case '$null':
      return { operand: true, found: none.trim() }
    case '$exists':
      return { operand: true, found: `${withNone}low high` }
    case '$gt':
      return { operand: low, found: 'high' }
    case '$gte':
      return { operand: low, found: 'low high' }
    case '$lt':
      return { operand: high, found: 'low' }
    case '$lte':
      return { operand: high, found: 'low high' }
    case '$between':
      return { operand: [low, high], found: 'low high' }
    case '$contains':
      return { operand: low, found: 'low' }
    case '$notContains':
      return { operand: low, found: 'none high' }
    case '$startsWith':
    case '$endsWith':
      return { operand: low, found: 'low' }
    case '$any':
      return { operand: [low, 'nothing'], found: 'low' }
    case '$all':
      return { operand: [low], found: 'low' }
    case '$during':
      return { operand: 'today', found: '' }
    default:
      throw new Error(operator)
  }
}

describe.each(cases)('a filter on $type', (item) => {
  it.each(operators)('%s', async (operator) => {
    const { operand, found } = expectation(item, operator)
    const filter = { [name(item)]: { [operator]: operand } }
    if (classes[item.class]!.includes(operator)) {
      expect(await labels(filter)).toBe(found)
      return
    }
    const { status, body } = await ask(filter)
    expect(status, JSON.stringify(body)).toBe(400)
    expect(body.error).toMatchObject({
      code: 'invalid_query',
      details: { parameter: 'filter', path: expect.stringContaining(name(item)), reason: expect.any(String) },
    })
  })

  it.each(['$like', '$regex', '$matches', '$elemMatch'])('never %s', async (operator) => {
    expect((await ask({ [name(item)]: { [operator]: 'x' } })).body.error.code).toBe('invalid_query')
  })
})

describe('operands of the wrong type', () => {
  it.each([
    ['number', 'x'],
    ['number', true],
    ['boolean', 'maybe'],
    ['boolean', 2],
    ['date', 'soon'],
    ['date', 5],
    ['datetime', '2026-13-01'],
    ['time', '25:00'],
    ['text', 5],
    ['text', true],
    ['select', 5],
    ['text', {}],
    ['text', { $today: 'x' }],
    ['text', { $user: 'id' }],
    ['date', { $field: 'nope' }],
    ['date', { $field: 'f_datetime' }],
    ['text', { $field: 'f_number' }],
  ])('are refused: %s = %j', async (type, operand) => {
    const { status, body } = await ask({ [`f_${type}`]: operand })
    expect(status, JSON.stringify(body)).toBe(400)
    expect(body.error.code).toBe('invalid_query')
    expect(typeof body.error.details.reason).toBe('string')
  })
})

describe('paths inside of values', () => {
  it.each([
    [{ 'f_address.city': 'Bonn' }, 'low'],
    [{ f_address: { city: { $startsWith: 'u' } } }, 'high'],
    [{ 'f_address.city': { $ne: 'Bonn' } }, 'none high'],
    [{ 'f_location.latitude': { $gte: 3 } }, 'high'],
    [{ 'f_location.longitude': 2 }, 'low'],
    [{ 'f_composite.city': { $in: ['Ulm', 'Bonn'] } }, 'low high'],
    [{ 'f_json.a': 1 }, 'low'],
    [{ 'f_json.a': '1' }, ''],
    [{ 'f_json.a': true }, ''],
    [{ 'f_json.a': { $null: false } }, 'low'],
  ])('%j', async (filter, found) => {
    expect(await labels(filter)).toBe(found)
  })

  it.each([{ 'f_json.a': { $gt: true } }, { 'f_json.a': { $any: [1] } }, { 'f_repeater.city': 'Bonn' }])(
    'refuse %j',
    async (filter) => {
      expect((await ask(filter)).body.error.code).toBe('invalid_query')
    },
  )
})

describe('relations', () => {
  it('of one record, of several, to any object and to people have their classes', async () => {
    await host.defineObject('link', {
      label: { type: 'text' },
      one: { type: 'lookup', reference: 'target' },
      many: { type: 'lookup', reference: 'target', multiple: true },
      up: { type: 'tree' },
      any: { type: 'record' },
      who: { type: 'user' },
    })
    const target = (await host.post('/data/target', { label: 'T' })).body.id as string
    const me = (await host.get(`/data/target/${target}`)).body.record.created_by as string
    const low = (await host.post('/data/link', { label: 'root' })).body.id as string
    const made = await host.post('/data/link', {
      label: 'full',
      one: target,
      many: [target],
      up: low,
      any: { object: 'target', id: target },
      who: me,
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const find = async (filter: unknown) => {
      const { status, body } = await host.post('/data/link/query', { filter, sort: 'id' })
      return status === 200 ? body.records.map((record: { label: string }) => record.label) : body.error.code
    }
    const classOf = { one: 'E', up: 'E', any: 'E', who: 'E', many: 'M' }
    const operandOf = { one: target, up: low, any: { object: 'target', id: target }, who: me, many: target }
    for (const field of Object.keys(classOf) as (keyof typeof classOf)[]) {
      for (const operator of operators) {
        const list = ['$in', '$nin', '$any', '$all', '$between'].includes(operator)
        const operand = operator === '$null' || operator === '$exists' ? true : operandOf[field]
        const given = list ? [operand, ...(operator === '$between' ? [operand] : [])] : operand
        const found = await find({ [field]: { [operator]: operator === '$during' ? 'today' : given } })
        const negative = ['$ne', '$nin', '$notContains', '$null'].includes(operator)
        const expected = classes[classOf[field]]!.includes(operator) ? [negative ? 'root' : 'full'] : 'invalid_query'
        expect(found, `${field} ${operator}`).toEqual(expected)
      }
    }
    expect(await find({ any: `target/${target}` })).toEqual(['full'])
    expect(await find({ any: { object: 'target' } })).toEqual(['full'])
    expect(await find({ 'any.id': { $ne: target } })).toEqual(['root'])
    expect(await find({ 'up.label': 'root' })).toEqual(['full'])
    expect(await find({ 'many.label': { $contains: 't' } })).toEqual(['full'])
    expect(await find({ who: { $user: 'id' } })).toEqual(['full'])
    expect(await find(['who', '=', '{me}'])).toEqual(['full'])
    expect(await find({ 'any.nope': 1 })).toBe('invalid_query')
  })
})

describe('types whose values the server makes, and files', () => {
  const sample: Record<string, unknown> = {
    E: true,
    O: 1,
    T: 'x',
    P: 'x',
    D: '2026-01-01',
    M: 'x',
    N: 'x',
  }
  const computed: readonly (readonly [name: string, classOf: string, definition: Record<string, unknown>])[] = [
    ['number_of', 'T', { type: 'autonumber' }],
    ['as_text', 'T', { type: 'formula', expression: 'record.label', returnType: 'text' }],
    ['as_number', 'O', { type: 'formula', expression: 'size(record.label)', returnType: 'number' }],
    ['as_flag', 'E', { type: 'formula', expression: 'size(record.label) > 1', returnType: 'boolean' }],
    ['as_day', 'D', { type: 'formula', expression: 'record.day', returnType: 'date' }],
    ['as_now', 'X', { type: 'formula', expression: 'now()', returnType: 'datetime' }],
    ['paper', 'N', { type: 'file' }],
    ['pictures', 'N', { type: 'image', multiple: true }],
    ['total', 'O', { type: 'summary', summaryOperations: { object: 'part', function: 'count' } }],
  ]

  beforeAll(async () => {
    await host.defineObject('whole', { label: { type: 'text' }, day: { type: 'date' } })
    await host.defineObject('part', { whole: { type: 'master_detail', reference: 'whole' } })
    const fields = Object.fromEntries(computed.map(([field, , definition]) => [field, definition]))
    const { item } = (await host.get('/meta/object/whole')).body
    const saved = await host.put('/meta/object/whole', { ...item, fields: { ...item.fields, ...fields } })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    expect((await host.post('/data/whole', { label: 'xx', day: '2026-01-01' })).status).toBe(201)
  })

  it.each(computed)('%s is of class %s', async (field, classOf) => {
    for (const operator of operators) {
      const value = sample[classOf]
      const lists: Record<string, unknown> = {
        $in: [value],
        $nin: [value],
        $any: [value],
        $all: [value],
        $between: [value, value],
        $null: true,
        $exists: true,
        $during: 'today',
      }
      const filter = { [field]: { [operator]: lists[operator] ?? value } }
      const { status, body } = await host.post('/data/whole/query', { filter })
      const expected = classes[classOf]!.includes(operator) ? 200 : 400
      expect(status, `${JSON.stringify(filter)} ${JSON.stringify(body)}`).toBe(expected)
    }
  })

  it('are sorted, grouped and aggregated by their flags', async () => {
    const status = async (words: Record<string, unknown>) => (await host.post('/data/whole/query', words)).status
    for (const field of ['number_of', 'as_text', 'as_number', 'as_flag', 'as_day', 'total']) {
      expect(await status({ sort: field }), field).toBe(200)
    }
    for (const field of ['as_now', 'paper', 'pictures']) {
      expect(await status({ sort: field }), field).toBe(400)
      expect(await status({ groupBy: field }), field).toBe(400)
    }
    for (const field of ['as_number', 'total']) {
      expect(await status({ aggregations: [{ function: 'sum', field }] }), field).toBe(200)
    }
    expect(await status({ aggregations: [{ function: 'sum', field: 'as_text' }] })).toBe(400)
    expect(await status({ groupBy: ['as_flag', 'as_day'] })).toBe(200)
  })
})
