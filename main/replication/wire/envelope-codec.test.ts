// Envelopes come back from their bytes as they were, and bytes that are no envelope are refused by name.
import * as encoding from 'lib0/encoding'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryBody, arbitraryEnvelope } from '../../../test/support/wire-arbitraries.ts'
import type { EnvelopeBody, Json, SealedEnvelope } from '../core/types.ts'
import {
  bodyLimit,
  chainedHeader,
  decodeBody,
  decodeEnvelope,
  encodeBody,
  encodeEnvelope,
  envelopeSize,
  isOpaque,
} from './envelope-codec.ts'
import { envelopeLimit } from './limits.ts'
import type { WireErrorCode } from './wire-error.ts'
import { WireError } from './wire-error.ts'

const body: EnvelopeBody = {
  doc: 'r/object/record',
  kind: 'update',
  hlc: { ms: 1_700_000_000_000, ctr: 3 },
  group: { first: 7, count: 2 },
  author: 'user',
  aclRev: 1,
  schemaRev: 2,
  update: new Uint8Array([1, 2, 3]),
  facts: [{ id: 'fact', kind: 'field_change', value: { old: null, new: 'text' } }],
}
const envelope: SealedEnvelope = { inc: 0xdead_beef, seq: 300, epoch: 1, seal: 0, body: new Uint8Array([9, 8, 7]) }

function expectRefused(action: () => unknown, code: WireErrorCode): void {
  let caught: unknown
  try {
    action()
  } catch (error) {
    caught = error
  }
  expect(caught).toBeInstanceOf(WireError)
  expect((caught as WireError).code).toBe(code)
}

const withFact = (value: unknown): EnvelopeBody => ({ ...body, facts: [{ id: 'a', kind: 'b', value: value as Json }] })

/** A body with the text of its only fact's value put in by hand. */
function bodyWithJson(text: string): Uint8Array {
  const plain = encodeBody({ ...body, facts: [] })
  const encoder = encoding.createEncoder()
  encoding.writeUint8Array(encoder, plain.subarray(0, plain.length - 1))
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarString(encoder, 'a')
  encoding.writeVarString(encoder, 'b')
  encoding.writeVarString(encoder, text)
  return encoding.toUint8Array(encoder)
}

describe('bodies', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(arbitraryBody, (one) => {
        expect(decodeBody(encodeBody(one))).toEqual(one)
      }),
    )
  })

  it('of a kind nobody knows yet say their document and their number', () => {
    const encoder = encoding.createEncoder()
    encoding.writeVarString(encoder, 'x/later')
    encoding.writeVarUint(encoder, 77)
    encoding.writeUint8Array(encoder, new Uint8Array([1, 2, 3, 4]))
    const opaque = decodeBody(encoding.toUint8Array(encoder))
    expect(opaque).toEqual({ kind: 'opaque', number: 77, doc: 'x/later' })
    expect(isOpaque(opaque)).toBe(true)
    expect(isOpaque(body)).toBe(false)
  })

  it('cut anywhere are refused', () => {
    const encoded = encodeBody(body)
    for (let end = 0; end < encoded.length; end += 1)
      expectRefused(() => decodeBody(encoded.subarray(0, end)), 'truncated')
  })

  it('with bytes after their end are refused', () => {
    expectRefused(() => decodeBody(new Uint8Array([...encodeBody(body), 0])), 'trailing')
  })

  it('with a fact that names __proto__ are refused, written or read, and reach no prototype', () => {
    const evil = '{"a":[{"__proto__":{"x":1}}]}'
    expectRefused(() => decodeBody(bodyWithJson(evil)), 'malformed')
    expectRefused(() => encodeBody(withFact(JSON.parse(evil))), 'malformed')
    expectRefused(() => decodeBody(bodyWithJson(String.raw`{"\u005f_proto__":{"x":1}}`)), 'malformed')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('with a fact that is no JSON, too deep or of too many values are refused', () => {
    expect(decodeBody(bodyWithJson('{"constructor":[1,"a,[\\"{"]}'))).toMatchObject({
      facts: [{ value: { constructor: [1, 'a,["{'] } }],
    })
    expectRefused(() => decodeBody(bodyWithJson('{"a":')), 'malformed')
    expectRefused(() => decodeBody(bodyWithJson('1e999')), 'malformed')
    expectRefused(() => decodeBody(bodyWithJson('['.repeat(500_000))), 'too_large')
    expectRefused(() => decodeBody(bodyWithJson(`[${'[],'.repeat(200_000)}1]`)), 'too_large')
  })

  it('with values JSON does not have are refused', () => {
    for (const value of [undefined, Number.NaN, 1n, new Date(0), () => 1, [undefined]])
      expectRefused(() => encodeBody(withFact(value)), 'malformed')
    const circle: unknown[] = []
    circle.push(circle)
    expectRefused(() => encodeBody(withFact(circle)), 'too_large')
  })

  it('with half a surrogate pair in a name, or numbers out of their range, are refused', () => {
    expectRefused(() => encodeBody({ ...body, doc: 'a\ud800' }), 'malformed')
    expectRefused(() => encodeBody({ ...body, hlc: { ms: 2 ** 48, ctr: 0 } }), 'too_large')
    expectRefused(() => encodeBody({ ...body, hlc: { ms: -1, ctr: 0 } }), 'malformed')
    expectRefused(() => encodeBody({ ...body, group: { first: 0, count: 1 } }), 'malformed')
    expectRefused(() => encodeBody({ ...body, aclRev: 1.5 }), 'malformed')
  })

  it('above the limit are refused', () => {
    expectRefused(() => encodeBody({ ...body, update: new Uint8Array(bodyLimit) }), 'too_large')
    expectRefused(() => decodeBody(new Uint8Array(bodyLimit + 1)), 'too_large')
  })
})

