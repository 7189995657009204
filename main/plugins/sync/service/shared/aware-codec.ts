// What rooms of one text tell each other between machines, as bytes of an AWARE frame: that somebody is there, what the
// room has, where cursors are. Read without trust; knows no room and no link.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { AwarenessEntry } from '../text/frames.ts'
import { awarenessLimit } from '#main/replication/wire/limits.ts'

/** What one machine says of its room. */
export interface AwareWord {
  /** False: nobody is there any more. */
  readonly isOpen: boolean
  /** The epoch of the room: another one is another room, which has nothing of the one before but what was stored. */
  readonly epoch: number
  /** What the room has, as a Yjs state vector, to be given what it lacks; left out where nothing is asked. */
  readonly vector?: Uint8Array
  readonly cursors: readonly AwarenessEntry[]
}

/** Cursors one word may have. */
const maxCursors = 64

/** Characters of the name and of the id of a person. */
const maxName = 100

const flags = { open: 1, vector: 2 } as const

/**
 * A word as bytes. What does not fit is left out: the last cursors first, then the vector.
 * @param limit bytes it may have
 */
export function encodeAware(word: AwareWord, limit: number = awarenessLimit): Uint8Array {
  const { isOpen, epoch, vector, cursors } = word
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, (isOpen ? flags.open : 0) | (vector === undefined ? 0 : flags.vector))
  encoding.writeVarUint(encoder, epoch)
  if (vector !== undefined) encoding.writeVarUint8Array(encoder, vector)
  encoding.writeVarUint(encoder, Math.min(cursors.length, maxCursors))
  for (const { clientId, clock, state } of cursors.slice(0, maxCursors)) {
    encoding.writeVarUint(encoder, clientId)
    encoding.writeVarUint(encoder, clock)
    encoding.writeVarString(encoder, JSON.stringify(state))
  }
  const bytes = encoding.toUint8Array(encoder)
  if (bytes.byteLength <= limit) return bytes
  if (vector !== undefined && cursors.length === 0) return encodeAware({ isOpen, epoch, cursors }, limit)
  return encodeAware({ ...word, cursors: cursors.slice(0, -1) }, limit)
}

/** Reads a word; null for what is none. */
export function decodeAware(bytes: Uint8Array): AwareWord | null {
  try {
    const decoder = decoding.createDecoder(bytes)
    const bits = decoding.readVarUint(decoder)
    const epoch = decoding.readVarUint(decoder)
    const vector = (bits & flags.vector) === 0 ? undefined : decoding.readVarUint8Array(decoder).slice()
    const count = decoding.readVarUint(decoder)
    if (count > maxCursors) return null
    const cursors = Array.from({ length: count }, () => {
      const clientId = decoding.readVarUint(decoder)
      const clock = decoding.readVarUint(decoder)
      return { clientId, clock, state: stateOf(JSON.parse(decoding.readVarString(decoder))) }
    })
    if (decoding.hasContent(decoder)) return null
    return { isOpen: (bits & flags.open) !== 0, epoch, cursors, ...(vector === undefined ? {} : { vector }) }
  } catch {
    return null
  }
}

/** What is shown of somebody: a cursor, a name. Everything else that was said is left out. */
function stateOf(given: unknown): AwarenessEntry['state'] {
  if (typeof given !== 'object' || given === null) return null
  const { cursor, user } = given as { cursor?: unknown; user?: { id?: unknown; name?: unknown } }
  const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxName) : '')
  const isPlace = typeof cursor === 'object' && cursor !== null
  return { cursor: isPlace ? cursor : null, user: { id: text(user?.id), name: text(user?.name) } }
}
