// Looks at an update before anything is done with it: its size, its form and what it holds. Integrates nothing.
import type * as decoding from 'lib0/decoding'
import * as Y from 'yjs'
import { DocError } from './doc-error.ts'
import { MAX_VALUE_DEPTH } from './json-value.ts'

/** What an update may hold. */
export interface UpdateLimits {
  readonly bytes: number
  /** How many structs, how many values in them and how many removed ranges, each on its own. */
  readonly structs: number
}

/** What an envelope's update may hold. @source sync.md section 10 */
export const UPDATE_LIMITS: UpdateLimits = { bytes: 6 * 1024 * 1024, structs: 20_000 }

/** An update in its parts. */
export type DecodedUpdate = ReturnType<typeof Y.decodeUpdate>

/** Decoding is synchronous, so that one budget and one decoder are enough; the decoder's class leaves no other way in. */
const reading: { structsLeft: number; decoder: decoding.Decoder | null } = { structsLeft: 0, decoder: null }

/** Counts structs while it reads them, so that a few bytes cannot ask for millions of objects. */
class CountingDecoder extends Y.UpdateDecoderV1 {
  constructor(decoder: decoding.Decoder) {
    super(decoder)
    reading.decoder = decoder
  }

  override readInfo(): number {
    if (--reading.structsLeft < 0) throw new DocError('too_big', 'The update has too many structs.')
    return super.readInfo()
  }
}

/**
 * Decodes an update and refuses what no version of the program writes: bytes that do not parse to their end, structs
 * without length or beyond exact numbers, documents within documents, values nested too deeply.
 * @throws DocError `too_big` or `invalid`
 */
export function inspectUpdate(update: Uint8Array, limits: UpdateLimits = UPDATE_LIMITS): DecodedUpdate {
  if (update.length > limits.bytes) throw new DocError('too_big', 'The update has too many bytes.')
  const decoded = decode(update, limits)
  checkCounts(decoded, limits)
  for (const struct of decoded.structs) {
    if (struct.length < 1 || !Number.isSafeInteger(struct.id.clock + struct.length)) {
      throw new DocError('invalid', 'The update has a struct of impossible length.')
    }
    if (struct instanceof Y.Item) checkContent(struct.content)
  }
  return decoded
}

/** The parts of a stored document. @throws DocError `damaged_state` */
export function decodeState(state: Uint8Array): DecodedUpdate {
  try {
    return Y.decodeUpdate(state)
  } catch (error) {
    throw new DocError('damaged_state', 'The stored document cannot be loaded.', error)
  }
}

function decode(update: Uint8Array, limits: UpdateLimits): DecodedUpdate {
  reading.structsLeft = limits.structs
  let decoded: DecodedUpdate
  try {
    decoded = Y.decodeUpdateV2(update, CountingDecoder)
  } catch (error) {
    if (error instanceof DocError) throw error
    throw new DocError('invalid', 'The update cannot be decoded.', error)
  }
  if (reading.decoder?.pos !== update.length)
    throw new DocError('invalid', 'The update does not end where its bytes do.')
  return decoded
}

/** Each removed range may split a list of values, which costs as much as the list is long. */
function checkCounts({ structs, ds }: DecodedUpdate, limits: UpdateLimits): void {
  let values = 0
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue
    const { content } = struct
    if (content instanceof Y.ContentAny || content instanceof Y.ContentJSON) values += content.arr.length
  }
  const ranges = [...ds.clients.values()].reduce((count, ofClient) => count + ofClient.length, 0)
  if (values > limits.structs) throw new DocError('too_big', 'The update has too many values.')
  if (ranges > limits.structs) throw new DocError('too_big', 'The update removes too many ranges.')
}

function checkContent(content: Y.Item['content']): void {
  if (content instanceof Y.ContentDoc || content instanceof Y.ContentType) {
    throw new DocError('invalid', 'The update holds a document or a type inside of a document.')
  }
  if (content instanceof Y.ContentAny || content instanceof Y.ContentJSON) checkDepth(content.arr, MAX_VALUE_DEPTH + 1)
  else if (content instanceof Y.ContentEmbed) checkDepth(content.embed, MAX_VALUE_DEPTH)
  else if (content instanceof Y.ContentFormat) checkDepth(content.value, MAX_VALUE_DEPTH)
}

/** An array or object is one level; the list of values of a struct is none. */
function checkDepth(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (levels === 0) throw new DocError('too_big', 'The update holds a value that is nested too deeply.')
  for (const item of Object.values(value)) checkDepth(item, levels - 1)
}
