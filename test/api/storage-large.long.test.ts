// One very large file in chunks over kill -9 of the host: it arrives whole, in the memory of an idle host, and its bytes are
// written once. Linux tells what a process has written and how large it was.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { noise } from '../support/storage-calls.ts'
import { sized } from '../support/test-size.ts'

const mib = 1_048_576
const chunkBytes = 100 * mib
/** `CAIRN_FILE_MIB` takes another size; that of a release is the largest there is. */
const totalBytes = Number(process.env['CAIRN_FILE_MIB'] ?? sized(200, 600, 5_120)) * mib
const totalChunks = Math.ceil(totalBytes / chunkBytes)
const mostMiBMore = 60

/** Mebibytes that all differ. */
const piece = noise(mib, 1)
const pieceOf = (index: number): Buffer => {
  const bytes = Buffer.from(piece)
  bytes.writeUInt32LE(index, 8)
  return bytes
}
const piecesOf = (chunk: number): Buffer[] => {
  const [first, end] = [chunk * chunkBytes, Math.min(totalBytes, (chunk + 1) * chunkBytes)]
  return Array.from({ length: (end - first) / mib }, (_, at) => pieceOf(first / mib + at))
}

const pidOf = (dataDir: string): number =>
  (JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as { pid: number }).pid
const told = (pid: number, file: 'status' | 'io', name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))![1])
/** The most memory a process had since it was asked to forget. */
const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')
const peakBytes = (pid: number): number => told(pid, 'status', 'VmHWM') * 1_024

it.skipIf(process.platform !== 'linux')(
  'arrives whole over kills, in little memory, and is written once',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-large-'))
    let server: ChildServer | undefined
    let idleBytes = 0
    const measured: { what: string; moreMiB?: number; idleMiB?: number; written?: number; read?: number }[] = []

    const start = async (): Promise<void> => {
      server = await startChildServer({ dataDir })
      await pause(3_000)
      const pid = pidOf(dataDir)
      idleBytes = told(pid, 'status', 'VmRSS') * 1_024
      forgetPeak(pid)
    }
    const judgeMemory = (what: string): void => {
      const pid = pidOf(dataDir)
      const more = peakBytes(pid) - idleBytes
      measured.push({ what, idleMiB: Math.round(idleBytes / mib), moreMiB: Math.round(more / mib) })
      forgetPeak(pid)
    }
    const send = (
      method: string,
      path: string,
      headers: Record<string, string> = {},
      body?: Readable | string,
    ): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${server!.url}/api/v1${path}`,
          { method, headers: { authorization: `Bearer ${server!.token}`, ...headers } },
          resolve,
        )
        sent.once('error', reject)
        if (body instanceof Readable) body.pipe(sent)
        else sent.end(body)
      })
    const dataOf = async (answer: IncomingMessage) => {
      const text = Buffer.concat(await answer.toArray()).toString()
      expect(answer.statusCode, text).toBeLessThan(300)
      return JSON.parse(text).data
    }
    const json = (value: object): [Record<string, string>, string] => [
      { 'content-type': 'application/json' },
      JSON.stringify(value),
    ]
    let upload: { uploadId: string; resumeToken: string; fileId: string }
    const put = (chunk: number, onPiece?: (at: number) => void): Promise<IncomingMessage> => {
      const pieces = piecesOf(chunk)
      const source = Readable.from(
        (function* () {
          for (const [at, bytes] of pieces.entries()) {
            onPiece?.(at)
            yield bytes
          }
        })(),
      )
      const headers = {
        'x-resume-token': upload.resumeToken,
        'content-type': 'application/octet-stream',
        'content-length': String(pieces.length * mib),
      }
      return send('PUT', `/storage/upload/chunked/${upload.uploadId}/chunk/${chunk}`, headers, source)
    }
    const progress = async () => dataOf(await send('GET', `/storage/upload/chunked/${upload.uploadId}/progress`))
    const complete = async () =>
      dataOf(await send('POST', `/storage/upload/chunked/${upload.uploadId}/complete`, ...json({ parts: [] })))
    const begin = async (): Promise<void> => {
      const announced = { filename: 'large.bin', mimeType: 'application/octet-stream', scope: 'user' }
      const body = { ...announced, totalSize: totalBytes, chunkSize: chunkBytes }
      upload = await dataOf(await send('POST', '/storage/upload/chunked', ...json(body)))
    }

    try {
      const digest = createHash('sha256')
      for (let chunk = 0; chunk < totalChunks; chunk += 1) for (const bytes of piecesOf(chunk)) digest.update(bytes)
      const sha256 = digest.digest('hex')

      // Over two kills, in the middle of chunks.
      await start()
      await begin()
      const kills = new Set([Math.floor(totalChunks / 3), Math.floor((totalChunks * 2) / 3)])
      for (let chunk = 0; chunk < totalChunks; chunk += 1) {
        if (kills.has(chunk)) {
          judgeMemory('chunks')
          let killing: Promise<unknown> | undefined
          const cut = put(chunk, (at) => {
            if (at === 40) killing = server!.end('SIGKILL')
          })
          await expect(cut).rejects.toThrow()
          await killing
          await start()
          expect((await progress()).receivedChunks).toEqual(Array.from({ length: chunk }, (_, index) => index))
        }
        await dataOf(await put(chunk))
      }
      judgeMemory('chunks')
      expect(await complete()).toMatchObject({ size: totalBytes, sha256, status: 'ready' })
      judgeMemory('complete after a start')
      const read = createHash('sha256')
      for await (const part of await send('GET', `/storage/${upload!.fileId}`)) read.update(part as Buffer)
      expect(read.digest('hex')).toBe(sha256)
      judgeMemory('download')
      await dataOf(await send('DELETE', `/storage/${upload!.fileId}`))

      // Without a kill its bytes are written once, and read from nowhere but the connection.
      await server!.end('SIGTERM')
      await start()
      const pid = pidOf(dataDir)
      const [written, readBefore] = [told(pid, 'io', 'wchar'), told(pid, 'io', 'rchar')]
      await begin()
      for (let chunk = 0; chunk < totalChunks; chunk += 1) await dataOf(await put(chunk))
      expect(await complete()).toMatchObject({ sha256 })
      const perByte = {
        written: (told(pid, 'io', 'wchar') - written) / totalBytes,
        read: (told(pid, 'io', 'rchar') - readBefore) / totalBytes,
      }
      measured.push({ what: 'bytes per byte', ...perByte })
      expect(perByte.written).toBeLessThan(1.02)
      expect(perByte.read).toBeLessThan(1.02)
      judgeMemory('chunks and complete')
      for (const { what, moreMiB = 0 } of measured)
        expect([what, moreMiB]).toEqual([what, Math.min(moreMiB, mostMiBMore)])
      for (const folder of ['tmp', 'uploads']) expect(readdirSync(join(dataDir, 'files', folder))).toEqual([])
    } finally {
      console.log(JSON.stringify(measured))
      await server?.end('SIGKILL').catch(() => undefined)
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  3_600_000,
)
