// Cuts what is larger than a frame into pieces and joins them again: one whole at a time, and never more memory than its
// pieces have brought. Knows no socket; whose pieces they are is the business of the frame around them.
import { wholeLimit } from './frames.ts'
import type { Piece } from './frames.ts'
import { frameLimit } from './limits.ts'
import { WireError } from './wire-error.ts'

/** Bytes of one piece: a frame less the longest name of a document and the numbers around it. */
export const pieceBytes = frameLimit - 2048

/** The pieces of a whole, at least one. The bytes are views. @throws WireError when it is above 1 MiB */
export function cutPieces(whole: Uint8Array): Piece[] {
  const size = whole.length
  if (size > wholeLimit) throw new WireError('too_large', `A whole of ${size} bytes cannot be sent.`)
  const parts = Math.max(1, Math.ceil(size / pieceBytes))
  return Array.from({ length: parts }, (_, part) => ({
    part,
    parts,
    size,
    bytes: whole.subarray(part * pieceBytes, (part + 1) * pieceBytes),
  }))
}

/** Joins pieces that come in their order. */
export interface Joiner {
  /**
   * Takes the next piece and answers the whole with the last one.
   * @throws WireError when the piece is not the next one; the whole it belongs to is given up
   */
  add(piece: Piece): Uint8Array | undefined
  /** Whether a whole has begun and is not complete. */
  isOpen(): boolean
  /** Bytes kept at present. */
  held(): number
}

/** Makes a joiner. One connection needs one for each kind of frame that comes in pieces. */
export function createJoiner(): Joiner {
  let open: { readonly parts: number; readonly size: number; readonly bytes: Uint8Array[]; held: number } | undefined

  const refuse = (message: string): never => {
    open = undefined
    throw new WireError('malformed', message)
  }

  return {
    add({ part, parts, size, bytes }) {
      if (size > wholeLimit) {
        open = undefined
        throw new WireError('too_large', `A whole of ${size} bytes is announced.`)
      }
      if (open === undefined) {
        if (part !== 0) return refuse('A piece comes without the first one.')
        open = { parts, size, bytes: [], held: 0 }
      } else if (part !== open.bytes.length || parts !== open.parts || size !== open.size)
        return refuse('A piece is not the next one of the whole that is open.')
      if (open.held + bytes.length > size) return refuse('The pieces make more than was announced.')
      // Empty pieces would cost a place in the list each and bring nothing.
      if (bytes.length === 0 && size > 0) return refuse('A piece is empty.')
      // A copy: a view would keep the whole frame.
      open.bytes.push(bytes.slice())
      open.held += bytes.length
      if (open.bytes.length < parts) return undefined
      if (open.held !== size) return refuse('The pieces make less than was announced.')
      const whole = new Uint8Array(Buffer.concat(open.bytes))
      open = undefined
      return whole
    },
    isOpen: () => open !== undefined,
    held: () => open?.held ?? 0,
  }
}
