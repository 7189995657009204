// Uploads, chunks and deletions over kill -9 of the host: what was acknowledged opens with its checksum, an interrupted upload in
// chunks goes on, and nothing lies around that nobody names (safety R27, D-186).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import { filesOnDisk, multipart, noise, sha256 } from '../support/storage-calls.ts'
import { sized } from '../support/test-size.ts'

const kills = sized(5, 200)
const chunkSize = 5_242_880
const workers = 4

interface FileState {
  readonly sha256: string
  /** A deletion was sent, whether it was answered or not. */
  doomed: boolean
  /** The deletion was answered. */
  gone: boolean
}

it(
  'keeps every acknowledged file and chunk whole, and leaves nothing else',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-storage-kill-'))
    const files = new Map<string, FileState>()
    let server: ChildServer | undefined
    let seed = 0
    let stopped = false

    const send = async (
      method: string,
      path: string,
      body?: Uint8Array | object,
      headers: Record<string, string> = {},
    ) => {
      const isBytes = body instanceof Uint8Array
      const answer = await fetch(`${server!.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${server!.token}`,
          ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
      return { status: answer.status, bytes, data: isJson ? JSON.parse(bytes.toString()).data : undefined }
    }
    const note = (fileId: string, sum: string): void =>
      void files.set(fileId, { sha256: sum, doomed: false, gone: false })

    /** Uploads, some of equal bytes, and deletes every third. */
    const work = async (): Promise<void> => {
      while (!stopped) {
        seed += 1
        const bytes = noise(1_000 + (seed % 7) * 50_000, seed % 5)
        if (seed % 2 === 0) {
          const made = await send('POST', '/storage/upload', ...multipart(['file', bytes, 'a.bin']))
          if (made.status === 201) note(made.data.fileId, sha256(bytes))
        } else {
          const announced = {
            filename: 'a.bin',
            mimeType: 'application/octet-stream',
            size: bytes.length,
            scope: 'user',
          }
          const { fileId, uploadUrl } = (await send('POST', '/storage/upload/presigned', announced)).data
          const put = await send('PUT', new URL(uploadUrl).pathname.replace('/api/v1', ''), bytes)
          if (put.status !== 200) continue
          if ((await send('POST', '/storage/upload/complete', { fileId })).status === 201) note(fileId, sha256(bytes))
        }
        if (seed % 3 !== 0) continue
        const victim = [...files].find(([, { doomed }]) => !doomed)
        if (victim === undefined) continue
        victim[1].doomed = true
        if ((await send('DELETE', `/storage/${victim[0]}`)).status === 200) victim[1].gone = true
      }
    }

    // One upload in chunks lives through all kills.
    const whole = Buffer.concat([noise(chunkSize, 100), noise(chunkSize, 101), noise(77, 102)])
    let chunked: { uploadId: string; resumeToken: string; fileId: string } | undefined
    const acknowledged = new Set<number>()
    let chunksStored = 0
    const sendChunks = async (): Promise<void> => {
      for (let round = 0; !stopped; round += 1) {
        const index = round % 3
        const bytes = whole.subarray(index * chunkSize, (index + 1) * chunkSize)
        const path = `/storage/upload/chunked/${chunked!.uploadId}/chunk/${index}`
        const put = await send('PUT', path, bytes, { 'x-resume-token': chunked!.resumeToken })
        if (put.status !== 200) continue
        acknowledged.add(index)
        chunksStored += 1
      }
    }

    try {
      for (let kill = 0; kill < kills; kill += 1) {
        server = await startChildServer({ dataDir })
        if (chunked === undefined) {
          const body = { filename: 'big.bin', mimeType: 'a/b', totalSize: whole.length, chunkSize, scope: 'user' }
          chunked = (await send('POST', '/storage/upload/chunked', body)).data
        }
        const progress = await send('GET', `/storage/upload/chunked/${chunked!.uploadId}/progress`)
        expect(progress.data.receivedChunks).toEqual(expect.arrayContaining([...acknowledged]))
        stopped = false
        const running = [...Array.from({ length: workers }, work), sendChunks()].map((one) =>
          one.catch(() => undefined),
        )
        const enough = files.size + 2 + (kill % 3)
        const chunksBefore = chunksStored
        const goesOn = (): boolean => files.size < enough || (kill % 2 === 0 && chunksStored === chunksBefore)
        for (let waited = 0; goesOn() && waited < 15_000; waited += 10) await pause(10)
        await pause((kill % 5) * 7)
        await server.end('SIGKILL')
        stopped = true
        await Promise.all(running)
      }
      expect(files.size).toBeGreaterThan(kills)
      expect(acknowledged.size).toBeGreaterThan(0)

      server = await startChildServer({ dataDir })
      for (const index of [0, 1, 2].filter((one) => !acknowledged.has(one))) {
        const bytes = whole.subarray(index * chunkSize, (index + 1) * chunkSize)
        const path = `/storage/upload/chunked/${chunked!.uploadId}/chunk/${index}`
        expect((await send('PUT', path, bytes, { 'x-resume-token': chunked!.resumeToken })).status).toBe(200)
      }
      const done = await send('POST', `/storage/upload/chunked/${chunked!.uploadId}/complete`, { parts: [] })
      expect([done.status, done.data?.eTag]).toEqual([201, sha256(whole)])

      // Whatever the host calls ready opens, whether it was acknowledged or not.
      const named = new Set<string>()
      const told = new Map<string, { status: string; sha256: string | null }>()
      for (let cursor = ''; ;) {
        const { data } = await send('GET', `/storage/files?limit=200${cursor}`)
        for (const file of data.files) told.set(file.fileId, file)
        if (!data.hasMore) break
        cursor = `&cursor=${data.nextCursor}`
      }
      for (const [fileId, file] of told) {
        if (file.status !== 'ready') continue
        const got = await send('GET', `/storage/${fileId}`)
        expect([got.status, sha256(got.bytes)]).toEqual([200, file.sha256])
        named.add(file.sha256!)
      }
      for (const [fileId, state] of files) {
        if (state.gone) expect(told.has(fileId)).toBe(false)
        else if (!state.doomed) expect(told.get(fileId)).toMatchObject({ status: 'ready', sha256: state.sha256 })
      }
      // What is left beside them are the bytes of announced files that nobody completed.
      const unfinished = new Set(
        [0, 1, 2, 3, 4].flatMap((of) => [0, 1, 2, 3, 4, 5, 6].map((step) => sha256(noise(1_000 + step * 50_000, of)))),
      )
      await expect
        .poll(
          () => {
            const { stored, temporary, parts } = filesOnDisk(dataDir)
            return { lacking: [...named].filter((one) => !stored.includes(one)), temporary, parts }
          },
          { timeout: 10_000 },
        )
        .toEqual({ lacking: [], temporary: [], parts: [] })
      for (const sum of filesOnDisk(dataDir).stored) expect(named.has(sum) || unfinished.has(sum)).toBe(true)
      for (const [fileId, { status }] of told) if (status === 'pending') await send('DELETE', `/storage/${fileId}`)
      for (const [fileId, { status }] of told) if (status === 'ready') await send('DELETE', `/storage/${fileId}`)
      expect(filesOnDisk(dataDir)).toEqual({ stored: [], temporary: [], parts: [] })
    } finally {
      stopped = true
      await server?.end('SIGKILL').catch(() => undefined)
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  sized(240_000, 3_600_000),
)
