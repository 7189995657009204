// Envelopes that wait for the head that vouches for them, as frames bring them. Knows the bounds of a run, no store.
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import { decodeEnvelope, envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { FrameOf } from '#main/replication/wire/frames.ts'
import { envelopeLimit, runLimitBytes, runLimitCount } from '#main/replication/wire/limits.ts'
import { createJoiner } from '#main/replication/wire/pieces.ts'

/** Envelopes and the head at their end. */
export interface HeadedRun {
  readonly envelopes: readonly SealedEnvelope[]
  readonly head: Head
  readonly bytes: number
}

/** What a frame came to. */
export type Gathered =
  | { readonly ok: true; readonly run?: HeadedRun }
  | { readonly ok: false; readonly code: 'empty' | 'mixed' | 'head_missing' }

/** More than a run may have, and one envelope that stands alone. */
const heldLimit = runLimitBytes + envelopeLimit

/** Makes an empty one. What breaks a bound is given up, so that memory is bounded whatever comes. */
export function createOpenRuns() {
  const joiner = createJoiner()
  const open = new Map<number, SealedEnvelope[]>()
  let bytes = 0
  let count = 0

  const add = (envelopes: readonly SealedEnvelope[], head: Head | undefined): Gathered => {
    const inc = envelopes[0]?.inc ?? head?.inc
    if (inc === undefined) return { ok: false, code: 'empty' }
    if (envelopes.some((one) => one.inc !== inc) || (head !== undefined && head.inc !== inc))
      return { ok: false, code: 'mixed' }
    const before = open.get(inc) ?? []
    if (head !== undefined) {
      open.delete(inc)
      const size = sizeOf(before)
      bytes -= size
      count -= before.length
      return {
        ok: true,
        run: { envelopes: [...before, ...envelopes], head: copyOf(head), bytes: size + sizeOf(envelopes) },
      }
    }
    // Copies: a view would keep the whole message, and as much memory as the network gave it.
    open.set(inc, [...before, ...envelopes.map((one) => ({ ...one, body: new Uint8Array(one.body) }))])
    bytes += sizeOf(envelopes)
    count += envelopes.length
    if (bytes <= heldLimit && count <= runLimitCount) return { ok: true }
    open.clear()
    bytes = 0
    count = 0
    return { ok: false, code: 'head_missing' }
  }

  return {
    add: ({ envelopes, head }: FrameOf<'ENV'>): Gathered => add(envelopes, head),
    /** Joins the pieces of an envelope. @throws WireError */
    addPart(frame: FrameOf<'ENVPART'>): Gathered {
      const whole = joiner.add(frame)
      return whole ? add([decodeEnvelope(whole)], undefined) : { ok: true }
    },
  }
}

function sizeOf(envelopes: readonly SealedEnvelope[]): number {
  return envelopes.reduce((sum, envelope) => sum + envelopeSize(envelope), 0)
}

function copyOf({ inc, seq, hash, sig }: Head): Head {
  return { inc, seq, hash: new Uint8Array(hash), sig: new Uint8Array(sig) }
}
