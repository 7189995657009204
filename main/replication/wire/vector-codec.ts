// Vectors as bytes and as what they say to each other: who has what, and what is missing. Knows no store.
import type { Vector } from '../core/types.ts'
import type { Field } from './fields.ts'
import { maxSequence } from './limits.ts'
import * as encoding from 'lib0/encoding'
import { positive, uint32 } from './fields.ts'
import { StrictReader } from './strict-reader.ts'
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

/** What one vector is to another. */
export type VectorOrder = 'equal' | 'ahead' | 'behind' | 'concurrent'

/** Incarnations a vector may name. */
export const vectorLimit = 16_384

const sequence = positive(maxSequence)
/** Four bytes of the incarnation, one of the sequence number. */
const leastEntryBytes = 5

/** A vector as part of a frame: its length, then its entries by rising incarnation, so that one vector has one spelling. */
export const vectorField: Field<Vector> = {
  write(to, vector) {
    const entries = [...vector].filter(([, seq]) => seq !== 0).sort(([a], [b]) => a - b)
    if (entries.length > vectorLimit) throw new WireError('too_large', `A vector names ${entries.length} incarnations.`)
    encoding.writeVarUint(to, entries.length)
    for (const [inc, seq] of entries) {
      uint32.write(to, inc)
      sequence.write(to, seq)
    }
  },
  read(from) {
    const length = from.uint(vectorLimit)
    if (length * leastEntryBytes > from.left)
      throw new WireError('truncated', `${length} entries do not fit into what is left.`)
    const vector = new Map<number, number>()
    let last = -1
    for (let index = 0; index < length; index += 1) {
      const inc = uint32.read(from)
      if (inc <= last) throw new WireError('malformed', 'The incarnations of a vector do not rise.')
      vector.set(inc, sequence.read(from))
      last = inc
    }
    return vector
  },
}

/** The bytes of a vector, 5 to 11 for an incarnation. @throws WireError */
export function encodeVector(vector: Vector): Uint8Array {
  const encoder = encoding.createEncoder()
  vectorField.write(encoder, vector)
  return encoding.toUint8Array(encoder)
}

/** The vector that fills the bytes given. @throws WireError */
export function decodeVector(encoded: Uint8Array): Vector {
  const reader = new StrictReader(encoded)
  const vector = vectorField.read(reader)
  reader.end()
  return vector
}

/** What `mine` is to `theirs`: ahead when it has everything of theirs and more. */
export function compareVectors(mine: Vector, theirs: Vector): VectorOrder {
  const lack = hasMissing(mine, theirs)
  const extra = hasMissing(theirs, mine)
  if (lack && extra) return 'concurrent'
  if (lack) return 'behind'
  return extra ? 'ahead' : 'equal'
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

function hasMissing(mine: Vector, theirs: Vector): boolean {
  for (const [inc, seq] of theirs) if (seq > (mine.get(inc) ?? 0)) return true
  return false
}
