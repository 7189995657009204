// Vectors as bytes and as what they say to each other: who has what, and what is missing. Knows no store.
import { z } from 'zod'
import type { Vector } from '../core/types.ts'
import { decodeBy, encodeBy, readCbor } from './cbor.ts'
import { maxSequence } from './limits.ts'
import { WireError } from './wire-error.ts'

/** Envelopes `from` to `to` of an incarnation, both included. */
export interface SequenceRange {
  readonly inc: number
  readonly from: number
  readonly to: number
}

/** One envelope by its place. */
export interface Position {
  readonly inc: number
  readonly seq: number
}

/** Incarnations a vector may name. */
export const vectorLimit = 16_384

/** A vector within a frame: incarnations, each before its sequence number, rising, so that one vector has one spelling. */
export const vectorSchema = z.codec(
  z.custom<readonly unknown[]>((value) => Array.isArray(value)),
  z.custom<Vector>((value) => value instanceof Map),
  { encode: listOf, decode: vectorOf },
)

/** The bytes of a vector alone, up to 14 for an incarnation. @throws WireError */
export function encodeVector(vector: Vector): Uint8Array {
  return encodeBy(vectorSchema, vector)
}

/** The vector that fills the bytes given. @throws WireError */
export function decodeVector(encoded: Uint8Array): Vector {
  return decodeBy(vectorSchema, readCbor(encoded))
}

function listOf(vector: Vector): readonly number[] {
  const entries = [...vector].filter(([, seq]) => seq !== 0).sort(([a], [b]) => a - b)
  const list = entries.flat()
  checkList(list)
  return list
}

function vectorOf(list: readonly unknown[]): Vector {
  checkList(list)
  const vector = new Map<number, number>()
  for (let index = 0; index < list.length; index += 2) vector.set(list[index]!, list[index + 1]!)
  return vector
}

function checkList(list: readonly unknown[]): asserts list is readonly number[] {
  if (list.length > 2 * vectorLimit) throw new WireError('too_large', `A vector names ${list.length / 2} incarnations.`)
  let least = 0
  for (let index = 0; index < list.length; index += 2) {
    const inc = list[index]
    if (!isWithin(inc, least, 0xff_ff_ff_ff) || !isWithin(list[index + 1], 1, maxSequence))
      throw new WireError('malformed', 'The incarnations of a vector do not rise, or a number is out of its range.')
    least = inc + 1
  }
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high
}

/** Whether they have something that I lack. */
export function lacks(mine: Vector, theirs: Vector): boolean {
  for (const [inc, seq] of theirs) if (seq > (mine.get(inc) ?? 0)) return true
  return false
}

/** Whether both have the same. */
export function sameVector(one: Vector, other: Vector): boolean {
  return !lacks(one, other) && !lacks(other, one)
}

/** What they have and I lack, by rising incarnation. */
export function missingRanges(mine: Vector, theirs: Vector): SequenceRange[] {
  const ranges: SequenceRange[] = []
  for (const [inc, to] of theirs) {
    const have = mine.get(inc) ?? 0
    if (to > have) ranges.push({ inc, from: have + 1, to })
  }
  return ranges.sort((a, b) => a.inc - b.inc)
}

/** How many envelopes they have and I lack. */
export function countMissing(mine: Vector, theirs: Vector): number {
  let missing = 0
  for (const [inc, seq] of theirs) missing += Math.max(0, seq - (mine.get(inc) ?? 0))
  return missing
}

/** What at least one of the two has. */
export function mergeVectors(one: Vector, other: Vector): Vector {
  const merged = new Map(one)
  for (const [inc, seq] of other) if (seq > (merged.get(inc) ?? 0)) merged.set(inc, seq)
  return merged
}

/** Whether a vector has an envelope and all before it. */
export function covers(vector: Vector, position: Position): boolean {
  return (vector.get(position.inc) ?? 0) >= position.seq
}
