import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson, packValue, sameJson, unpackValue } from './json-value.ts'
import type { Json } from './types.ts'

function nested(levels: number): Json {
  let value: Json = 1
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

describe('isJson', () => {
  it.each([undefined, NaN, Infinity, 1n, new Uint8Array(1), new Date(0), [undefined], { a: 1n }, () => 1])(
    'says no to %s',
    (value) => {
      expect(isJson(value)).toBe(false)
    },
  )

  it('counts levels', () => {
    expect(isJson(nested(16))).toBe(true)
    expect(isJson(nested(17))).toBe(false)
  })

  it('says no to an object that a decoded key `__proto__` gave another prototype', () => {
    const decoded = {}
    Object.setPrototypeOf(decoded, { hidden: 1 })
    expect(isJson(decoded)).toBe(false)
  })
})

describe('packValue', () => {
  it('leaves ordinary values as they are', () => {
    const value = { a: [1, 'x', null, { b: true }] }
    expect(packValue(value)).toBe(value)
  })

  it.each<[string, Json]>([
    ['is deep', nested(60)],
    ['has a lone surrogate', ['\ud800']],
    ['has a key with a lone surrogate', { '\udfff': 1 }],
    ['has a key __proto__', JSON.parse('{"a":{"__proto__":{"b":1}}}') as Json],
    ['looks packed', { '\0json': '1' }],
  ])('packs a value that %s', (_what, value) => {
    const packed = packValue(value)
    expect(packed).not.toBe(value)
    expect(isJson(packed)).toBe(true)
    expect(JSON.stringify(unpackValue(packed))).toBe(JSON.stringify(value))
  })

  it('gives every JSON value back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        const packed = packValue(value as Json)
        expect(isJson(packed)).toBe(true)
        expect(unpackValue(packed)).toEqual(value)
      }),
    )
  })

  it.each([undefined, NaN, 1n, { a: undefined }, [new Date(0)]])('refuses %s', (value) => {
    expect(() => packValue(value as unknown as Json)).toThrow(TypeError)
  })

  it('leaves text that only pretends to be packed', () => {
    expect(unpackValue({ '\0json': '{' })).toEqual({ '\0json': '{' })
  })
})

describe('sameJson', () => {
  it('does not see the order of keys', () => {
    expect(sameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true)
  })

  it.each<[Json, Json]>([
    [1, '1'],
    [[], {}],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [null, {}],
    [{ a: null }, { b: null }],
  ])('tells %j from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(false)
  })
})
