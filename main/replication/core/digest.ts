// The digest of a whole workspace: 1,024 buckets, each the XOR of the hashes of its documents. Two machines compare 8 KB
// and then the documents of the buckets that differ. Knows names and hashes, no document.
import { hash as digestOf } from 'node:crypto'
import { compareBytes } from './canonical-cbor.ts'
import { HASH_BYTES } from './logical-hash.ts'
import type { BucketEntry } from './types.ts'

/** How many buckets a digest has. */
export const BUCKETS = 1024

/** How the same bucket of two machines differs, as hashes of names. */
export interface BucketDifference {
  readonly different: readonly Uint8Array[]
  readonly onlyMine: readonly Uint8Array[]
  readonly onlyTheirs: readonly Uint8Array[]
}

/** A digest that follows changes one by one. */
export interface Digest {
  /** Counts a document of a bucket in, or takes out one that was counted in with the same hash: XOR is its own inverse. */
  toggle(bucket: number, hash: Uint8Array): void
  /** A copy of the buckets: 1,024 times eight bytes. */
  bytes(): Uint8Array
}

/**
 * Makes a digest.
 * @param start what `bytes()` gave before
 * @throws RangeError when `start` has another length
 * @source sync.md section 6 and 11, DIGEST
 */
export function createDigest(start?: Uint8Array): Digest {
  const buckets = start === undefined ? new Uint8Array(BUCKETS * HASH_BYTES) : start.slice()
  if (buckets.length !== BUCKETS * HASH_BYTES) throw new RangeError('A digest has 8,192 bytes.')
  return {
    toggle(bucket, hash) {
      const at = bucket * HASH_BYTES
      for (let i = 0; i < HASH_BYTES; i++) buckets[at + i]! ^= hash[i]!
    },
    bytes: () => buckets.slice(),
  }
}

/** The bucket of a document, 0 to 1,023, by its name. */
export function bucketOf(name: string): number {
  const [high = 0, low = 0] = sha256(name)
  return ((high << 8) | low) % BUCKETS
}

/** The hash of a document's name in the listing of a bucket. */
export function nameHash(name: string): Uint8Array {
  return new Uint8Array(sha256(name).subarray(0, HASH_BYTES))
}

/**
 * The buckets in which two digests differ.
 * @throws RangeError when one of them is no digest
 */
export function compareDigests(mine: Uint8Array, theirs: Uint8Array): readonly number[] {
  const length = BUCKETS * HASH_BYTES
  if (mine.length !== length || theirs.length !== length) throw new RangeError('A digest has 8,192 bytes.')
  const different: number[] = []
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const at = bucket * HASH_BYTES
    if (compareBytes(mine.subarray(at, at + HASH_BYTES), theirs.subarray(at, at + HASH_BYTES)) !== 0) {
      different.push(bucket)
    }
  }
  return different
}

/** The documents of one bucket, ordered by the hash of their names. */
export function listBucket(documents: Iterable<readonly [name: string, hash: Uint8Array]>): readonly BucketEntry[] {
  return [...documents]
    .map(([name, hash]): BucketEntry => ({ name: nameHash(name), hash }))
    .toSorted((a, b) => compareBytes(a.name, b.name))
}

/** Where two listings of the same bucket differ. */
export function compareBuckets(mine: readonly BucketEntry[], theirs: readonly BucketEntry[]): BucketDifference {
  const others = new Map(theirs.map((entry) => [hex(entry.name), entry]))
  const different: Uint8Array[] = []
  const onlyMine: Uint8Array[] = []
  for (const { name, hash } of mine) {
    const other = others.get(hex(name))
    if (other === undefined) onlyMine.push(name)
    else if (compareBytes(hash, other.hash) !== 0) different.push(name)
    others.delete(hex(name))
  }
  return { different, onlyMine, onlyTheirs: [...others.values()].map(({ name }) => name) }
}

let lastName = ''
let lastHash: Uint8Array | undefined

/** What the name of a document comes to; storing one document asks for it several times in a row. */
function sha256(name: string): Uint8Array {
  if (lastHash === undefined || name !== lastName) {
    lastHash = digestOf('sha256', name, 'buffer')
    lastName = name
  }
  return lastHash
}

function hex(bytes: Uint8Array): string {
  return bytes.reduce((text, byte) => text + byte.toString(16).padStart(2, '0'), '')
}
