// Rows that say only what changed make the same file as whole pages would, wherever between two rows the file stood.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPageChanges, joinChanges, runsOf } from './page-changes.ts'
import type { ChangeSet } from './page-changes.ts'
import { decodePageRow, encodePageRow, noRow } from './page-row.ts'

const pageSize = 512

/** One commit: the database has so many pages after it, and on some of them a byte is another one. */
const commit = fc.record({
  size: fc.integer({ min: 1, max: 6 }),
  edits: fc.array(fc.tuple(fc.nat(5), fc.nat(pageSize - 1), fc.nat(2)), { maxLength: 6 }),
  endsRow: fc.boolean(),
})

/** A file after a commit, and the pages that were written by it. */
function afterCommit(file: Buffer, { size, edits }: { size: number; edits: readonly (readonly number[])[] }) {
  const next = Buffer.alloc(size * pageSize)
  file.copy(next)
  const written = new Set<number>()
  for (let page = file.length / pageSize + 1; page <= size; page += 1) written.add(page)
  for (const [page = 0, at = 0, byte = 0] of edits) {
    if (page >= size) continue
    next[page * pageSize + at] = byte
    written.add(page + 1)
  }
  const images = [...written].map(
    (page) => [page, Buffer.from(next.subarray((page - 1) * pageSize, page * pageSize))] as const,
  )
  return { next, pages: { pageSize, size, pages: new Map(images) } }
}

function applied(file: Buffer, row: Buffer): Buffer {
  const { fileBytes, writes } = decodePageRow(row)
  const grown = Buffer.alloc(Math.max(fileBytes, file.length, ...writes.map(({ at, bytes }) => at + bytes.length)))
  file.copy(grown)
  for (const { at, bytes } of writes) bytes.copy(grown, at)
  return grown.subarray(0, fileBytes)
}

describe('what commits have changed', () => {
  it.each([64 * 1024, 2 * pageSize])(
    'makes the file from any place between two rows, remembering %i bytes',
    (limit) => {
      fc.assert(
        fc.property(fc.array(commit, { minLength: 1, maxLength: 12 }), (commits) => {
          const changes = createPageChanges(limit)
          let leader = Buffer.alloc(0)
          let follower = Buffer.alloc(0)
          let pending: ChangeSet | null = null
          let between: Buffer[] = []
          commits.forEach((one, index) => {
            const { next, pages } = afterCommit(leader, one)
            leader = next
            between.push(next)
            pending = joinChanges(pending, changes.of(pages))
            if (!one.endsRow && index < commits.length - 1) return
            const row = encodePageRow(pending, noRow)
            follower = Buffer.from(applied(follower, row))
            expect(follower.equals(leader)).toBe(true)
            expect(applied(follower, row).equals(leader)).toBe(true)
            for (const place of between) expect(applied(place, row).equals(leader)).toBe(true)
            pending = null
            between = []
          })
        }),
        { numRuns: 500 },
      )
    },
  )

  it('is little where little has changed, and the whole page where much has', () => {
    const changes = createPageChanges()
    const image = Buffer.alloc(4096)
    const set = (bytes: Buffer) => ({ pageSize: 4096, size: 2, pages: new Map([[2, bytes]]) })
    expect(changes.of(set(image)).pages.get(2)!.blocks).toBeNull()
    // A piece of the log is used again: what is remembered is a copy.
    image.fill(1, 100, 200)
    image[4095] = 1
    expect(runsOf(changes.of(set(image)).pages.get(2)!.blocks)).toEqual([
      [1, 3],
      [63, 1],
    ])
    image[7 * 64] = 3
    image[2000] = 3
    expect(runsOf(changes.of(set(image)).pages.get(2)!.blocks)).toEqual([
      [7, 1],
      [31, 1],
    ])
    image[0] = 4
    image[5 * 64] = 4
    image[11 * 64] = 4
    expect(runsOf(changes.of(set(image)).pages.get(2)!.blocks)).toEqual([
      [0, 6],
      [11, 1],
    ])
    image.fill(2, 0, 3500)
    expect(runsOf(changes.of(set(image)).pages.get(2)!.blocks)).toBeNull()
  })

  it('is nothing of a page that was written as it was', () => {
    const changes = createPageChanges()
    const pages = { pageSize, size: 1, pages: new Map([[1, Buffer.alloc(pageSize, 7)]]) }
    changes.of(pages)
    expect(decodePageRow(encodePageRow(changes.of(pages), noRow)).writes).toEqual([])
  })
})
