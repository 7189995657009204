// What a document has and what another one lacks of it, as state vectors; and deletions by them. Knows no room.
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'

/** What a document has. */
export const vectorOf = (doc: Y.Doc): Uint8Array => Y.encodeStateVector(doc)

/**
 * What a state vector lacks of a document; null for no letters.
 * @throws Error for bytes that are no state vector
 */
export function missingFor(doc: Y.Doc, vector: Uint8Array): Uint8Array | null {
  const known = Y.decodeStateVector(vector)
  const lacks = [...Y.decodeStateVector(Y.encodeStateVector(doc))].some(([id, clock]) => clock > (known.get(id) ?? 0))
  return lacks ? Y.encodeStateAsUpdate(doc, vector) : null
}

/** An update that takes out letters of a client, wherever they are in the text. */
export function deletionOf(clientId: number, clock: number, length: number): Uint8Array {
  const encoder = encoding.createEncoder()
  // No letters; one range of one client is deleted.
  for (const number of [0, 1, clientId, 1, clock, length]) encoding.writeVarUint(encoder, number)
  return encoding.toUint8Array(encoder)
}
