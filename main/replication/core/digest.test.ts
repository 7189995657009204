import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUCKETS, bucketOf, compareBuckets, compareDigests, createDigest, listBucket, nameHash } from './digest.ts'

const hash = (n: number): Uint8Array => new Uint8Array([n & 255, n >> 8, 3, 4, 5, 6, 7, 8])
const name = (n: number): string => `r/o/${n}`

describe('a digest', () => {
  it('depends on what is in it and not on how it came in', () => {
    const change = fc.record({ doc: fc.nat({ max: 30 }), hash: fc.nat({ max: 9 }), remove: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const held = new Map<string, Uint8Array>()
        const digest = createDigest()
        for (const each of changes) {
          const before = held.get(name(each.doc))
          if (before === undefined) {
            digest.toggle(bucketOf(name(each.doc)), hash(each.hash))
            held.set(name(each.doc), hash(each.hash))
          } else if (each.remove) {
            digest.toggle(bucketOf(name(each.doc)), before)
            held.delete(name(each.doc))
          } else {
            digest.toggle(bucketOf(name(each.doc)), before)
            digest.toggle(bucketOf(name(each.doc)), hash(each.hash))
            held.set(name(each.doc), hash(each.hash))
          }
        }
        const fresh = createDigest()
        for (const [doc, value] of held) fresh.toggle(bucketOf(doc), value)
        expect(digest.bytes()).toEqual(fresh.bytes())
        expect(createDigest(digest.bytes()).bytes()).toEqual(digest.bytes())
      }),
    )
  })

  it('has 8 KB and differs in the bucket of the document that differs', () => {
    const [mine, theirs] = [createDigest(), createDigest()]
    for (let n = 0; n < 500; n++) for (const digest of [mine, theirs]) digest.toggle(bucketOf(name(n)), hash(n))
    expect(mine.bytes()).toHaveLength(8192)
    expect(compareDigests(mine.bytes(), theirs.bytes())).toEqual([])
    for (const each of [hash(7), hash(8)]) theirs.toggle(bucketOf(name(7)), each)
    expect(compareDigests(mine.bytes(), theirs.bytes())).toEqual([bucketOf(name(7))])
  })

  it('spreads documents over all buckets', () => {
    const buckets = new Set(Array.from({ length: 20_000 }, (_, n) => bucketOf(name(n))))
    expect(buckets.size).toBe(BUCKETS)
    expect(Math.max(...buckets)).toBe(BUCKETS - 1)
  })

  it('is not made from or compared with other bytes', () => {
    expect(() => createDigest(new Uint8Array(8))).toThrow(RangeError)
    expect(() => compareDigests(createDigest().bytes(), new Uint8Array(8191))).toThrow(RangeError)
  })

  it('cannot be changed through what it gave out', () => {
    const digest = createDigest()
    digest.bytes().fill(255)
    expect(digest.bytes().every((byte) => byte === 0)).toBe(true)
  })
})

describe('a bucket', () => {
  it('is listed in the order of the hashes of names', () => {
    const documents = [1, 2, 3, 4].map((n) => [name(n), hash(n)] as const)
    const listing = listBucket(documents)
    expect(listBucket(documents.toReversed())).toEqual(listing)
    expect(listing.map((entry) => Buffer.from(entry.name).toString('hex'))).toEqual(
      documents.map(([doc]) => Buffer.from(nameHash(doc)).toString('hex')).toSorted(),
    )
  })

  it('is compared document by document', () => {
    const mine = listBucket([1, 2, 3].map((n) => [name(n), hash(n)] as const))
    const theirs = listBucket([2, 3, 4].map((n) => [name(n), hash(n === 3 ? 99 : n)] as const))
    expect(compareBuckets(mine, theirs)).toEqual({
      different: [nameHash(name(3))],
      onlyMine: [nameHash(name(1))],
      onlyTheirs: [nameHash(name(4))],
    })
  })
})
