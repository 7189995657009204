// Chunks in one file against a model: whatever comes in whatever order, is cut, replaced or met by a start, the whole is what
// the model says, or the chunks that lack are.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { link } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KnownChunk } from './partial-files.ts'
import { createPartialFiles } from './partial-files.ts'

const chunkSize = 3_000
const count = 4
const lastSize = 700
const totalSize = (count - 1) * chunkSize + lastSize
const sizeOf = (index: number): number => (index === count - 1 ? lastSize : chunkSize)
const bytesOf = (index: number, seed: number): Buffer => Buffer.alloc(sizeOf(index), `${index}:${seed};`)
const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function* inParts(bytes: Uint8Array, cutAt?: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 500) {
    if (cutAt !== undefined && at >= cutAt) throw new Error('cut')
    await Promise.resolve()
    yield bytes.subarray(at, Math.min(at + 500, bytes.length))
  }
  if (cutAt !== undefined) throw new Error('cut')
}

const index = fc.nat({ max: count - 1 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), index, seed: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), index, at: fc.nat({ max: 2_500 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('both' as const), seed: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'start' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'finish' as const }) },
)

it('is the whole of the chunks that were acknowledged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'cairn-chunks-'))
      const file = path.join(dataDir, 'files', 'uploads', 'u', 'bytes')
      try {
        let store = createPartialFiles(dataDir, () => undefined)
        const noted = new Map<number, { chunk: KnownChunk; seed: number }>()
        const ends: { name: string; sha256: string }[] = []
        const notedBytes = (): number => {
          const last = Math.max(-1, ...noted.keys())
          return last < 0 ? 0 : last * chunkSize + sizeOf(last)
        }
        const put = async (at: number, seed: number, cutAt?: number): Promise<void> => {
          noted.delete(at)
          const place = { uploadId: 'u', index: at, position: at * chunkSize }
          const rules = { limitBytes: sizeOf(at), tooMany: () => new Error('too many') }
          await store.write(place, inParts(bytesOf(at, seed), cutAt), rules, {
            note: async (arrived) => {
              await Promise.resolve()
              noted.set(at, { chunk: { index: at, ...arrived }, seed })
            },
            notedBytes,
          })
        }
        const finish = async (): Promise<void> => {
          if (noted.size < count) return
          const order = Array.from({ length: count }, (_, at) => noted.get(at)!)
          const whole = await store.finish(
            'u',
            totalSize,
            order.map(({ chunk }) => chunk),
          )
          const bytes = Buffer.concat(order.map(({ seed }, at) => bytesOf(at, seed)))
          expect(whole).toMatchObject({ size: totalSize, sha256: sumOf(bytes) })
          expect(readFileSync(file).equals(bytes)).toBe(true)
          // As if it had been kept under its checksum, and the end was refused afterwards.
          const name = path.join(dataDir, `end-${ends.length}`)
          await link(file, name)
          ends.push({ name, sha256: sumOf(bytes) })
        }
        for (const one of steps) {
          if (one.kind === 'put') await put(one.index, one.seed)
          else if (one.kind === 'both') await Promise.all([put(0, one.seed), put(2, one.seed), put(3, one.seed)])
          else if (one.kind === 'start') store = createPartialFiles(dataDir, () => undefined)
          else if (one.kind === 'finish') await finish()
          else {
            await expect(put(one.index, 9, Math.min(one.at, sizeOf(one.index) - 1))).rejects.toThrow('cut')
            if (existsSync(file)) expect(statSync(file).size).toBeLessThanOrEqual(notedBytes())
          }
        }
        for (let at = 0; at < count; at += 1) if (!noted.has(at)) await put(at, 5)
        await finish()
        // What was put together before is still what it was.
        for (const { name, sha256 } of ends) expect(sumOf(readFileSync(name))).toBe(sha256)
        await store.remove('u')
        expect(existsSync(path.dirname(file))).toBe(false)
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)

it('leaves bytes alone that have another name, also where it has no room for its own', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'cairn-chunks-'))
  try {
    const store = createPartialFiles(dataDir, () => undefined)
    const put = (seed: number): Promise<void> =>
      store.write(
        { uploadId: 'u', index: 0, position: 0 },
        inParts(bytesOf(0, seed)),
        { limitBytes: chunkSize, tooMany: () => new Error('too many') },
        { note: () => Promise.resolve(), notedBytes: () => 0 },
      )
    await put(1)
    const file = path.join(dataDir, 'files', 'uploads', 'u', 'bytes')
    const kept = path.join(dataDir, 'kept')
    await link(file, kept)
    mkdirSync(`${file}.own`)
    await expect(put(2)).rejects.toThrow()
    expect(readFileSync(kept).equals(bytesOf(0, 1))).toBe(true)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
