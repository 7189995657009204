// What is larger than a frame comes through in pieces; a joiner never holds more than was sent and never two at once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Head, SealedEnvelope } from '../core/types.ts'
import { bodyLimit, decodeEnvelope } from './envelope-codec.ts'
import { decodeFrame, encodeFrame } from './frame-codec.ts'
import { wholeLimit } from './frames.ts'
import type { Frame, Piece } from './frames.ts'
import { frameLimit } from './limits.ts'
import { packRun } from './pack-run.ts'
import { createJoiner, cutPieces, pieceBytes } from './pieces.ts'
import { WireError } from './wire-error.ts'
import { sized } from '../../../test/support/test-size.ts'

const pattern = new Uint8Array(251).map((_, index) => index)
const filled = (length: number): Uint8Array => new Uint8Array(Buffer.alloc(length, length === 0 ? 0 : pattern))
/** Comparing item by item takes seconds at these lengths. */
const isFilled = (bytes: Uint8Array | undefined, length: number): boolean =>
  bytes !== undefined && Buffer.compare(bytes, filled(length)) === 0

function join(pieces: readonly Piece[]): Uint8Array | undefined {
  const joiner = createJoiner()
  let whole: Uint8Array | undefined
  for (const piece of pieces) whole = joiner.add(piece)
  return whole
}

describe('pieces', () => {
  it('make the whole again, at every length around their own', () => {
    for (const length of [0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes, wholeLimit]) {
      const pieces = cutPieces(filled(length))
      expect(isFilled(join(pieces), length)).toBe(true)
      for (const piece of pieces) {
        const frame: Frame = { kind: 'DOCSYNC', doc: 'd'.repeat(1024), step: 2, ...piece }
        expect(encodeFrame(frame).length).toBeLessThanOrEqual(frameLimit)
      }
    }
    expect(() => cutPieces(new Uint8Array(wholeLimit + 1))).toThrow(WireError)
  })

  it('out of order, twice, of another whole, too many or too few are refused, and nothing of them is kept', () => {
    const pieces = cutPieces(filled(2 * pieceBytes + 5))
    const [one, two, three] = pieces as [Piece, Piece, Piece]
    const wrong: Piece[][] = [
      [two],
      [one, three],
      [one, one],
      [one, { ...two, parts: 4 }],
      [one, { ...two, size: two.size + 1 }],
      [one, two, { ...three, bytes: filled(6) }],
      [one, two, { ...three, bytes: filled(4) }],
      [one, { ...two, bytes: new Uint8Array() }],
      [{ ...one, size: wholeLimit + 1 }],
    ]
    for (const list of wrong) {
      const joiner = createJoiner()
      expect(() => list.forEach((piece) => joiner.add(piece))).toThrow(WireError)
      expect([joiner.held(), joiner.isOpen()]).toEqual([0, false])
      expect(isFilled(pieces.map((piece) => joiner.add(piece)).at(-1), 2 * pieceBytes + 5)).toBe(true)
    }
  })

  it('announced and not sent cost nothing', () => {
    const joiner = createJoiner()
    joiner.add({ part: 0, parts: 1024, size: wholeLimit, bytes: filled(10) })
    expect(joiner.held()).toBe(10)
    expect(joiner.isOpen()).toBe(true)
  })
})

describe('a packed run', () => {
  const headAt = (seq: number): Head => ({ inc: 1, seq, hash: new Uint8Array(32), sig: new Uint8Array(64) })

  /** What a receiver has after the frames, and whether every head stood right after its envelope. */
  function unpack(frames: readonly Frame[]): { envelopes: SealedEnvelope[]; unvouched: number; longest: number } {
    const joiner = createJoiner()
    const envelopes: SealedEnvelope[] = []
    let unvouched = 0
    let longest = 0
    for (const sent of frames) {
      const frame = decodeFrame(encodeFrame(sent))
      if (frame.kind === 'ENVPART') {
        const whole = joiner.add(frame)
        if (whole) unvouched += envelopes.push(decodeEnvelope(whole)) && 1
      } else if (frame.kind === 'ENV') {
        envelopes.push(...frame.envelopes)
        unvouched += frame.envelopes.length
        longest = Math.max(longest, unvouched)
        if (frame.head) {
          expect(frame.head.seq).toBe(envelopes.at(-1)?.seq)
          unvouched = 0
        }
      }
    }
    return { envelopes, unvouched, longest }
  }

  it('brings every envelope in order and ends at its head, whatever the sizes and wherever the heads stand', () => {
    const sizes = fc.array(fc.constantFrom(0, 50, 5000, 100_000, 255 * 1024, 300_000, bodyLimit), { maxLength: 8 })
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1, max: 8 })), (lengths, heads) => {
        const envelopes = lengths.map((length, index) => ({
          inc: 1,
          seq: index + 1,
          epoch: 0,
          seal: 0,
          body: filled(length),
        }))
        const last = lengths.length === 0 ? [] : [lengths.length]
        const found = unpack(packRun(envelopes, [...heads, ...last].map(headAt)))
        expect(found.envelopes.map(({ seq, body }) => [seq, body.length])).toEqual(
          lengths.map((length, index) => [index + 1, length]),
        )
        expect(found.unvouched).toBe(0)
      }),
      { numRuns: sized(15, 60) },
    )
  })

  it('never has more than 256 envelopes without a head where there are heads', () => {
    const envelopes = Array.from({ length: 3000 }, (_, index) => ({
      inc: 1,
      seq: index + 1,
      epoch: 0,
      seal: 0,
      body: filled(9),
    }))
    const heads = envelopes.filter(({ seq }) => seq % 7 === 0 || seq === 3000).map(({ seq }) => headAt(seq))
    const frames = packRun(envelopes, heads)
    const found = unpack(frames)
    expect(found.longest).toBeLessThanOrEqual(256)
    expect(found.envelopes).toHaveLength(3000)
    expect(frames.length).toBeLessThan(20)
  })
})
