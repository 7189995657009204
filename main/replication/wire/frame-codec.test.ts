// Frames come back from their bytes as they were; what is no frame is refused by name, and what is a later one is not.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryFrame, arbitraryUnknownFrame } from '../../../test/support/wire-arbitraries.ts'
import { bucketCount, decodeFrame, encodeFrame, logicalHashBytes } from './frame-codec.ts'
import type { Frame } from './frames.ts'
import { frameLimit } from './limits.ts'
import { WireError } from './wire-error.ts'

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action()
  } catch (error) {
    return error instanceof WireError ? error.code : `not typed: ${String(error)}`
  }
  return undefined
}

describe('frames', () => {
  it('of every kind come back as they were', () => {
    const kinds = new Set<string>()
    fc.assert(
      fc.property(arbitraryFrame, (frame) => {
        kinds.add(frame.kind)
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame)
      }),
      { numRuns: 1000 },
    )
    expect(kinds.size).toBe(24)
  })

  it('of a later version are an answer, and are written again as the same bytes', () => {
    fc.assert(
      fc.property(arbitraryUnknownFrame, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame)
      }),
    )
    expect(codeOf(() => encodeFrame({ kind: 'unknown', type: 1, bytes: new Uint8Array() }))).toBe('malformed')
  })

  it('cut anywhere or lengthened are refused', () => {
    fc.assert(
      fc.property(arbitraryFrame, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (frame, share) => {
        const encoded = encodeFrame(frame)
        expect(codeOf(() => decodeFrame(encoded.subarray(0, Math.floor(share * encoded.length))))).toBe('truncated')
        expect(codeOf(() => decodeFrame(new Uint8Array([...encoded, 0])))).toBe('trailing')
      }),
      { numRuns: 300 },
    )
  })

  it('above 256 KiB are refused, written or read', () => {
    const live = (length: number): Frame => ({ kind: 'LIVE', doc: 'd', update: new Uint8Array(length) })
    expect(encodeFrame(live(frameLimit - 10)).length).toBeLessThanOrEqual(frameLimit)
    expect(codeOf(() => encodeFrame(live(frameLimit - 2)))).toBe('too_large')
    expect(codeOf(() => decodeFrame(new Uint8Array(frameLimit + 1)))).toBe('too_large')
  })

  it('whose numbers contradict each other are refused, written or read', () => {
    const wrong: Frame[] = [
      { kind: 'WANT', inc: 1, from: 3, to: 2 },
      { kind: 'ENVPART', part: 2, parts: 2, size: 4, bytes: new Uint8Array(2) },
    ]
    for (const frame of wrong) expect(codeOf(() => encodeFrame(frame))).toBe('malformed')
    expect(codeOf(() => decodeFrame(new Uint8Array([6, 0, 0, 0, 1, 3, 2])))).toBe('malformed')
    expect(codeOf(() => decodeFrame(new Uint8Array([12, 1, 2])))).toBe('malformed')
  })

  it('with values of the wrong length or above their limits are refused', () => {
    const wrong: Frame[] = [
      { kind: 'DIGEST', vector: new Map(), buckets: new Uint8Array(bucketCount * logicalHashBytes - 1) },
      { kind: 'PAIR3', nonce: new Uint8Array(31) },
      { kind: 'ERR', code: 'x'.repeat(65) },
      { kind: 'AWARE', doc: 'd', update: new Uint8Array(4097) },
      { kind: 'BUCKET', bucket: bucketCount },
      { kind: 'PING', id: -1 },
    ]
    for (const frame of wrong) expect(codeOf(() => encodeFrame(frame))).toMatch(/^(malformed|too_large)$/)
  })

  it('that announce more items than their bytes can hold are refused before an item is read', () => {
    // The first envelope is of a version nobody knows: reading it would say so.
    const manyEnvelopes = new Uint8Array([3, 0xff, 0xff, 0x0f, 1, 9])
    const manyEntries = new Uint8Array([8, 0, 1, 0xff, 0xff, 0x0f, 0])
    expect(codeOf(() => decodeFrame(manyEnvelopes))).toBe('truncated')
    expect(codeOf(() => decodeFrame(manyEntries))).toBe('truncated')
  })
})
