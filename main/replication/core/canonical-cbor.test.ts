import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalCbor, compareBytes } from './canonical-cbor.ts'

const hex = (value: unknown): string => Buffer.from(canonicalCbor(value)).toString('hex')

describe('canonicalCbor', () => {
  // From RFC 8949, appendix A.
  it.each<[unknown, string]>([
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [100, '1864'],
    [1000, '1903e8'],
    [1000000, '1a000f4240'],
    [1000000000000, '1b000000e8d4a51000'],
    [-1, '20'],
    [-100, '3863'],
    [-1000, '3903e7'],
    [1.1, 'fb3ff199999999999a'],
    [false, 'f4'],
    [true, 'f5'],
    [null, 'f6'],
    [undefined, 'f7'],
    [new Uint8Array([1, 2, 3, 4]), '4401020304'],
    ['', '60'],
    ['IETF', '6449455446'],
    ['\u00fc', '62c3bc'],
    ['\ud800\udd51', '64f0908591'],
    [[], '80'],
    [[1, [2, 3], [4, 5]], '8301820203820405'],
    [{}, 'a0'],
    [{ a: 'A', b: 'B' }, 'a26161614161626142'],
  ])('writes %j as %s', (value, expected) => {
    expect(hex(value)).toBe(expected)
  })

  it('sorts keys by their bytes and does not see their order', () => {
    expect(hex({ bb: 1, c: 2, a: 3 })).toBe(hex({ a: 3, c: 2, bb: 1 }))
    expect(hex({ bb: 1, c: 2 })).toBe('a2616302626262' + '01')
  })

  it('writes what is no JSON as undefined, and a bigint as its text', () => {
    expect(hex([new Map([[1, 2]]), () => 1, 5n])).toBe('83f7f7c26135')
  })

  it('writes -0 as 0, since JSON has no other', () => {
    expect(hex(-0)).toBe('00')
  })

  it('gives different values different bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
        const equal = compareBytes(canonicalCbor(plain(a)), canonicalCbor(plain(b))) === 0
        expect(equal).toBe(isDeepEqual(plain(a), plain(b)))
      }),
    )
  })
})

describe('compareBytes', () => {
  it('puts a prefix before what it is one of', () => {
    const sorted = [new Uint8Array([]), new Uint8Array([1]), new Uint8Array([1, 0]), new Uint8Array([2])]
    expect(sorted.toReversed().sort(compareBytes)).toEqual(sorted)
  })
})

function isDeepEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}
