// Documents that ask for too much, and those made to keep the host busy: refused at once, in words (D-182).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { leastProcessorMs, moreProcessorMs } from '../support/processor-time.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost

/** Most milliseconds of processor time a document may take: it ends at its limit, or is cheap. */
const atOnceMs = 50

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('knot', {
    name: { type: 'text' },
    next: { type: 'lookup', reference: 'knot', relationshipName: 'before' },
    other: { type: 'lookup', reference: 'knot' },
  })
}, 60_000)

afterAll(async () => host?.stop())

const ask = (query: unknown, variables?: object): Promise<Answer> =>
  host.post('/graphql', { query, ...(variables === undefined ? {} : { variables }) })

/** What a document costs the processor, in milliseconds. What sending and reading megabytes costs says nothing of it. */
function costOf(query: string): Promise<number> {
  // Written once: what a client takes to write megabytes is not the host's.
  const body = JSON.stringify({ query })
  const send = () => host.post('/graphql', body)
  if (body.length < 1_000_000) return leastProcessorMs(5, send)
  const bytes = JSON.stringify({ query: '{ __typename }', besides: 'x'.repeat(body.length) })
  return moreProcessorMs(8, send, () => host.post('/graphql', bytes))
}

/** Nests a field so many times. */
const nested = (field: string, times: number, leaf = 'id'): string =>
  `${`${field} { `.repeat(times)}${leaf}${' }'.repeat(times)}`

const fragments = (count: number, body: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `fragment F${i} on Knot { ${body(i)} }`).join(' ')

/** A filter of so many tokens and 20 more. */
const listOfNames = (count: number): string =>
  `{ knotList(where: {name: {in: [${'"a" '.repeat(count)}]}}) { hasMore } }`

describe('the limits of a document', () => {
  it.each([
    [
      'depth',
      10,
      `{ knotList { records { ${nested('next', 7)} } } }`,
      `{ knotList { records { ${nested('next', 8)} } } }`,
    ],
    [
      'aliases',
      15,
      `{ ${Array.from({ length: 15 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
      `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
    ],
    [
      'complexity',
      5_000,
      '{ knotList(top: 1000) { records { id name next { name } other { name } created_by { name } } } }',
      '{ knotList(top: 1000) { records { next { id } other { id } created_by { id } owner { id } updated_by { id } } } }',
    ],
    ['tokens', 1_000, listOfNames(975), listOfNames(985)],
  ])('%s: %i', async (limitName, limit, within, beyond) => {
    const allowed = await ask(within)
    expect([allowed.status, allowed.body.errors]).toEqual([200, undefined])
    const refused = await ask(beyond)
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({
      success: false,
      error: { code: 'invalid_query', details: { limit, limitName } },
    })
    expect(refused.body.errors[0].message).toContain(String(limit))
  })

  it('counts what fragments and variables multiply', async () => {
    const doubled = fragments(4, (i) => (i < 3 ? `a${i}: next { ...F${i + 1} } b${i}: next { ...F${i + 1} }` : 'z: id'))
    const aliases = `{ knotList { records { ...F0 } } } ${doubled}`
    expect((await ask(aliases)).body.error.details.limitName).toBe('aliases')
    const query = 'query ($n: Int) { knotList(top: $n) { records { before { next { id } } } } }'
    expect((await ask(query, { n: 1 })).status).toBe(200)
    expect((await ask(query, { n: 1000 })).body.error.details).toMatchObject({ limitName: 'complexity' })
    const byDefault = 'query ($n: Int = 1000) { knotList(top: $n) { records { before { next { id } } } } }'
    expect((await ask(byDefault)).body.error.details).toMatchObject({ limitName: 'complexity' })
    expect((await ask(byDefault, { n: 1 })).status).toBe(200)
  })

  it('lets the query of tools through, and no lists of the schema inside of each other', async () => {
    const { getIntrospectionQuery } = await import('graphql')
    expect((await ask(getIntrospectionQuery({ inputValueDeprecation: true }))).status).toBe(200)
    for (const query of [
      '{ __schema { types { fields { type { fields { name } } } } } }',
      '{ __type(name: "Knot") { fields { type { ofType { inputFields { name } } } } } }',
      '{ __schema { types { fields { args { type { ...T } } } } } } fragment T on __Type { fields { name } }',
    ])
      expect((await ask(query)).status).toBe(400)
  })
})

describe('a hostile document', () => {
  const many = (count: number, text: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => text(i)).join(' ')
  const documents: readonly (readonly [string, string, number])[] = [
    ['one field again and again', `{ ${'__typename '.repeat(997)} }`, 400],
    ['a record of one field again and again', `{ knotList { records { ${'id '.repeat(985)} } } }`, 400],
    [
      'a circle of fragments',
      '{ knotList { records { ...A } } } fragment A on Knot { ...B } fragment B on Knot { ...A }',
      400,
    ],
    ['a circle through fields', '{ knotList { records { ...A } } } fragment A on Knot { next { ...A } }', 400],
    [
      'fragments that double',
      `{ knotList { records { ...F0 } } } ${fragments(40, (i) => (i < 39 ? `...F${i + 1} next { ...F${i + 1} }` : 'id'))}`,
      400,
    ],
    [
      'fragments that spread flat',
      `{ knotList { records { ...F0 } } } ${fragments(60, (i) => (i < 59 ? `...F${i + 1} ...F${i + 1} ...F${i + 1} ...F${i + 1}` : 'id'))}`,
      200,
    ],
    [
      'fragments of conflicting fields',
      `{ knotList { records { ${many(30, (i) => `...F${i}`)} } } } ${fragments(30, (i) => `next { ${i % 2 === 0 ? 'id' : 'name'} } other { next { id } }`)}`,
      200,
    ],
    ['unknown fields', `{ ${many(900, (i) => `knott${i}`)} }`, 400],
    ['unknown directives', `{ __typename ${many(300, (i) => `@none${i}`)} }`, 400],
    ['a directive again and again', `{ __typename ${'@include(if: true) '.repeat(150)} }`, 400],
    ['brackets', `{ knotList(where: ${'{and: ['.repeat(120)}${']}'.repeat(120)}) { hasMore } }`, 200],
    ['open brackets', '{ a '.repeat(490), 400],
    ['a deep list', `{ knotList(where: {name: {in: ${'['.repeat(400)}${']'.repeat(400)}}}) { hasMore } }`, 400],
    ['a long string', `{ knotList(where: {name: {eq: "${'x'.repeat(90_000)}"}}) { hasMore } }`, 200],
    ['too long a text', `{ __typename ${' '.repeat(100_000)} }`, 400],
    ['a long comment', `#${'x'.repeat(2_000_000)}\n{ __typename }`, 400],
    ['unused variables', `query (${many(200, (i) => `$v${i}: Int`)}) { __typename }`, 400],
    ['operations', many(150, (i) => `query Q${i} { __typename }`), 400],
    ['a string that does not end', `{ a(b: "${'\\u0041'.repeat(10_000)}`, 400],
    ['no text at all', '\u0000\uFFFF', 400],
    // Without its limit each of these takes far longer.
    ['levels without end', `{ knotList { records { ${nested('next', 8_000)} } } }`, 400],
    ['levels within the tokens', `{ knotList { records { ${nested('next', 320)} } } }`, 400],
    ['fields without end', `{ ${many(9_000, (i) => `knott${i}`)} }`, 400],
    ['aliases without end', `{ ${many(3_000, (i) => `a${i}: knotList { records { id } }`)} }`, 400],
    ['aliases within the tokens', `{ ${many(120, (i) => `a${i}: knotList { hasMore }`)} }`, 400],
    [
      'fragments that multiply by four, without end',
      `{ knotList { records { ...F0 } } } ${fragments(48, (i) => (i < 47 ? many(4, (n) => `f${n}: next { ...F${i + 1} }`) : 'id'))}`,
      400,
    ],
    [
      'a circle of many fragments',
      `{ knotList { records { ...F0 } } } ${fragments(70, (i) => `...F${(i + 1) % 70} next { ...F${(i + 1) % 70} }`)}`,
      400,
    ],
    [
      'lists of lists',
      '{ knotList(top: 1000) { records { before(top: 50) { before(top: 50) { before(top: 50) { id } } } } } }',
      400,
    ],
  ]

  it.each(documents)('%s ends at once', async (_name, query, status) => {
    const answer = await ask(query)
    expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(status)
    if (status === 400) expect(answer.body.errors.length).toBeLessThanOrEqual(11)
    expect(await costOf(query)).toBeLessThan(atOnceMs)
  })

  it('never pollutes a prototype', async () => {
    for (const query of [
      '{ knotList(where: {__proto__: {polluted: true}}) { hasMore } }',
      'mutation { createKnot(data: {__proto__: {polluted: true}, name: "x"}) { id } }',
      '{ __proto__ constructor }',
    ])
      expect((await ask(query)).status).toBe(400)
    await host.defineObject('loose', { any: { type: 'json' } })
    const literal = await ask('mutation { createLoose(data: {any: {__proto__: {polluted: 1}}}) { any } }')
    expect(literal.status).toBe(400)
    const raw = await host.post('/graphql', '{"query":"{__typename}","variables":{"__proto__":{"polluted":true}}}')
    expect(raw.status).toBe(400)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

it(
  'builds the schema of a large workspace at first use, soon',
  async () => {
    const objects = sized(10, 100)
    for (let i = 0; i < objects; i += 1) {
      const fields = Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`field_${n}`, { type: n % 2 === 0 ? 'text' : 'number' }]),
      )
      await host.defineObject(`wide_${i}`, fields)
    }
    const first = async (): Promise<void> => {
      expect((await ask('{ wide0List { records { field_1 } } }')).body.data.wide0List.records).toEqual([])
    }
    expect(await leastProcessorMs(1, first)).toBeLessThan(1_000)
  },
  sized(60_000, 180_000),
)
