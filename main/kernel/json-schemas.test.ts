import { describe, expect, it } from 'vitest'
import { compileSchema } from './json-schemas.ts'

const problems = (schema: unknown, value: unknown): string[] =>
  compileSchema(schema)(value).map(({ path, message }) => `${path}: ${message}`)

/** The value `depth` objects deep. */
function nest(depth: number): unknown {
  let value: unknown = {}
  for (let at = 0; at < depth; at += 1) value = { a: value }
  return value
}

describe('a JSON Schema', () => {
  it('names the place and the reason of every problem', () => {
    const schema = { type: 'object', required: ['n'], properties: { list: { items: { type: 'integer' } } } }
    expect(problems(schema, { list: [1, 'x'] })).toEqual([
      ": The value must have required property 'n'.",
      'list.1: The value must be integer.',
    ])
    expect(problems(schema, { n: 1, list: [1] })).toEqual([])
  })

  it('knows the keywords of 2020-12', () => {
    const schema = { prefixItems: [{ type: 'string' }], items: false, $defs: { x: { const: 1 } } }
    expect(problems(schema, ['a'])).toEqual([])
    expect(problems(schema, ['a', 1])).not.toEqual([])
    expect(problems({ dependentRequired: { a: ['b'] } }, { a: 1 })).not.toEqual([])
    expect(problems({ $ref: '#/$defs/x', $defs: { x: { const: 1 } } }, 2)).not.toEqual([])
  })

  it('is compiled once per value', () => {
    const schema = { type: 'string' }
    expect(compileSchema(schema)).toBe(compileSchema(schema))
  })

  it('leaves frozen schemas as they are', () => {
    const schema = Object.freeze({ properties: Object.freeze({ a: Object.freeze({ $ref: '#' }) }) })
    expect(problems(schema, { a: { a: {} } })).toEqual([])
    expect(JSON.stringify(schema)).toBe('{"properties":{"a":{"$ref":"#"}}}')
  })

  it('may have the same $id as another one', () => {
    expect(problems({ $id: 'https://example.org/s', type: 'string' }, 'x')).toEqual([])
    expect(problems({ $id: 'https://example.org/s', type: 'number' }, 'x')).not.toEqual([])
  })

  it('tells patterns apart', () => {
    const schema = { properties: { a: { pattern: '^x' }, b: { pattern: 'y$' } } }
    expect(problems(schema, { a: 'xy', b: 'xy' })).toEqual([])
    expect(problems(schema, { a: 'yx', b: 'yx' })).toHaveLength(2)
  })

  it('finds equal items whatever the order of their keys', () => {
    const schema = { uniqueItems: true }
    expect(
      problems(schema, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toHaveLength(1)
    expect(problems(schema, [1, '1', [1], { 1: 1 }, null])).toEqual([])
  })

  it.each([
    ['a type that is none', { type: 'nothing' }],
    ['a reference to elsewhere', { $ref: 'https://example.org/x' }],
    ['a reference to nothing', { $ref: '#/$defs/x' }],
    ['a pattern with look-ahead', { pattern: '(?=a)' }],
    ['a text', 'string'],
    ['with the name of its dialect', { $id: 'https://json-schema.org/draft/2020-12/schema' }],
    ['too large', { enum: Array.from({ length: 30_000 }, (_, index) => index) }],
  ])('is refused: %s', (_what, schema) => {
    expect(() => compileSchema(schema)).toThrow(/./)
    // The engine is shared: what is refused must not spoil it for others.
    expect(problems({ type: 'object', properties: { a: { $ref: '#' } } }, { a: 1 })).toHaveLength(1)
  })

  const pairs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  )

  it.each<[what: string, schema: object, value: unknown]>([
    ['refers to itself without end', { $ref: '#' }, 1],
    ['doubles with each definition', { $ref: '#/$defs/d0', $defs: { ...pairs, d40: { const: 2 } } }, 1],
    [
      'doubles with each step into the value',
      {
        anyOf: [
          { properties: { a: { $ref: '#' } }, required: ['b'] },
          { properties: { a: { $ref: '#' } }, required: ['b'] },
        ],
      },
      nest(50),
    ],
    [
      'compares many items',
      { uniqueItems: true },
      [...Array.from({ length: 20_000 }, (_, index) => ({ index })), { index: 0 }],
    ],
    ['has a costly pattern', { pattern: '(a?){200}b{200}' }, 'a'.repeat(100_000)],
  ])('that %s ends, and lets nothing through', (_what, schema, value) => {
    const check = compileSchema(schema)
    const start = process.cpuUsage()
    expect(check(value)).not.toEqual([])
    // Time at work: what else the machine does is nobody's fault here.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(500)
  })
})
