// Many new documents in one envelope: what a machine had before sync was turned on, or an import. Compressed, since records
// of an object repeat each other: a fifth of the bytes travel and lie in the log. Bytes only.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { EnvelopeBody } from '#main/replication/core/types.ts'
import { bodyLimit } from '#main/replication/wire/envelope-codec.ts'
import { targetOf } from '../refusals/refusal-doc.ts'

/** A new document and the update that makes it. */
export interface GenesisDoc {
  readonly name: string
  readonly author: string
  readonly update: Uint8Array
}

/** Bytes of documents a writer puts into one envelope, before they are compressed; one larger document stands alone. */
export const packBytes = 256 * 1024

/** Most documents of one envelope. */
const maxDocs = 4096

/** Most bytes of them before they are compressed; a text of a record fits in alone. */
const maxBytes = bodyLimit

/** Higher levels take twice the time for a tenth of the bytes. */
const level = 3

/**
 * Whether a document goes into an envelope behind others: a record stays with its texts within twice the bytes, because
 * whoever gets the texts alone cannot judge them.
 */
export function fitsBehind(
  last: string,
  bytes: number,
  { name, update }: Pick<GenesisDoc, 'name' | 'update'>,
): boolean {
  const all = bytes + update.length
  return all <= packBytes || (all <= 2 * packBytes && targetOf(last) === targetOf(name))
}

/** The names of the documents an envelope speaks of. @throws DocError */
export function docsOf({ kind, doc, update }: Pick<EnvelopeBody, 'kind' | 'doc' | 'update'>): string[] {
  return kind === 'genesis' ? unpackGenesis(update).map(({ name }) => name) : [doc]
}

/** Packs documents. @throws DocError `too_big` */
export function packGenesis(docs: readonly GenesisDoc[]): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, docs.length)
  for (const { name, author, update } of docs) {
    encoding.writeVarString(encoder, name)
    encoding.writeVarString(encoder, author)
    encoding.writeVarUint8Array(encoder, update)
  }
  const plain = encoding.toUint8Array(encoder)
  if (plain.length > maxBytes) throw new DocError('too_big', 'An envelope would bring too large documents.')
  const packed = encoding.createEncoder()
  encoding.writeVarUint(packed, plain.length)
  encoding.writeUint8Array(packed, deflateRawSync(plain, { level }))
  return encoding.toUint8Array(packed)
}

/** Unpacks what {@link packGenesis} made. @throws DocError `invalid` or `too_big` */
export function unpackGenesis(bytes: Uint8Array): GenesisDoc[] {
  try {
    const decoder = decoding.createDecoder(inflate(bytes))
    const count = decoding.readVarUint(decoder)
    if (count > maxDocs) throw new DocError('too_big', 'An envelope brings too many documents.')
    const docs: GenesisDoc[] = []
    for (let index = 0; index < count; index += 1) {
      const name = decoding.readVarString(decoder)
      const author = decoding.readVarString(decoder)
      docs.push({ name, author, update: decoding.readVarUint8Array(decoder) })
    }
    if (decoding.hasContent(decoder)) throw new DocError('invalid', 'An envelope does not end where its documents do.')
    return docs
  } catch (error) {
    if (error instanceof DocError) throw error
    throw new DocError('invalid', 'The documents of an envelope cannot be read.', error)
  }
}

/** What was compressed; never more than its beginning says, and that within bounds. */
function inflate(bytes: Uint8Array): Uint8Array {
  const decoder = decoding.createDecoder(bytes)
  const size = decoding.readVarUint(decoder)
  if (size > maxBytes) throw new DocError('too_big', 'An envelope brings too large documents.')
  const packed = decoding.readTailAsUint8Array(decoder)
  const plain = inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  if (plain.length !== size) throw new DocError('invalid', 'An envelope brings fewer documents than it says.')
  return plain
}
