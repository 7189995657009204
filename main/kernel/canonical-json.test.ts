import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalHash, canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  it('sorts keys by UTF-16 code units at every depth', () => {
    // The order of RFC 8785 section 3.2.3: a supplementary character sorts by its surrogate, before U+FB33.
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': { b: 1, a: 2 } }
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":{"a":2,"b":1},"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    )
  })

  it('prints numbers as ECMAScript does', () => {
    expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    )
  })

  it('leaves undefined members out and keeps null', () => {
    expect(canonicalJson({ a: undefined, b: null, c: [undefined] })).toBe('{"b":null,"c":[null]}')
  })

  it.each([NaN, Infinity, 1n, '\ud800', { '\udfff': 1 }])('refuses %s', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  })

  it('gives the same hash whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (record) => {
        const reversed = Object.fromEntries(Object.entries(record).toReversed())
        expect(canonicalHash(reversed)).toBe(canonicalHash(record))
        expect(JSON.parse(canonicalJson(record))).toEqual(JSON.parse(JSON.stringify(record)))
      }),
    )
  })
})
