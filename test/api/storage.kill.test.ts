// Uploads, chunks, deletions and sweeps over kill -9 of the host: what was acknowledged opens with its checksum, what records
// name stays, interrupted uploads in chunks go on, and nothing lies around that nobody names (safety R27, D-186).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import { filesOnDisk, multipart, noise, sha256 } from '../support/storage-calls.ts'
import { sized } from '../support/test-size.ts'

/** `CAIRN_KILLS` takes another number. */
const kills = Number(process.env['CAIRN_KILLS'] ?? sized(5, 8, 200))
const chunkSize = 5_242_880
const workers = 4

const paper = {
  name: 'paper',
  label: 'Paper',
  fields: { title: { type: 'text', label: 'Title' }, file: { type: 'file', label: 'File' } },
}

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
        const victim = [...files].find(([id, { doomed }]) => !doomed && !named.has(id))
        if (victim === undefined) continue
        victim[1].doomed = true
        if ((await send('DELETE', `/storage/${victim[0]}`)).status === 200) victim[1].gone = true
      }
    }

    /** Names uploaded files in records; then they cannot be deleted. */
    const named = new Set<string>()
    const nameFiles = async (): Promise<void> => {
      while (!stopped) {
        const free = [...files].find(([id, { doomed }]) => !doomed && !named.has(id))
        if (free === undefined || named.size > kills) {
          await pause(20)
          continue
        }
        // Nobody deletes it meanwhile.
        named.add(free[0])
        const made = await send('POST', '/data/paper', { file: { fileId: free[0] } })
        if (made.status !== 201) wrong.push(`A file was not named: ${made.status}`)
        const refused = await send('DELETE', `/storage/${free[0]}`)
        if (refused.status !== 409) wrong.push(`A file a record names was deleted: ${refused.status}`)
      }
    }

    // Uploads in chunks, one after the other: each goes on over as many kills as it takes.
    const wholeOf = (of: number): Buffer =>
      Buffer.concat([noise(chunkSize, 100 + of), noise(chunkSize, 101 + of), noise(77, 102 + of)])
    const chunkOf = (of: number, index: number): Buffer =>
      wholeOf(of).subarray(index * chunkSize, (index + 1) * chunkSize)
    let uploadsBegun = 0
    let uploadsDone = 0
    let chunked: { uploadId: string; resumeToken: string; fileId: string; of: number } | undefined
    const acknowledged = new Set<number>()
    let chunksStored = 0
    const wrong: string[] = []
    const progressOf = async (): Promise<{ status: string; receivedChunks: number[] }> =>
      (await send('GET', `/storage/upload/chunked/${chunked!.uploadId}/progress`)).data
    const sendChunk = async (index: number, bytes: Uint8Array): Promise<void> => {
      const { uploadId, resumeToken } = chunked!
      // Until it is acknowledged it may be this one, the one before or none.
      acknowledged.delete(index)
      const path = `/storage/upload/chunked/${uploadId}/chunk/${index}`
      const put = await send('PUT', path, bytes, { 'x-resume-token': resumeToken })
      if (put.status !== 200) throw new Error(`A chunk was refused: ${put.status}`)
      acknowledged.add(index)
      chunksStored += 1
    }
    const endUpload = async (): Promise<void> => {
      const { of, uploadId, fileId } = chunked!
      const { status, receivedChunks } = await progressOf()
      if (status !== 'completed') {
        const missing = [0, 1, 2].filter((index) => !receivedChunks.includes(index))
        // Also out of order, and one of them replaced on its way.
        for (const index of of % 2 === 0 ? missing : missing.toReversed()) await sendChunk(index, chunkOf(of, index))
        if (of % 3 === 0) await sendChunk(0, noise(chunkSize, 99))
        await sendChunk(0, chunkOf(of, 0))
        const parts = [0, 1, 2].map((chunkIndex) => ({ chunkIndex, eTag: sha256(chunkOf(of, chunkIndex)) }))
        const done = await send('POST', `/storage/upload/chunked/${uploadId}/complete`, { parts })
        if (done.status !== 201) wrong.push(`An upload was not completed: ${done.status} ${done.bytes.toString()}`)
      }
      note(fileId, sha256(wholeOf(of)))
      uploadsDone += 1
      chunked = undefined
      const state = files.get(fileId)!
      if (of % 4 === 0 || named.has(fileId)) return
      state.doomed = true
      if ((await send('DELETE', `/storage/${fileId}`)).status === 200) state.gone = true
    }
    const sendChunks = async (): Promise<void> => {
      while (!stopped) {
        if (chunked === undefined) {
          const body = { filename: 'big.bin', mimeType: 'a/b', totalSize: 2 * chunkSize + 77, chunkSize, scope: 'user' }
          const begun = (await send('POST', '/storage/upload/chunked', body)).data
          acknowledged.clear()
          chunked = { ...begun, of: (uploadsBegun += 1) }
        }
        await endUpload()
      }
    }

    try {
      for (let kill = 0; kill < kills; kill += 1) {
        server = await startChildServer({ dataDir })
        if (kill === 0) expect((await send('PUT', '/meta/object/paper', paper)).status).toBe(200)
        if (chunked !== undefined)
          expect((await progressOf()).receivedChunks).toEqual(expect.arrayContaining([...acknowledged]))
        stopped = false
        const running = [...Array.from({ length: workers }, work), nameFiles(), sendChunks()].map((one) =>
          one.catch(() => undefined),
        )
        const enough = files.size + 2 + (kill % 3)
        const chunksBefore = chunksStored
        // Every fifth kill meets the sweep of the start.
        const goesOn = (): boolean =>
          kill % 5 < 4 && (files.size < enough || (kill % 2 === 0 && chunksStored < chunksBefore + 2))
        for (let waited = 0; goesOn() && waited < 15_000; waited += 10) await pause(10)
        await pause((kill % 5) * 7)
        await server.end('SIGKILL')
        stopped = true
        await Promise.all(running)
      }
      expect(files.size).toBeGreaterThan(kills / 2)
      expect(named.size).toBeGreaterThan(0)

      server = await startChildServer({ dataDir })
      if (chunked !== undefined) await endUpload()
      expect(wrong).toEqual([])
      expect(uploadsDone).toBeGreaterThan(0)

      // Whatever the host calls ready opens, whether it was acknowledged or not.
      const sums = new Set<string>()
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
        sums.add(file.sha256!)
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
            return { lacking: [...sums].filter((one) => !stored.includes(one)), temporary, parts }
          },
          { timeout: 10_000 },
        )
        .toEqual({ lacking: [], temporary: [], parts: [] })
      for (const sum of filesOnDisk(dataDir).stored) expect(sums.has(sum) || unfinished.has(sum)).toBe(true)
      for (const [fileId, { status }] of told) if (status === 'pending') await send('DELETE', `/storage/${fileId}`)
      for (const [fileId, { status }] of told)
        if (status === 'ready') await send('DELETE', `/storage/${fileId}?force=true`)
      expect(filesOnDisk(dataDir)).toEqual({ stored: [], temporary: [], parts: [] })
    } finally {
      stopped = true
      await server?.end('SIGKILL').catch(() => undefined)
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  sized(240_000, 3_600_000),
)
