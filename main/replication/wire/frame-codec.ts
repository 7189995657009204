// Frames as bytes: one message of the socket is one frame, a map in canonical CBOR with the name of its kind. Knows no
// socket and no order of frames.
import type { z } from 'zod'
import { decodeBy, encodeBy, readCbor } from './cbor.ts'
import type { Frame } from './frames.ts'
import { frameSchemas } from './frames.ts'
import { WireError } from './wire-error.ts'

const schemas: ReadonlyMap<unknown, z.ZodType<Frame>> = new Map(Object.entries(frameSchemas))

/** The byte that opened the greeting of protocol 1, whose frames had layouts of their own. */
const formerGreeting = 1

/** The bytes of a frame. @throws WireError when it is too large or holds what its reader would refuse */
export function encodeFrame(frame: Frame): Uint8Array {
  if (frame.kind === 'unknown') return frame.bytes
  return encodeBy(frameSchemas[frame.kind], frame)
}

/**
 * Reads one frame that fills the bytes given. Bytes within it are views on them: copy what is kept longer.
 * A kind this version does not know is an answer and no error.
 * @throws WireError `unsupported` for the greeting of protocol 1
 */
export function decodeFrame(encoded: Uint8Array): Frame {
  if (encoded[0] === formerGreeting && encoded.length > 1)
    throw new WireError('unsupported', 'The other side speaks protocol 1.')
  const value = readCbor(encoded)
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
  const schema = schemas.get(kind)
  if (schema !== undefined) return decodeBy(schema, value)
  if (typeof kind !== 'string') throw new WireError('malformed', 'A frame is no map with the name of its kind.')
  return { kind: 'unknown', bytes: encoded }
}
