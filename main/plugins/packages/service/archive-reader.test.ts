// The limits of archives, at sizes a test can make quickly (D-129).
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ArchiveFile } from '../../../../test/support/package-archives.ts'
import { filesOf, tgzOf, zipOf } from '../../../../test/support/package-archives.ts'
import type { ArchiveLimits } from './archive-reader.ts'
import { archiveLimits, readArchive } from './archive-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-archive-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (files: readonly ArchiveFile[], format: 'zip' | 'tgz', limits: Partial<ArchiveLimits>) => {
  const file = join(folder, `archive.${format}`)
  const bytes = format === 'zip' ? zipOf(files) : tgzOf(files)
  writeFileSync(file, bytes)
  return readArchive(file, format, bytes.length, { ...archiveLimits, ...limits })
}

describe.each(['zip', 'tgz'] as const)('a %s', (format) => {
  const files = filesOf({ 'manifest.json': {}, 'data/a.json': randomBytes(9_000), 'assets/b': randomBytes(9_000) })

  it('is read up to its limits', async () => {
    const { hashes, contents } = await read(files, format, { entries: 3, unpackedBytes: 18_002, fileBytes: 9_000 })
    expect([...hashes.keys()]).toEqual(['manifest.json', 'data/a.json', 'assets/b'])
    expect([...contents.keys()]).toEqual(['manifest.json', 'data/a.json'])
  })

  it.each<[string, Partial<ArchiveLimits>]>([
    ['too_many_entries', { entries: 2 }],
    ['unpacked_too_large', { unpackedBytes: 18_001 }],
    ['content_too_large', { fileBytes: 8_999 }],
    ['content_too_large', { contentBytes: 9_001 }],
    ['ratio_too_high', { ratio: 0.5, ratioFrom: 1_000 }],
  ])('is refused beyond one: %s', async (reason, limits) => {
    await expect(read(files, format, limits)).rejects.toMatchObject({ code: 'artifact_invalid', details: { reason } })
  })
})

it.each([
  ['headers', { path: 'header', kind: 'g', content: Buffer.alloc(4_000) }, 'unpacked_too_large'],
  ['the folder itself', { path: './', kind: '5', content: '' }, 'ratio_too_high'],
])('what comes out of a tgz counts also where it is no file: %s', async (_name, entry, reason) => {
  const files = [...filesOf({ 'manifest.json': {} }), ...Array.from({ length: 300 }, () => entry)]
  await expect(read(files, 'tgz', { unpackedBytes: 100_000 })).rejects.toMatchObject({ details: { reason } })
})
