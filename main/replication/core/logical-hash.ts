// Eight bytes that say what is in a document. Documents with equal contents have equal hashes, whatever their bytes are.
// Knows which root each kind of document has.
import type * as Y from 'yjs'
import { canonicalCbor, compareBytes, hashCanonical } from './canonical-cbor.ts'
import { liveEntries } from './register.ts'
import { readText } from './text-doc.ts'

/** Length of a hash. */
export const HASH_BYTES = 8

/**
 * The hash of a document's content under its name: the first eight bytes of SHA-256 over canonical CBOR. All live
 * entries of a register are in it with their stamps, so winners, losers and the delete flag are; entries this version
 * cannot read are in it too, so that machines of different versions agree.
 * @param name part of the hash, so that two documents cannot swap their contents unnoticed
 * @source sync.md section 6, `lhash`
 */
export function logicalHash(name: string, doc: Y.Doc): Uint8Array {
  if (name.startsWith('t/')) return hashText(name, readText(doc))
  return hashEntries(name, liveEntries(doc))
}

/** The hash of a long text where there is no document. */
export function hashText(name: string, text: string): Uint8Array {
  return hashOf([name, text])
}

/** The hash of a register's or a feed's entries where there is no document: what {@link logicalHash} gives for one. */
export function hashEntries(name: string, entries: readonly unknown[]): Uint8Array {
  return hashOf([name, ...entries.toSorted(compareEntries)])
}

/** By key, and by all bytes only among entries of one key, since most keys have one. */
function compareEntries(a: unknown, b: unknown): number {
  const [left, right] = [keyOf(a), keyOf(b)]
  if (left !== right) return left < right ? -1 : 1
  return compareBytes(canonicalCbor(a), canonicalCbor(b))
}

function keyOf(entry: unknown): string {
  const key: unknown = Array.isArray(entry) ? entry[0] : undefined
  return typeof key === 'string' ? key : ''
}

function hashOf(content: unknown): Uint8Array {
  return new Uint8Array(hashCanonical(content).subarray(0, HASH_BYTES))
}
