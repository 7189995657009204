import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import { maxDepth, maxKeys, maxNodes, parseJsonBody, parseJsonText } from './json-body.ts'

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text))

function refusalOf(text: string | Buffer): { code: string; field: string } {
  try {
    parseJsonBody(Buffer.from(text as string))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    expect(error.code).toBe('validation_error')
    const [first] = error.details['fieldErrors'] as { code: string; field: string }[]
    return { code: first!.code, field: first!.field }
  }
  throw new Error('The body was accepted.')
}

describe('parseJsonBody', () => {
  it('answers what JSON.parse answers for every value within the limits', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes('__proto__'))
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('takes an empty body as absent', () => {
    expect(parse('')).toBeUndefined()
  })

  it('refuses text that is no JSON with invalid_json', () => {
    for (const text of ['{', '{"a":}', 'nul', '[1,]', ' ']) expect(refusalOf(text).code).toBe('invalid_json')
  })

  it('refuses bytes that are no UTF-8 with invalid_json', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xe5, 0x22]))).toThrow(PlatformError)
  })

  it('accepts 64 levels and refuses 65', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(() => parse(nested(maxDepth))).not.toThrow()
    expect(refusalOf(nested(maxDepth + 1)).code).toBe('invalid_json')
  })

  it('refuses a megabyte of brackets before it is parsed', () => {
    expect(refusalOf('['.repeat(2_000_000)).code).toBe('invalid_json')
  })

  it('refuses brackets without end before they are parsed, also in bodies of a few kilobytes (D-408)', () => {
    const { parse: parseText } = JSON
    const parsed: string[] = []
    JSON.parse = (text: string) => (parsed.push(text), parseText(text) as unknown)
    try {
      for (const text of ['['.repeat(4_096), '{"a":'.repeat(1_000), '['.repeat(900_000)]) {
        expect(refusalOf(text).code).toBe('invalid_json')
        expect(() => parseJsonText(text)).toThrow(PlatformError)
      }
    } finally {
      JSON.parse = parseText
    }
    expect(parsed).toEqual([])
  })

  it('accepts 10,000 keys in an object and refuses one more', () => {
    const object = (keys: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1])))
    expect(() => parse(object(maxKeys))).not.toThrow()
    expect(refusalOf(object(maxKeys + 1)).code).toBe('max_items')
  })

  it('accepts 1,000 rows of 100 keys', () => {
    const row = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]))
    expect(() => parse(JSON.stringify({ records: Array.from({ length: 1_000 }, () => row) }))).not.toThrow()
  })

  it('refuses more than a million values', () => {
    expect(refusalOf(`[${'0,'.repeat(maxNodes)}0]`).code).toBe('max_items')
  })

  it('does not count brackets and commas inside strings', () => {
    const text = JSON.stringify({ text: '[,"\\'.repeat(400_000) })
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('knows where each string of a large body ends, whatever it escapes', () => {
    const padding = 'x'.repeat(1_100_000)
    const piece = fc.stringMatching(/^[[{\]}",\\ab]{0,12}$/).map((one) => one.repeat(70))
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const value = { padding, pieces, last: pieces.at(-1)! }
        expect(parse(JSON.stringify(value))).toEqual(value)
        const tooDeep = `{"a":${JSON.stringify(pieces)},"b":${'['.repeat(65)}${']'.repeat(65)},"padding":"${padding}"}`
        expect(refusalOf(tooDeep).code).toBe('invalid_json')
      }),
      { numRuns: 20 },
    )
    expect(refusalOf(`{"a":"${padding}\\"`).code).toBe('invalid_json')
  })

  it('refuses a "__proto__" key however it is written and names its path', () => {
    expect(refusalOf('{"a":[{"__proto__":{"x":1}}]}')).toEqual({ code: 'not_allowed', field: 'a.0.__proto__' })
    expect(refusalOf('{"\\u005f_proto__":{"x":1}}').field).toBe('__proto__')
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('takes the last of two equal keys', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 })
  })

  it('refuses a number beyond the range of doubles and names its path', () => {
    expect(refusalOf('{"a":{"b":[1,1e999]}}')).toEqual({ code: 'invalid_number', field: 'a.b.1' })
  })
})
