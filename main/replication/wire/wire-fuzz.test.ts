// Bytes spoiled in every way a hostile or broken peer can think of: what comes out is a value or a typed error, quickly,
// and of no more memory than the bytes themselves (safety rules S5, S6, P9). A long run tries 100,000 of each.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  arbitraryBody,
  arbitraryEnvelope,
  arbitraryFrame,
  arbitraryUnknownFrame,
  arbitraryVector,
} from '../../../test/support/wire-arbitraries.ts'
import { decodeBody, decodeEnvelope, encodeBody, encodeEnvelope } from './envelope-codec.ts'
import { decodeFrame, encodeFrame } from './frame-codec.ts'
import type { Piece } from './frames.ts'
import { createJoiner, cutPieces } from './pieces.ts'
import { decodeVector, encodeVector } from './vector-codec.ts'
import { WireError } from './wire-error.ts'
import { heldMemory } from '../../../test/support/held-memory.ts'
import { isLong, sized } from '../../../test/support/test-size.ts'

const rounds = sized(1500, 100_000)
const timeout = sized(60_000, 600_000)
/** No single piece of bytes may take longer, whenever it is read: far below what a person would call hanging. */
const slowMs = 50
const heapLimit = 20 * 1024 * 1024

const heapUsed = (): number => heldMemory().heap

/** A small generator with a seed, so that a failure can be had again. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]
const endless = Array.from({ length: 40 }, () => 0x80)
/** What CBOR can be besides the one spelling of a frame: lists without an end or within each other, huge ones, floats, tags. */
const heads = [
  [0x9f],
  [0xbf],
  Array.from({ length: 5000 }, () => 0x81),
  Array.from({ length: 5000 }, () => 0xd8),
  [0x9a, 0xff, 0xff, 0xff, 0xff],
  [0xbb, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
  [0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x7a, 0xff, 0xff, 0xff, 0xff],
  [0xf9, 0x7e, 0],
  [0x18, 1],
  [0xa1, 0x69, ...Buffer.from('__proto__'), 0xa1, 0x61, 0x78, 1],
]
const poison = [...Buffer.from('{"__proto__":{"x":1}}')]

/** One piece of bytes made of one or two good ones. */
function spoil(seeds: readonly Uint8Array[], random: (below: number) => number): Uint8Array {
  let bytes = [...seeds[random(seeds.length)]!]
  for (let change = random(3); change >= 0; change -= 1) {
    const place = random(bytes.length + 1)
    const kind = random(9)
    if (kind === 0) bytes = bytes.slice(0, place)
    else if (kind === 1) bytes.splice(place, 1, random(256))
    else if (kind === 2) bytes.splice(place, 1 + random(8))
    else if (kind === 3) bytes.splice(place, 0, ...huge)
    else if (kind === 4) bytes.splice(place, 0, ...endless)
    else if (kind === 5) bytes.splice(place, random(30), ...poison)
    else if (kind === 8) bytes.splice(place, random(2), ...heads[random(heads.length)]!)
    else if (kind === 6 && bytes[place] !== undefined) bytes[place] ^= 1 << random(8)
    else {
      const other = seeds[random(seeds.length)]!
      bytes = [...bytes.slice(0, place), ...other.subarray(random(other.length + 1))]
    }
  }
  return new Uint8Array(bytes)
}

/** Counts the places a value takes: bytes in it take none, as long as they are a view on the ones given. */
function placesOf(value: unknown, given: Uint8Array): number {
  if (value instanceof Uint8Array) return value.buffer === given.buffer ? 0 : Infinity
  if (value instanceof Map) return value.size
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + placesOf(one, given), 0)
  if (typeof value === 'object' && value !== null)
    return Object.values(value).reduce((sum: number, one) => sum + placesOf(one, given), 0)
  return 0
}

const isRefused = (action: () => unknown): boolean => {
  try {
    action()
    return false
  } catch {
    return true
  }
}

/** The shortest of several readings: what the bytes cost, without the pauses of a busy machine. */
function costOf(read: () => unknown, first: number): number {
  let cost = first
  for (let again = 0; again < 9 && cost >= 1; again += 1) {
    const began = performance.now()
    isRefused(read)
    cost = Math.min(cost, performance.now() - began)
  }
  return cost
}

