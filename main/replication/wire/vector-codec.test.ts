// Vectors come back from their bytes, and what they say to each other agrees with plain sets of envelopes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryVector } from '../../../test/support/wire-arbitraries.ts'
import type { Vector } from '../core/types.ts'
import {
  countMissing,
  covers,
  decodeVector,
  encodeVector,
  lacks,
  mergeVectors,
  missingRanges,
  sameVector,
} from './vector-codec.ts'
import { WireError } from './wire-error.ts'

/** Few incarnations and small numbers, so that two of them often have something in common. */
const small: fc.Arbitrary<Vector> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 })), { maxLength: 4 })
  .map((entries) => new Map(entries))

/** The vector as the set of envelopes it says are there. */
const setOf = (vector: Vector): Set<string> =>
  new Set([...vector].flatMap(([inc, seq]) => Array.from({ length: seq }, (_, index) => `${inc}:${index + 1}`)))

const sorted = (vector: Vector): [number, number][] => [...vector].sort(([a], [b]) => a - b)

describe('vectors', () => {
  it('come back from their bytes, whatever order they were made in', () => {
    fc.assert(
      fc.property(arbitraryVector, (vector) => {
        const encoded = encodeVector(vector)
        expect(sorted(decodeVector(encoded))).toEqual(sorted(vector))
        expect(encodeVector(new Map([...vector].reverse()))).toEqual(encoded)
        expect(encoded.length).toBeLessThanOrEqual(3 + 14 * vector.size)
      }),
    )
  })

  it('leave out an incarnation of which nothing is there', () => {
    expect(decodeVector(encodeVector(new Map([[1, 0]]))).size).toBe(0)
  })

  it('are refused cut, lengthened, unsorted, doubled, or longer than their bytes', () => {
    const encoded = encodeVector(
      new Map([
        [1, 200],
        [2, 3],
      ]),
    )
    for (let end = 0; end < encoded.length; end += 1)
      expect(() => decodeVector(encoded.subarray(0, end))).toThrow(WireError)
    for (const bytes of [
      [...encoded, 0],
      [0x84, 2, 1, 1, 1],
      [0x84, 1, 1, 1, 1],
      [0x82, 1, 0],
      [0x83, 1, 1, 2],
      [0xa1, 1, 1],
      [1],
      [0x99, 0xff, 0xff, 1, 1],
      [0x9a, 0xff, 0xff, 0xff, 0xff],
    ])
      expect(() => decodeVector(new Uint8Array(bytes))).toThrow(WireError)
  })

  it('compare as the sets they stand for', () => {
    fc.assert(
      fc.property(small, small, (mine, theirs) => {
        const [a, b] = [setOf(mine), setOf(theirs)]
        expect(lacks(mine, theirs)).toBe(!a.isSupersetOf(b))
        expect(sameVector(mine, theirs)).toBe(a.isSupersetOf(b) && b.isSupersetOf(a))
        expect(countMissing(mine, theirs)).toBe(b.difference(a).size)
      }),
    )
  })

  it('miss exactly the difference, and have both after a merge', () => {
    fc.assert(
      fc.property(small, small, (mine, theirs) => {
        const missing = missingRanges(mine, theirs).flatMap(({ inc, from, to }) =>
          Array.from({ length: to - from + 1 }, (_, index) => `${inc}:${from + index}`),
        )
        expect(new Set(missing)).toEqual(setOf(theirs).difference(setOf(mine)))
        expect(setOf(mergeVectors(mine, theirs))).toEqual(setOf(mine).union(setOf(theirs)))
      }),
    )
  })

  it('cover an envelope and all before it', () => {
    const vector = new Map([[1, 3]])
    expect([1, 3, 4].map((seq) => covers(vector, { inc: 1, seq }))).toEqual([true, true, false])
    expect(covers(vector, { inc: 2, seq: 1 })).toBe(false)
  })
})
