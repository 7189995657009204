import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PlatformError } from '#shared/errors.ts'
import { acceptsEveryPath, createPartParser } from './part-parser.ts'
import { sized } from '../../test/support/test-size.ts'

const schemas: z.ZodType[] = [
  z.object({ object: z.string(), id: z.string() }),
  z.record(z.string(), z.unknown()),
  z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  z.union([
    z.object({ records: z.array(z.record(z.string(), z.unknown())) }),
    z.array(z.record(z.string(), z.unknown())),
  ]),
  z.union([z.object({ a: z.string() }), z.record(z.string(), z.unknown())]),
  z.object({ a: z.unknown(), b: z.boolean().optional() }).partial(),
  z.object({ a: z.string().default('x'), b: z.coerce.boolean() }),
  z.strictObject({ a: z.string().optional() }),
  z.object({ a: z.string().min(2), b: z.array(z.string()).max(1) }),
  z.union([z.string(), z.object({ a: z.array(z.string()) })]),
]

const shaped = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      object: fc.string(),
      id: fc.oneof(fc.string(), fc.integer()),
      a: fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined)),
      b: fc.oneof(fc.boolean(), fc.string(), fc.array(fc.string())),
      records: fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
    },
    { requiredKeys: [] },
  ),
)

describe('createPartParser', () => {
  it('answers what zod answers for every schema and value, whether or not zod ran', () => {
    for (const schema of schemas) {
      const parse = createPartParser(schema, false)
      fc.assert(
        fc.property(shaped, (value) => {
          const expected = schema.safeParse(value)
          const isPoisoned = schema instanceof z.ZodRecord && Object.hasOwn(Object(value) as object, '__proto__')
          if (expected.success && !isPoisoned) expect(parse(value)).toEqual(expected.data)
          else expect(() => parse(value)).toThrow(PlatformError)
        }),
        { numRuns: sized(80, 300) },
      )
    }
  })

  it('names some of a hundred thousand wrong entries of a list, not all', () => {
    const entry = z.object({ id: z.string(), data: z.record(z.string(), z.unknown()) })
    const body = z.object({
      records: z.array(entry),
      options: z.object({ atomic: z.boolean().default(true) }).optional(),
    })
    const parse = createPartParser(body, false)
    const many = (length: number, item: unknown): unknown => ({ records: Array.from({ length }, () => item) })
    const begun = performance.now()
    const problems = problemsOf(() => parse(many(300_000, {})))
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect(problems).toHaveLength(100)
    expect(problems[0]).toMatchObject({ field: 'records.0.id', code: 'required' })
    const bounded = createPartParser(z.object({ ids: z.array(z.enum(['a'])).max(5) }), false)
    expect(problemsOf(() => bounded({ ids: Array.from({ length: 300_000 }, () => 'a') }))).toMatchObject([
      { field: 'ids', code: 'max_items', constraint: 5 },
    ])
    const late = Array.from({ length: 2_000 }, (_, at) => (at < 1_500 ? { id: 'x', data: {} } : {}))
    expect(problemsOf(() => parse({ records: late }))[0]).toMatchObject({ field: 'records.1500.id' })
    expect(parse(many(2_000, { id: 'x', data: {}, more: 1 }))).toEqual(many(2_000, { id: 'x', data: {} }))
  })

  it('names some of the wrong entries of lists within lists, not all', () => {
    const seed = z.object({ records: z.array(z.record(z.string(), z.unknown())).max(1_000) })
    const parse = createPartParser(z.object({ seeds: z.array(seed).max(500).default([]) }), false)
    const seeds = (count: number, record: unknown): unknown[] =>
      Array.from({ length: count }, () => ({ records: Array.from({ length: 900 }, () => record) }))
    const problems = problemsOf(() => parse({ seeds: seeds(400, 1) }))
    expect(problems).toHaveLength(100)
    expect(problems[99]).toMatchObject({ field: 'seeds.0.records.99', code: 'invalid_type' })
    const late = { seeds: [...seeds(3, {}), { records: [{}, 1] }, { records: 1 }] }
    expect(problemsOf(() => parse(late)).map(({ field }) => field)).toEqual(['seeds.3.records.1', 'seeds.4.records'])
    expect(parse({ seeds: seeds(3, { any: 1 }) })).toEqual({ seeds: seeds(3, { any: 1 }) })
  })

  it('refuses an own __proto__ of a map, which zod would drop in silence', () => {
    const poisoned: unknown = JSON.parse('{"__proto__":null,"a":1}')
    const schema = z.record(z.string(), z.unknown())
    expect(problemsOf(() => createPartParser(schema, false)(poisoned))).toEqual([
      expect.objectContaining({ field: '__proto__', code: 'not_allowed' }),
    ])
    expect(() => createPartParser(schema, true)(poisoned)).toThrow(
      expect.objectContaining({
        code: 'invalid_query',
        details: expect.objectContaining({ parameter: '__proto__' }) as unknown,
      }),
    )
  })

  it('drops an own __proto__ of a map inside, as zod does, whether or not zod ran', () => {
    const parse = createPartParser(z.array(z.record(z.string(), z.unknown())), false)
    const [inside] = parse(JSON.parse('[{"__proto__":null,"a":1}]')) as object[]
    expect(Object.keys(inside!)).toEqual(['a'])
  })

  it('reports every problem of a body as validation_error with codes and paths', () => {
    const parse = createPartParser(
      z.object({
        name: z.string(),
        age: z.int().min(3),
        tags: z.array(z.string()).max(1),
        kind: z.enum(['a', 'b']),
        mail: z.email(),
      }),
      false,
    )
    const fieldErrors = problemsOf(() => parse({ age: 1, tags: ['x', 'y'], kind: 'c', mail: 'nobody' }))
    expect(fieldErrors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'name required',
      'age min_value',
      'tags max_items',
      'kind invalid_option',
      'mail invalid_email',
    ])
  })

  it('names unknown keys of a strict object one by one', () => {
    const parse = createPartParser(z.strictObject({}), false)
    expect(problemsOf(() => parse({ x: 1, y: 2 })).map(({ field, code }) => `${field} ${code}`)).toEqual([
      'x unknown_field',
      'y unknown_field',
    ])
  })

  it('reports the branch of a union that was meant', () => {
    const parse = createPartParser(
      z.union([z.strictObject({ settings: z.strictObject({ n: z.number() }) }), z.strictObject({ n: z.number() })]),
      false,
    )
    expect(problemsOf(() => parse({ settings: { n: 'x' } }))[0]!.field).toBe('settings.n')
    expect(problemsOf(() => parse({ n: 'x' }))[0]!.field).toBe('n')
  })

  it('leaves secrets out of the report', () => {
    const parse = createPartParser(z.object({ password: z.string().min(8) }), false)
    expect(problemsOf(() => parse({ password: 'short' }))[0]).not.toHaveProperty('value')
  })

  it('reports a query of the data endpoints as invalid_query with the parameter', () => {
    const parse = createPartParser(z.object({ top: z.string().regex(/^\d+$/) }), true)
    expect(() => parse({ top: 'x' })).toThrow(
      expect.objectContaining({ code: 'invalid_query', details: expect.objectContaining({ parameter: 'top' }) }),
    )
  })
})

describe('acceptsEveryPath', () => {
  it('is true only when the schema names exactly the parameters as plain text', () => {
    const plain = z.object({ object: z.string(), id: z.string() })
    expect(acceptsEveryPath(plain, '/data/:object/:id')).toBe(true)
    expect(acceptsEveryPath(plain, '/data/:object')).toBe(false)
    expect(acceptsEveryPath(z.object({ id: z.string().min(2) }), '/x/:id')).toBe(false)
    expect(acceptsEveryPath(z.object({ id: z.coerce.string() }), '/x/:id')).toBe(false)
  })
})

function problemsOf(run: () => unknown): { field: string; code: string }[] {
  try {
    run()
  } catch (error) {
    if (error instanceof PlatformError) return error.details['fieldErrors'] as { field: string; code: string }[]
    throw error
  }
  throw new Error('Nothing was refused.')
}