/** Reads spoiled bytes many times and answers how it went. */
function fuzz(seeds: readonly Uint8Array[], read: (bytes: Uint8Array) => unknown, seed: number) {
  const random = createRandom(seed)
  const before = heapUsed()
  const found = { accepted: 0, refused: 0, foreign: [] as string[], slowest: 0, overweight: 0, growth: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const bytes = spoil(seeds, random)
    const began = performance.now()
    let took: number
    try {
      const value = read(bytes)
      took = performance.now() - began
      found.accepted += 1
      if (placesOf(value, bytes) > bytes.length) found.overweight += 1
    } catch (error) {
      took = performance.now() - began
      if (error instanceof WireError) found.refused += 1
      else found.foreign.push(String(error))
    }
    found.slowest = Math.max(
      found.slowest,
      costOf(() => read(bytes), took),
    )
  }
  found.growth = heapUsed() - before
  if (isLong) console.log(JSON.stringify({ ...found, foreign: found.foreign.length, rounds }))
  return found
}

function expectHarmless(found: ReturnType<typeof fuzz>): void {
  expect(found.foreign).toEqual([])
  expect(found.refused).toBeGreaterThan(rounds / 10)
  expect(found.accepted).toBeGreaterThan(0)
  expect(found.overweight).toBe(0)
  expect(found.slowest).toBeLessThan(slowMs)
  expect(found.growth).toBeLessThan(heapLimit)
  expect(({} as { x?: unknown }).x).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
}

const sample = <T>(arbitrary: fc.Arbitrary<T>, encode: (value: T) => Uint8Array): Uint8Array[] =>
  fc.sample(arbitrary, { numRuns: 300, seed: 7 }).map(encode)

describe('spoiled bytes', { timeout }, () => {
  it('of frames are harmless', () => {
    const seeds = [...sample(arbitraryFrame, encodeFrame), ...sample(arbitraryUnknownFrame, encodeFrame)]
    expectHarmless(fuzz(seeds, decodeFrame, 1))
  })

  it('of envelopes are harmless', () => {
    expectHarmless(fuzz(sample(arbitraryEnvelope, encodeEnvelope), decodeEnvelope, 2))
  })

  it('of bodies are harmless', () => {
    expectHarmless(fuzz(sample(arbitraryBody, encodeBody), decodeBody, 3))
  })

  it('of vectors are harmless', () => {
    expectHarmless(fuzz(sample(arbitraryVector, encodeVector), decodeVector, 4))
  })
})

/** Pieces smaller than they are ever sent: what they mean does not depend on their size, and many more can be tried. */
const piecesOf = (size: number, each: number): Piece[] =>
  Array.from({ length: Math.ceil(size / each) }, (_, part) => {
    const bytes = new Uint8Array(Math.min(each, size - part * each)).fill(size)
    return { part, parts: Math.ceil(size / each), size, bytes }
  })

describe('interleaved pieces', { timeout }, () => {
  it('give the whole or a typed error, and never hold more than was sent', () => {
    const random = createRandom(5)
    const small = [20, 47, 90].map((length) => piecesOf(length, 10))
    const wholes = [...small, cutPieces(new Uint8Array(300_000).fill(4))]
    const all: readonly Piece[] = wholes.flat()
    const joiner = createJoiner()
    const before = heapUsed()
    const found = { wholes: 0, refused: 0, mixed: 0, tooMuch: 0, foreign: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const start = all[random(all.length)]!
      const spoiled =
        random(4) === 0 ? { ...start, size: random(2 ** 21), part: random(4), parts: 1 + random(6) } : start
      const pieces = random(3) === 0 ? wholes[random(20) === 0 ? 3 : random(3)]! : [spoiled]
      for (const piece of pieces) {
        try {
          const whole = joiner.add(piece)
          if (whole) found.wholes += 1
          // Pieces of two wholes never make one: every whole here has one value throughout.
          if (whole && whole[0] !== whole.at(-1)) found.mixed += 1
        } catch (error) {
          if (error instanceof WireError) found.refused += 1
          else found.foreign += 1
        }
        if (joiner.held() > 2 ** 20) found.tooMuch += 1
      }
    }
    const growth = heapUsed() - before
    if (isLong) console.log(JSON.stringify({ ...found, growth }))
    expect(found).toMatchObject({ mixed: 0, tooMuch: 0, foreign: 0 })
    expect(found.wholes).toBeGreaterThan(10)
    expect(found.refused).toBeGreaterThan(10)
    expect(growth).toBeLessThan(heapLimit)
  })
})
