// What every field type offers to queries over HTTP: the operators of its class find exactly what they should and all others
// are refused; so are sorts, groups and figures the type has no place in (D-79, D-82, D-94).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue, neededSettings } from '../support/field-cases.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { withoutStorage } from '../support/storage-calls.ts'

/** Two values of a type, the smaller one first. Types the server alone fills in are tested where it does. */
const samples: Readonly<Record<string, readonly [unknown, unknown]>> = {
  text: ['Apple', 'banana'],
  textarea: ['Apple\npie', 'banana'],
  markdown: ['# Apple', '# banana'],
  html: ['<p>Apple</p>', '<p>banana</p>'],
  richtext: ['<p>Apple</p>', '<p>banana</p>'],
  code: ['apple()', 'banana()'],
  email: ['ada@example.org', 'bob@example.com'],
  url: ['https://a.example', 'https://b.example'],
  phone: ['+49 30 111', '+49 30 222'],
  number: [-1.5, 20],
  currency: [9.99, 10],
  percent: [5, 50],
  progress: [0, 100],
  slider: [7, 8],
  rating: [1, 5],
  boolean: [false, true],
  toggle: [false, true],
  date: ['2024-02-29', '2026-01-01'],
  datetime: ['2024-02-29T10:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  time: ['08:30:00', '17:00:00'],
  select: ['a', 'b'],
  radio: ['a', 'b'],
  multiselect: [['a'], ['b']],
  checkboxes: [['a'], ['b']],
  tags: [['x'], ['y']],
  file: ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'],
  address: [{ city: 'Aachen' }, { city: 'Bonn' }],
  location: [
    { latitude: 1, longitude: 2 },
    { latitude: 3, longitude: 4 },
  ],
  composite: [{ label: 'a' }, { label: 'b' }],
  repeater: [[{ label: 'a' }], [{ label: 'b' }]],
  json: [{ a: 1 }, { a: 2 }],
  color: ['#000000', '#ffffff'],
  qrcode: ['a', 'b'],
  password: ['first password', 'second password'],
  secret: ['first', 'second'],
  vector: [
    [1, 2],
    [3, 4],
  ],
}
const fileTypes = ['image', 'avatar', 'video', 'audio', 'signature']
/** Their values are records of the same object, and people. */
const ownLinks = ['tree', 'user']
/** Filled in by the server alone. */
const computed = ['formula', 'summary', 'autonumber']

let host: TestHost
const ids: Record<string, string[]> = {}
const values: Record<string, readonly [unknown, unknown]> = { ...samples }

beforeAll(async () => {
  host = await createTestHost(withoutStorage)
  await host.defineObject('thing', { name: { type: 'text' } })
  const things: string[] = []
  for (const name of ['a', 'b']) things.push((await host.post('/data/thing', { name })).body.id)
  for (const type of fileTypes) values[type] = samples['file']!
  values['lookup'] = values['master_detail'] = [things[0], things[1]]
  values['record'] = [
    { object: 'thing', id: things[0] },
    { object: 'thing', id: things[1] },
  ]
  for (const [type, [first, second]] of Object.entries(values)) {
    await host.defineObject(`t_${type}`, { value: { type, ...neededSettings[type] } })
    ids[type] = []
    for (const value of type === 'master_detail' ? [first, second] : [first, second, null]) {
      const created = await host.post(`/data/t_${type}`, { value })
      if (created.status !== 201) throw new Error(`${type}: ${JSON.stringify(created.body)}`)
      ids[type].push(created.body.id)
    }
  }
})

afterAll(() => host.stop())

const cases = Object.keys(catalogue)
  .filter((type) => !computed.includes(type) && !ownLinks.includes(type))
  .map((type) => {
    const [, letter = '', flags = ''] = catalogue[type as keyof typeof catalogue].split(' ')
    return [type, letter, flags] as const
  })

/** Operators of the classes of D-94, with the operand made of the two values, and the rows they find among both and null. */
const operators: Readonly<Record<string, (a: unknown, b: unknown) => readonly [unknown, readonly number[]]>> = {
  $eq: (a) => [a, [0]],
  $ne: (a) => [a, [1, 2]],
  $in: (a, b) => [
    [a, b],
    [0, 1],
  ],
  $nin: (a) => [[a], [1, 2]],
  $gt: (a) => [a, [1]],
  $gte: (_a, b) => [b, [1]],
  $lt: (_a, b) => [b, [0]],
  $lte: (_a, b) => [b, [0, 1]],
  $between: (a, b) => [
    [a, b],
    [0, 1],
  ],
  $contains: (a) => [String(a).slice(1), [0]],
  $notContains: (a) => [String(a).slice(0, -1), [1, 2]],
  $startsWith: (a) => [String(a), [0]],
  $endsWith: (a) => [String(a), [0]],
  $during: () => ['last_1_days', []],
}
const listOperators: typeof operators = {
  $contains: (a) => [(a as unknown[])[0], [0]],
  $notContains: (a) => [(a as unknown[])[0], [1, 2]],
  $in: (a) => [a, [0]],
  $any: (a, b) => [
    [...(a as unknown[]), ...(b as unknown[])],
    [0, 1],
  ],
  $all: (a) => [a, [0]],
}
const equality = ['$eq', '$ne', '$in', '$nin']
const order = [...equality, '$gt', '$gte', '$lt', '$lte', '$between']
const text = ['$contains', '$notContains', '$startsWith', '$endsWith']
const classes: Readonly<Record<string, readonly string[]>> = {
  E: equality,
  O: order,
  T: [...order, ...text],
  P: [...equality, ...text],
  D: [...order, '$during'],
  M: Object.keys(listOperators),
  N: [],
}

async function list(type: string, query: Record<string, unknown>) {
  return host.post(`/data/t_${type}/query`, query)
}

describe.each(cases)('a field of type %s', (type, letter, flags) => {
  const found = (body: { records: { id: string }[] }) =>
    body.records.map((record) => ids[type]!.indexOf(record.id)).sort((a, b) => a - b)

  it('offers the operators of its class and no others', async () => {
    const [a, b] = values[type]!
    const table = letter === 'M' ? listOperators : operators
    for (const operator of new Set([...Object.keys(operators), ...Object.keys(listOperators)])) {
      const isOffered = classes[letter]!.includes(operator)
      // Operators of other classes get operands they would take there, so that only the class can refuse them.
      const make = table[operator]
      const [operand, rows] = make ? make(a, b) : listOperators[operator] ? [[a], []] : operators[operator]!(a, b)
      const { status, body } = await list(type, { filter: { value: { [operator]: operand } } })
      const expected = rows.filter((row) => row < ids[type]!.length)
      if (isOffered) {
        expect({ operator, status, found: status === 200 && found(body) }).toEqual({
          operator,
          status: 200,
          found: expected,
        })
      } else {
        expect({ operator, status, code: body.error?.code }).toEqual({ operator, status: 400, code: 'invalid_query' })
      }
    }
  })

  it('tells whether it has a value', async () => {
    const rows = ids[type]!.map((_id, index) => index)
    expect(found((await list(type, { filter: { value: { $null: false } } })).body)).toEqual(rows.slice(0, 2))
    expect(found((await list(type, { filter: { value: null } })).body)).toEqual(rows.slice(2))
  })

  it(flags.includes('o') ? 'sorts, nulls first' : 'refuses to be sorted', async () => {
    const { status, body } = await list(type, { sort: 'value' })
    if (!flags.includes('o')) return expect([status, body.error.code]).toEqual([400, 'invalid_query'])
    const sorted = body.records.map((record: { id: string }) => ids[type]!.indexOf(record.id))
    expect(sorted).toEqual(ids[type]!.length === 3 ? [2, 0, 1] : [0, 1])
    const { body: reversed } = await list(type, { sort: '-value' })
    expect(reversed.records.map((record: { id: string }) => ids[type]!.indexOf(record.id))).toEqual(sorted.toReversed())
  })

  it(flags.includes('g') ? 'groups' : 'refuses to be grouped', async () => {
    const { status, body } = await list(type, { groupBy: ['value'], aggregations: [{ function: 'count', alias: 'n' }] })
    if (!flags.includes('g')) return expect([status, body.error?.code]).toEqual([400, 'invalid_query'])
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
    const groups = body.records as { value: unknown; n: number }[]
    expect(groups.map((group) => group.n)).toEqual(ids[type]!.map(() => 1))
    const expected = letter === 'M' ? values[type]!.flat() : values[type]
    expect(groups.map((group) => group.value)).toEqual(
      expect.arrayContaining([...(expected as unknown[]), ...(ids[type]!.length === 3 ? [null] : [])]),
    )
  })

  it(/[ar]/.test(flags) ? 'has figures' : 'has no figures', async () => {
    for (const name of ['sum', 'avg', 'min', 'max']) {
      const isOffered = flags.includes('a') || (flags.includes('r') && (name === 'min' || name === 'max'))
      const { status, body } = await list(type, { aggregations: [{ function: name, field: 'value', alias: 'n' }] })
      expect({ name, status }).toEqual({ name, status: isOffered ? 200 : 400 })
      if (name === 'max' && isOffered) expect(body.records[0].n).toEqual(values[type]![1])
    }
    expect(
      (await list(type, { aggregations: [{ function: 'count', field: 'value', alias: 'n' }] })).body.records[0].n,
    ).toBe(2)
  })
})

describe('a concealed field', () => {
  it.each(['password', 'secret'])('of type %s gives nothing away to queries', async (type) => {
    const attempts = [
      { aggregations: [{ function: 'count_distinct', field: 'value', alias: 'n' }] },
      { select: ['value'], distinct: true },
      { filter: { value: { $field: 'value' } } },
      { filter: { id: { $field: 'value' } } },
      { filter: { 'value.length': 5 } },
      { search: 'first', searchFields: ['value'] },
    ]
    for (const attempt of attempts) {
      const { status, body } = await list(type, attempt)
      expect({ attempt, status, code: body.error?.code }).toEqual({ attempt, status: 400, code: 'invalid_query' })
    }
    const all = JSON.stringify((await list(type, {})).body)
    expect(all).not.toContain('first')
    expect((await list(type, { search: 'first' })).body.records ?? []).toEqual([])
  })
})

describe('values with parts', () => {
  it.each([
    ['address', 'value.city', 'Bonn'],
    ['location', 'value.latitude', 3],
    ['composite', 'value.label', 'b'],
    ['json', 'value.a', 2],
  ])('of type %s are found by %s', async (type, path, operand) => {
    const { body } = await list(type, { filter: { [path]: operand } })
    expect(body.records.map((record: { id: string }) => record.id)).toEqual([ids[type]![1]])
  })

  it('of a repeater are not', async () => {
    expect((await list('repeater', { filter: { 'value.label': 'b' } })).status).toBe(400)
  })
})

describe('links to the same object and to people', () => {
  it('are filtered, sorted by name and grouped', async () => {
    await host.defineObject('node', { name: { type: 'text' }, parent: { type: 'tree' }, boss: { type: 'user' } })
    const add = async (data: Record<string, unknown>) => (await host.post('/data/node', data)).body.record
    const [a, b] = [await add({ name: 'b root' }), await add({ name: 'a root' })]
    const owner = a.owner as string
    const [c, d] = [await add({ parent: a.id, boss: owner }), await add({ parent: b.id })]
    const find = async (query: Record<string, unknown>) => (await host.post('/data/node/query', query)).body.records
    const idsOf = (records: { id: string }[]) => records.map((record) => record.id)
    expect(idsOf(await find({ filter: { parent: a.id } }))).toEqual([c.id])
    expect(idsOf(await find({ filter: { 'parent.name': 'a root' } }))).toEqual([d.id])
    expect(idsOf(await find({ filter: { parent: { $null: false } }, sort: 'parent' }))).toEqual([d.id, c.id])
    expect(idsOf(await find({ filter: { boss: { $user: 'id' } } }))).toEqual([c.id])
    expect(idsOf(await find({ filter: { boss: { $in: [owner] } } }))).toEqual([c.id])
    const count = [{ function: 'count', alias: 'n' }]
    expect(await find({ groupBy: ['boss'], aggregations: count, sort: 'boss' })).toEqual([
      { boss: null, n: 3 },
      { boss: owner, n: 1 },
    ])
    expect(await find({ groupBy: ['parent'], aggregations: count })).toHaveLength(3)
    for (const name of ['parent', 'boss']) {
      const { status, body } = await host.post('/data/node/query', { filter: { [name]: { $startsWith: 'a' } } })
      expect([name, status, body.error.code]).toEqual([name, 400, 'invalid_query'])
    }
  })
})
