// Frames come back from their bytes as they were; what is no frame is refused by name, and what is a later one is not.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryFrame, arbitraryUnknownFrame, formerGreeting } from '../../../test/support/wire-arbitraries.ts'
import { writeCbor } from './cbor.ts'
import { decodeFrame, encodeFrame } from './frame-codec.ts'
import { bucketCount, logicalHashBytes } from './frames.ts'
import type { Frame } from './frames.ts'
import { frameLimit } from './limits.ts'
import { WireError } from './wire-error.ts'

const hex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'))

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
    expect(kinds.size).toBe(21)
  })

  it('of a later version are an answer, and are written again as the same bytes', () => {
    fc.assert(
      fc.property(arbitraryUnknownFrame, (frame) => {
        expect(decodeFrame(encodeFrame(frame))).toEqual(frame)
      }),
    )
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
    expect(encodeFrame(live(frameLimit - 40)).length).toBeLessThanOrEqual(frameLimit)
    expect(codeOf(() => encodeFrame(live(frameLimit - 2)))).toBe('too_large')
    expect(codeOf(() => decodeFrame(new Uint8Array(frameLimit + 1)))).toBe('too_large')
  })

  it('whose numbers contradict each other are refused, written or read', () => {
    const wrong: Frame[] = [
      { kind: 'WANT', inc: 1, from: 3, to: 2 },
      { kind: 'ENVPART', part: 2, parts: 2, size: 4, bytes: new Uint8Array(2) },
    ]
    for (const frame of wrong) expect(codeOf(() => encodeFrame(frame))).toBe('malformed')
    expect(codeOf(() => decodeFrame(writeCbor({ kind: 'WANT', inc: 1, from: 3, to: 2 })))).toBe('malformed')
    expect(codeOf(() => decodeFrame(writeCbor({ kind: 'BARRIER', id: 1, reply: 2 })))).toBe('malformed')
  })

  it('with values of the wrong length or above their limits are refused', () => {
    const wrong: Frame[] = [
      { kind: 'DIGEST', vector: new Map(), buckets: new Uint8Array(bucketCount * logicalHashBytes - 1) },
      { kind: 'DIGESTHASH', vector: new Map(), hash: new Uint8Array(31) },
      { kind: 'ERR', code: 'x'.repeat(65) },
      { kind: 'AWARE', doc: 'd', update: new Uint8Array(4097) },
      { kind: 'BUCKET', bucket: bucketCount },
      { kind: 'PING', id: -1 },
    ]
    for (const frame of wrong) expect(codeOf(() => encodeFrame(frame))).toMatch(/^(malformed|too_large)$/)
  })

  it('that announce more items than their bytes can hold are refused before an item is read', () => {
    const announced = ['9a00ffffff', 'ba007fffff', '5affffffff', '7b00000fffffffffff']
    for (const head of announced) expect(codeOf(() => decodeFrame(hex(`a1617a${head}00`)))).toBe('truncated')
  })

  it('of many values, or of values deep within each other, are refused while they are read', () => {
    const deep = new Uint8Array(frameLimit).fill(0x81)
    const many = new Uint8Array(frameLimit).fill(0x80)
    many.set([0x9a, 0, 3, 0xff, 0xfb])
    expect(codeOf(() => decodeFrame(deep))).toBe('too_large')
    expect(codeOf(() => decodeFrame(many))).toBe('too_large')
  })

  it('of another spelling are refused', () => {
    const name = Buffer.from('kind').toString('hex')
    const ping = `64${name}6450494e47`
    expect(decodeFrame(hex(`a262696405${ping}`))).toEqual({ kind: 'PING', id: 5 })
    for (const other of [
      // The order of the names; one twice; one too many.
      `a2${ping}62696405`,
      `a36269640562696405${ping}`,
      `a361780062696405${ping}`,
      // Numbers and lengths that are longer than they need be, a float, a negative number, a tag, nothing.
      `a26269641805${ping}`,
      `a27802696405${ping}`,
      `b80262696405${ping}`,
      `a2626964f94500${ping}`,
      `a26269643a00000004${ping}`,
      `a2626964c105${ping}`,
      `a2626964f7${ping}`,
      `a2626964f6${ping}`,
      // Without a length.
      `bf62696405${ping}ff`,
      `a262696405647f${name}ff6450494e47`,
      // A number that is not exact.
      `a26269641bffffffffffffffff${ping}`,
    ])
      expect(codeOf(() => decodeFrame(hex(other)))).toMatch(/^(malformed|truncated|trailing)$/)
  })

  it('have texts as they were written, and none that is no UTF-8', () => {
    for (const code of ['\ufeffx', 'x\ufffd', '\ufffd\ufeff', '\u00e4'])
      expect(decodeFrame(encodeFrame({ kind: 'ERR', code }))).toEqual({ kind: 'ERR', code })
    expect(codeOf(() => encodeFrame({ kind: 'ERR', code: '\ud800' }))).toBe('malformed')
    const word = (text: string): Uint8Array => hex(`a264636f646563${text}646b696e6463455252`)
    expect(decodeFrame(word('616263'))).toEqual({ kind: 'ERR', code: 'abc' })
    for (const text of ['61ff62', 'f09f98', 'eda080', 'c08080'])
      expect(codeOf(() => decodeFrame(word(text)))).toBe('malformed')
  })

  it('hold views on their bytes, also where a byte string is empty', () => {
    for (const length of [0, 1]) {
      const encoded = encodeFrame({ kind: 'LIVE', doc: 'd', update: new Uint8Array(length) })
      const frame = decodeFrame(encoded)
      expect(frame).toEqual({ kind: 'LIVE', doc: 'd', update: new Uint8Array(length) })
      expect(frame.kind === 'LIVE' && frame.update.buffer).toBe(encoded.buffer)
    }
  })

  it('reach no prototype', () => {
    const evil = `a2${'69'}${Buffer.from('__proto__').toString('hex')}a1617801${'646b696e64'}6450494e47`
    expect(codeOf(() => decodeFrame(hex(evil)))).toBe('malformed')
    const late = `a3${'626964'}05${'646b696e64'}6450494e47${'69'}${Buffer.from('__proto__').toString('hex')}a1617801`
    expect(codeOf(() => decodeFrame(hex(late)))).toBe('malformed')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('of the former protocol are refused by the first one, its greeting', () => {
    expect(codeOf(() => decodeFrame(formerGreeting))).toBe('unsupported')
  })
})
