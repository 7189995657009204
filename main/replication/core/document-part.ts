// What a peer lacks of a document, cut to a size: a part builds only on what the peer has, so that it can be merged before
// the next one is asked for. Knows structs of Yjs, nothing of what they mean.
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'

/** What a peer lacks, or the beginning of it. */
export interface DocumentPart {
  readonly update: Uint8Array
  /** False: there is more, to be asked for with the state that merging this one makes. */
  readonly isLast: boolean
}

type Struct = Y.Item | Y.GC

/** What is written of one client so far. */
interface Written {
  readonly from: number
  count: number
  readonly encoder: Y.UpdateEncoderV1
}

/**
 * The update a document has beyond a state vector, or of a larger one a part of at most about `maxBytes`. What was removed
 * comes with the last part, which may be larger by the list of it.
 */
export function encodePart(doc: Y.Doc, stateVector: Uint8Array, maxBytes: number): DocumentPart {
  const whole = Y.encodeStateAsUpdate(doc, stateVector)
  if (whole.length <= maxBytes) return { update: whole, isLast: true }
  const part = collect(doc, Y.decodeStateVector(stateVector), maxBytes)
  return part === null ? { update: whole, isLast: true } : { update: encode(part), isLast: false }
}

/** The first structs in an order in which each follows what it builds on; null when all of them fit. */
function collect(doc: Y.Doc, known: ReadonlyMap<number, number>, maxBytes: number): Map<number, Written> | null {
  const have = new Map(known)
  const written = new Map<number, Written>()
  let bytes = 0
  const clockOf = (client: number): number => have.get(client) ?? 0
  const nextOf = (client: number): Struct | undefined => {
    const structs = doc.store.clients.get(client) ?? []
    const clock = clockOf(client)
    return clock < Y.getState(doc.store, client) ? structs[Y.findIndexSS(structs, clock)] : undefined
  }

  /** Writes a struct from where the peer stands; answers whether there is room for more. */
  const take = (client: number, struct: Struct): boolean => {
    const from = clockOf(client)
    const offset = from - struct.id.clock
    const size = sizeOf(struct, offset)
    if (bytes + size > maxBytes && bytes > 0) return false
    const taken = bytes + size > maxBytes ? beginningOf(struct, offset, maxBytes) : { struct, offset }
    const place = written.get(client) ?? { from, count: 0, encoder: new Y.UpdateEncoderV1() }
    written.set(client, place)
    taken.struct.write(place.encoder, taken.offset)
    place.count += 1
    bytes += size
    have.set(client, taken.struct.id.clock + taken.struct.length)
    return bytes < maxBytes
  }

  for (const client of [...doc.store.clients.keys()].sort((a, b) => b - a)) {
    // Clients whose structs those above them wait for.
    const waiting = [client]
    while (waiting.length > 0) {
      const current = waiting.at(-1)!
      const struct = nextOf(current)
      const missing = struct === undefined ? undefined : missingOf(struct, clockOf)
      if (struct === undefined) waiting.pop()
      else if (missing !== undefined) waiting.push(missing)
      else {
        if (!take(current, struct)) return written
        // Back to who waits: one struct may be all it needs.
        if (waiting.length > 1) waiting.pop()
      }
    }
  }
  return null
}

/** A client whose structs have to come before; undefined when nothing is missing. */
function missingOf(struct: Struct, clockOf: (client: number) => number): number | undefined {
  if (!(struct instanceof Y.Item)) return undefined
  const parent = struct.parent instanceof Y.AbstractType ? (struct.parent._item?.id ?? null) : null
  const needed = [struct.origin, struct.rightOrigin, parent]
  return needed.find((id) => id !== null && id.client !== struct.id.client && id.clock >= clockOf(id.client))?.client
}

function sizeOf(struct: Struct, offset: number): number {
  const encoder = new Y.UpdateEncoderV1()
  struct.write(encoder, offset)
  return encoding.length(encoder.restEncoder)
}

/** As much of a struct as fits; one value that does not is taken whole. */
function beginningOf(struct: Struct, offset: number, maxBytes: number): { struct: Struct; offset: number } {
  if (!(struct instanceof Y.Item)) return { struct, offset }
  const { id, origin, rightOrigin, parent, parentSub } = struct
  const at = Y.createID(id.client, id.clock + offset)
  const left = offset > 0 ? Y.createID(id.client, at.clock - 1) : origin
  for (let length = struct.length - offset; ; length = Math.ceil(length / 2)) {
    const content = offset > 0 ? struct.content.copy().splice(offset) : struct.content.copy()
    const end = wholeCharacters(content, length)
    if (end < content.getLength()) content.splice(end)
    const cut = new Y.Item(at, null, left, null, rightOrigin, parent, parentSub, content)
    if (length === 1 || sizeOf(cut, 0) <= maxBytes) return { struct: cut, offset: 0 }
  }
}

/** Yjs would replace both halves of a character that is cut in two. */
function wholeCharacters(content: Y.Item['content'], length: number): number {
  if (!(content instanceof Y.ContentString)) return length
  const last = content.str.charCodeAt(length - 1)
  return last >= 0xd800 && last <= 0xdbff && length < content.str.length ? length + 1 : length
}

function encode(written: ReadonlyMap<number, Written>): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, written.size)
  for (const [client, { from, count, encoder: structs }] of [...written].sort(([a], [b]) => b - a)) {
    encoding.writeVarUint(encoder, count)
    encoding.writeVarUint(encoder, client)
    encoding.writeVarUint(encoder, from)
    encoding.writeUint8Array(encoder, encoding.toUint8Array(structs.restEncoder))
  }
  // Nothing is removed by a part.
  encoding.writeVarUint(encoder, 0)
  return encoding.toUint8Array(encoder)
}