describe('envelopes', () => {
  it('come back as they were, and their size is known without writing them', () => {
    fc.assert(
      fc.property(arbitraryEnvelope, (one) => {
        const encoded = encodeEnvelope(one)
        expect(decodeEnvelope(encoded)).toEqual(one)
        expect(envelopeSize(one)).toBe(encoded.length)
      }),
    )
  })

  it('have one spelling: what is read is written as the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (tail) => {
        const bytes = new Uint8Array([1, ...tail])
        let read: SealedEnvelope | undefined
        try {
          read = decodeEnvelope(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
        if (read) expect(encodeEnvelope(read)).toEqual(bytes)
      }),
      { numRuns: 2000 },
    )
    const twoBytes = new Uint8Array([1, 0, 0, 0, 1, 0x81, 0, 0, 0, 0])
    expectRefused(() => decodeEnvelope(twoBytes), 'malformed')
  })

  it('give plain bytes, whatever they were read from', () => {
    const read = decodeEnvelope(Buffer.from(encodeEnvelope(envelope)))
    expect(Buffer.isBuffer(read.body)).toBe(false)
    expect(read).toEqual(envelope)
  })

  it('cut anywhere, lengthened, of another version or too large are refused', () => {
    const encoded = encodeEnvelope(envelope)
    for (let end = 0; end < encoded.length; end += 1)
      expectRefused(() => decodeEnvelope(encoded.subarray(0, end)), 'truncated')
    expectRefused(() => decodeEnvelope(new Uint8Array([...encoded, 0])), 'trailing')
    expectRefused(() => decodeEnvelope(new Uint8Array([2, ...encoded.subarray(1)])), 'unsupported')
    expectRefused(() => decodeEnvelope(new Uint8Array(envelopeLimit + 1)), 'too_large')
  })

  it('that announce an endless, huge or inexact length are refused', () => {
    const start = [1, 0, 0, 0, 1, 1, 0, 0]
    expectRefused(() => decodeEnvelope(new Uint8Array([...start, 0xff, 0xff, 0xff, 0x7f])), 'too_large')
    expectRefused(() => decodeEnvelope(new Uint8Array([...start, ...Array(300).fill(0x80), 0])), 'too_large')
    expectRefused(() => decodeEnvelope(new Uint8Array([...start, ...Array(9).fill(0xff), 0x7f])), 'too_large')
    expectRefused(() => decodeEnvelope(new Uint8Array([...start, ...Array(300).fill(0x80)])), 'truncated')
  })

  it('at the limit fit and one byte more does not', () => {
    const large = { ...envelope, body: new Uint8Array(bodyLimit) }
    expect(decodeEnvelope(encodeEnvelope(large)).body).toHaveLength(bodyLimit)
    expect(encodeEnvelope({ ...large, seq: 2 ** 48 - 1, epoch: 0xffff_ffff }).length).toBeLessThanOrEqual(envelopeLimit)
    expectRefused(() => encodeEnvelope({ ...large, body: new Uint8Array(bodyLimit + 1) }), 'too_large')
  })

  it('have a header for the chain that names the workspace', () => {
    const one = chainedHeader(new Uint8Array(16).fill(1), envelope)
    const two = chainedHeader(new Uint8Array(16).fill(2), envelope)
    expect(one).not.toEqual(two)
    expectRefused(() => chainedHeader(new Uint8Array(15), envelope), 'malformed')
  })
})
