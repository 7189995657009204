// Which bytes of their pages commits have changed, told by the images these pages had before. Knows no file and no log.
import type { PageSet } from './frames.ts'

/** Bytes that count as changed together. Page sizes are multiples of it. */
export const blockBytes = 64
/** Runs that are no further apart are passed on as one: writing two costs a follower more than the blocks between. */
const gapBlocks = 4
/** Above this share of its blocks a page is passed on whole. */
const wholeFrom = 0.75
/** Of images that are remembered; a page whose image is not counts as changed whole. */
const mostBytes = 64 * 1024 * 1024

/** A page after commits. */
export interface PageChange {
  /** As it is remembered: what is committed later changes it. */
  readonly image: Buffer
  /** One byte for each block, 1 where a commit changed it, also where a later one changed it back; null: the whole page. */
  readonly blocks: Uint8Array | null
}

/** What commits have changed. */
export interface ChangeSet {
  /** Bytes of a page. */
  readonly pageSize: number
  /** Pages of the database after them. */
  readonly size: number
  /** By their number from 1; none behind the end of the database. */
  readonly pages: ReadonlyMap<number, PageChange>
}

/** Remembers the images of one database. */
export interface PageChanges {
  /** What pages that were committed after all earlier ones have changed; to be joined with what is not passed on yet. */
  of(pages: PageSet): ChangeSet
}

/** Makes it; what it is asked first counts as changed whole. @param limit bytes of images that are remembered */
export function createPageChanges(limit = mostBytes): PageChanges {
  /** The least recently changed first. */
  const known = new Map<number, Buffer>()
  let knownSize = 0

  return {
    of({ pageSize, size, pages }) {
      // What was behind the end may be anything when the database grows again.
      if (size < knownSize) for (const page of known.keys()) if (page > size) known.delete(page)
      knownSize = size
      const changed = new Map<number, PageChange>()
      for (const [page, image] of pages) {
        const before = known.get(page)
        known.delete(page)
        const blocks = before === undefined ? null : changedBlocks(before, image)
        // A copy: the image is a part of a piece of the log.
        const kept = before ?? Buffer.allocUnsafeSlow(pageSize)
        image.copy(kept)
        known.set(page, kept)
        changed.set(page, { image: kept, blocks })
      }
      for (const page of known.keys()) {
        if (known.size * pageSize <= limit) break
        known.delete(page)
      }
      return { pageSize, size, pages: changed }
    },
  }
}

/** Joins what was changed one after the other: of each page the later image, with all blocks that either has changed. */
export function joinChanges(earlier: ChangeSet | null, later: ChangeSet): ChangeSet {
  if (earlier === null) return later
  const pages = new Map(earlier.pages)
  for (const [page, { image, blocks }] of later.pages) {
    const before = pages.get(page)
    pages.set(page, { image, blocks: before === undefined ? blocks : joinBlocks(before.blocks, blocks) })
  }
  for (const page of pages.keys()) if (page > later.size) pages.delete(page)
  return { ...later, pages }
}

/** Runs of changed blocks as `[first, count]`. */
export type Runs = readonly (readonly [number, number])[]

/** The runs of a page, with the few blocks that lie between; null where it goes whole. */
export function runsOf(blocks: Uint8Array | null): Runs | null {
  if (blocks === null) return null
  const runs: [number, number][] = []
  let count = 0
  for (let at = 0; at < blocks.length; at += 1) {
    if (blocks[at] === 0) continue
    const last = runs.at(-1)
    const isNear = last !== undefined && at - last[0] - last[1] <= gapBlocks
    const first = isNear ? last[0] : at
    count += at + 1 - first - (isNear ? last[1] : 0)
    if (isNear) last[1] = at + 1 - first
    else runs.push([at, 1])
  }
  return count > blocks.length * wholeFrom ? null : runs
}

function joinBlocks(a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null {
  return a === null || b === null ? null : a.map((block, at) => block | b[at]!)
}

function changedBlocks(before: Buffer, after: Buffer): Uint8Array {
  const blocks = new Uint8Array(before.length / blockBytes)
  const a = wordsOf(before)
  const b = wordsOf(after)
  const blockWords = blockBytes / a.BYTES_PER_ELEMENT
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] === b[at]) continue
    const block = Math.floor(at / blockWords)
    blocks[block] = 1
    // Nothing more is asked of this block.
    at = (block + 1) * blockWords - 1
  }
  return blocks
}

/** Compared by words; a buffer that does not begin at one is copied. */
function wordsOf(bytes: Buffer): Int32Array {
  const { BYTES_PER_ELEMENT: wordBytes } = Int32Array
  const aligned = bytes.byteOffset % wordBytes === 0 ? bytes : Uint8Array.from(bytes)
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / wordBytes)
}
