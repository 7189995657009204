// Files that are sent in chunks: progress, replays, resuming after a restart, what is refused, the end of uploads (D-184, D-376).
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import type { Answer } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import { fetchBytes, filesOnDisk, multipart, noise, page, sha256 } from '../support/storage-calls.ts'

let host: PeopledHost
const chunkSize = 5_242_880
const size = 2 * chunkSize + 1_000
const whole = Buffer.concat([noise(chunkSize, 1), noise(chunkSize, 2), noise(1_000, 3)])
const chunkOf = (index: number): Buffer => whole.subarray(index * chunkSize, Math.min(size, (index + 1) * chunkSize))

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] })
}, 60_000)

afterAll(async () => host?.stop())

interface Started {
  uploadId: string
  resumeToken: string
  fileId: string
  [key: string]: unknown
}

const start = async (more: object = {}): Promise<Started> => {
  const body = {
    filename: 'a.bin',
    mimeType: 'application/octet-stream',
    totalSize: size,
    chunkSize,
    scope: 'user',
    ...more,
  }
  const answer = await host.post('/storage/upload/chunked', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data
}
const put = (made: Started, index: number | string, bytes: Uint8Array = chunkOf(index as number), headers = {}) =>
  host.put(`/storage/upload/chunked/${made.uploadId}/chunk/${index}`, bytes, {
    'x-resume-token': made.resumeToken,
    'content-type': 'application/octet-stream',
    ...headers,
  })
/** The file its chunks are in. */
const partOf = ({ uploadId }: Started): string => join(host.dataDir, 'files', 'uploads', uploadId, 'bytes')
const progress = async (made: Started) =>
  (await host.get(`/storage/upload/chunked/${made.uploadId}/progress`)).body.data
const complete = (made: Started, parts: object[] = [], more: object = {}) =>
  host.post(`/storage/upload/chunked/${made.uploadId}/complete`, { uploadId: made.uploadId, parts, ...more })
const refusal = ({ status, body }: Answer): [number, string?] => [status, body.error?.code]

describe('an upload in chunks', () => {
  it('tells how far it is, goes on after a restart, and is put together', async () => {
    const made = await start({ metadata: { topic: 'tea' } })
    expect(made).toEqual({
      uploadId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resumeToken: expect.stringMatching(/^[\w-]{43}$/),
      fileId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      totalChunks: 3,
      chunkSize,
      expiresAt: expect.stringMatching(/Z$/),
    })
    expect(Date.parse(made['expiresAt'] as string) - Date.now()).toBeGreaterThan(86_300_000)
    expect(await progress(made)).toMatchObject({
      uploadedSize: 0,
      uploadedChunks: 0,
      receivedChunks: [],
      percentComplete: 0,
    })

    const last = await put(made, 2)
    expect(last.body.data).toEqual({ chunkIndex: 2, eTag: sha256(chunkOf(2)), bytesReceived: 1_000 })
    expect((await put(made, 0, chunkOf(0), { 'content-type': 'application/json' })).status).toBe(200)
    await host.restart()
    expect(await progress(made)).toEqual({
      uploadId: made.uploadId,
      fileId: made.fileId,
      filename: 'a.bin',
      totalSize: size,
      uploadedSize: chunkSize + 1_000,
      totalChunks: 3,
      uploadedChunks: 1,
      receivedChunks: [0, 2],
      percentComplete: 50,
      status: 'in_progress',
      startedAt: expect.stringMatching(/Z$/),
      expiresAt: made['expiresAt'],
    })
    const early = await complete(made)
    expect(refusal(early)).toEqual([409, 'upload_incomplete'])
    expect(early.body.error.details.missing).toEqual([1])

    const path = `/storage/upload/chunked/${made.uploadId}/chunk/1?resumeToken=${made.resumeToken}`
    expect((await host.put(path, noise(chunkSize, 9), { 'content-type': 'application/octet-stream' })).status).toBe(200)
    // The same chunk again replaces it.
    const again = await put(made, 1)
    expect((await put(made, 1)).body.data).toEqual(again.body.data)
    expect(refusal(await complete(made, [{ chunkIndex: 1, eTag: sha256(noise(chunkSize, 9)) }]))).toEqual([
      400,
      'checksum_mismatch',
    ])
    const done = await complete(made, [{ chunkIndex: 1, eTag: again.body.data.eTag }])
    expect(done.status).toBe(201)
    expect(done.body.data).toMatchObject({
      fileId: made.fileId,
      key: `user/${made.fileId}.bin`,
      path: `user/${made.fileId}.bin`,
      size,
      mimeType: 'application/octet-stream',
      eTag: sha256(whole),
      sha256: sha256(whole),
      status: 'ready',
      name: 'a.bin',
      metadata: { topic: 'tea' },
    })
    expect((await complete(made)).body.data).toEqual(done.body.data)
    expect(await progress(made)).toMatchObject({
      status: 'completed',
      uploadedChunks: 3,
      receivedChunks: [0, 1, 2],
      uploadedSize: size,
      percentComplete: 100,
    })
    expect(refusal(await put(made, 1))).toEqual([409, 'conflict'])
    expect(refusal(await host.delete(`/storage/upload/chunked/${made.uploadId}`))).toEqual([409, 'conflict'])
    const got = await fetchBytes(done.body.data.url, { authorization: `Bearer ${host.host.token}` })
    expect(got.bytes.equals(whole)).toBe(true)
    expect(filesOnDisk(host.dataDir)).toEqual({ stored: [sha256(whole)], temporary: [], parts: [] })
  }, 60_000)

  it('takes chunks at once, and two completions at once make one file', async () => {
    const made = await start()
    const answers = await Promise.all([0, 1, 2, 0, 1, 2].map((index) => put(made, index)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    host.takeEvents()
    const both = await Promise.all([complete(made), complete(made)])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    expect(both[0]!.body.data).toEqual(both[1]!.body.data)
    expect(host.takeEvents().filter(({ type }) => type === 'file.uploaded')).toHaveLength(1)
    await host.delete(`/storage/${made.fileId}`)
  }, 30_000)

  it('refuses chunks of another length, place or token, and is none the worse', async () => {
    const made = await start()
    expect(refusal(await put(made, 0, chunkOf(0).subarray(1)))).toEqual([400, 'chunk_invalid'])
    expect(refusal(await put(made, 0, Buffer.concat([chunkOf(0), Buffer.alloc(1)])))).toEqual([400, 'chunk_invalid'])
    expect(refusal(await put(made, 2, chunkOf(0)))).toEqual([400, 'chunk_invalid'])
    expect(refusal(await put(made, 2, Buffer.alloc(0)))).toEqual([400, 'chunk_invalid'])
    for (const index of ['3', '-1', '1.5', 'x', '00000000000001', '..%2f0'])
      expect(refusal(await put(made, index, chunkOf(2))), index).toEqual([400, 'chunk_invalid'])
    for (const token of ['', 'x', made.resumeToken.slice(1), `${made.resumeToken}x`])
      expect(refusal(await put(made, 2, chunkOf(2), { 'x-resume-token': token }))).toEqual([
        403,
        'resume_token_invalid',
      ])
    const path = `/storage/upload/chunked/${made.uploadId}/chunk/2`
    expect(refusal(await host.put(path, chunkOf(2), { 'content-type': 'a/b' }))).toEqual([403, 'resume_token_invalid'])
    expect(await progress(made)).toMatchObject({ uploadedChunks: 0, receivedChunks: [] })
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  }, 30_000)

  it.each([
    [{ chunkSize: chunkSize - 1 }, 400, 'validation_error', 'chunkSize'],
    [{ chunkSize: 104_857_601 }, 400, 'validation_error', 'chunkSize'],
    [{ chunkSize: undefined }, 400, 'validation_error', 'chunkSize'],
    [{ totalSize: 0 }, 400, 'validation_error', 'totalSize'],
    [{ totalSize: 5_368_709_121 }, 413, 'file_too_large', null],
    [{ scope: 'mine' }, 400, 'validation_error', 'scope'],
    [{ filename: '/' }, 400, 'validation_error', 'filename'],
    [{ mimeType: undefined }, 400, 'validation_error', 'mimeType'],
  ])('is not begun with %j', async (more, status, code, field) => {
    const body = { filename: 'a', mimeType: 'a/b', totalSize: size, chunkSize, scope: 'user', ...more }
    const answer = await host.post('/storage/upload/chunked', body)
    expect(refusal(answer)).toEqual([status, code])
    if (field !== null) expect(answer.body.error.details.fieldErrors[0].field).toBe(field)
  })

  it('is begun without a type, as browsers have none for endings they do not know (D-261)', async () => {
    const made = await start({ filename: 'drawing.unheardof', mimeType: '' })
    expect((await host.delete(`/storage/upload/chunked/${made.uploadId}`)).status).toBe(200)
  })

  it('takes 5 GiB, and no more', async () => {
    const made = await start({ totalSize: 5_368_709_120 })
    expect(made['totalChunks']).toBe(1_024)
    expect((await complete(made)).body.error.details.missing).toHaveLength(1_024)
    expect((await host.delete(`/storage/upload/chunked/${made.uploadId}`)).body.data).toEqual({
      uploadId: made.uploadId,
      aborted: true,
    })
    expect(refusal(await host.get(`/storage/upload/chunked/${made.uploadId}/progress`))).toEqual([
      404,
      'upload_not_found',
    ])
    expect(refusal(await host.get(`/storage/files/${made.fileId}/metadata`))).toEqual([404, 'file_not_found'])
  })

  it('names no chunk that is none, none twice, and no other upload', async () => {
    const made = await start()
    for (const parts of [[{ chunkIndex: 3 }], [{ chunkIndex: 0 }, { chunkIndex: 0 }], [{ eTag: 'x' }], 'all'])
      expect(refusal(await complete(made, parts as object[]))).toEqual([400, 'validation_error'])
    expect(refusal(await complete(made, [], { parts: undefined }))).toEqual([400, 'validation_error'])
    expect(refusal(await complete(made, [], { uploadId: made.fileId }))).toEqual([400, 'validation_error'])
  })

  it('belongs to who began it', async () => {
    const made = await start()
    const path = `/storage/upload/chunked/${made.uploadId}`
    const other = host.as(0)
    const headers = { 'x-resume-token': made.resumeToken, 'content-type': 'application/octet-stream' }
    for (const answer of [
      await other.get(`${path}/progress`),
      await other.put(`${path}/chunk/2`, chunkOf(2), headers),
      await other.post(`${path}/complete`, { parts: [] }),
      await other.delete(path),
    ])
      expect(refusal(answer)).toEqual([404, 'upload_not_found'])
    expect(refusal(await host.get('/storage/upload/chunked/x/progress'))).toEqual([404, 'upload_not_found'])
  })

  it('is of the announced type, else it has failed; its chunks may be replaced', async () => {
    const made = await start({ filename: 'a.png', mimeType: 'image/png' })
    const text = Buffer.concat([page, Buffer.alloc(chunkSize - page.length, 32)])
    await put(made, 0, text)
    for (const index of [1, 2]) await put(made, index)
    expect(refusal(await complete(made))).toEqual([400, 'file_type_not_allowed'])
    expect((await progress(made)).status).toBe('failed')
    const magic = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    await put(made, 0, Buffer.concat([magic, Buffer.alloc(chunkSize - magic.length)]))
    expect((await progress(made)).status).toBe('in_progress')
    expect((await complete(made)).body.data.mimeType).toBe('image/png')
    await host.delete(`/storage/${made.fileId}`)
  }, 30_000)

  it('asks again for all chunks whose bytes have changed on disk before a start', async () => {
    const made = await start()
    for (const index of [0, 1, 2]) await put(made, index)
    await host.restart()
    const file = partOf(made)
    writeFileSync(file, Buffer.concat([noise(7, 5), readFileSync(file).subarray(7, size - 1)]))
    const answer = await complete(made)
    expect(refusal(answer)).toEqual([409, 'upload_incomplete'])
    expect(answer.body.error.details.missing).toEqual([0, 2])
    for (const index of [2, 0]) await put(made, index)
    expect((await complete(made)).body.data.eTag).toBe(sha256(whole))
    await host.delete(`/storage/${made.fileId}`)
  }, 30_000)

  it('keeps a chunk while another one in its place does not arrive whole, and takes it once it does', async () => {
    const made = await start()
    for (const index of [1, 0, 2]) await put(made, index)
    const other = noise(chunkSize, 8)
    expect(refusal(await put(made, 0, other.subarray(1)))).toEqual([400, 'chunk_invalid'])
    const answers = await Promise.all([put(made, 0, other), put(made, 1, noise(chunkSize, 9)), put(made, 1)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await put(made, 1)
    const done = await complete(made)
    expect(done.body.data.eTag).toBe(sha256(Buffer.concat([other, whole.subarray(chunkSize)])))
    await host.delete(`/storage/${made.fileId}`)
  }, 30_000)

  it('gives the disk back what came of a chunk that did not arrive whole', async () => {
    const made = await start()
    await put(made, 0)
    const { hostname, port } = new URL(host.host.url)
    const socket = connect(Number(port), hostname)
    const head = [
      `PUT /api/v1/storage/upload/chunked/${made.uploadId}/chunk/1 HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${host.host.token}`,
      `X-Resume-Token: ${made.resumeToken}`,
      'Content-Type: application/octet-stream',
      `Content-Length: ${chunkSize}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(noise(2_000_000, 2))
    await expect.poll(() => statSync(partOf(made)).size, { timeout: 10_000 }).toBeGreaterThan(chunkSize)
    socket.destroy()
    await expect.poll(() => statSync(partOf(made)).size, { timeout: 10_000 }).toBe(chunkSize)
    expect((await progress(made)).receivedChunks).toEqual([0])
    await host.delete(`/storage/upload/chunked/${made.uploadId}`)
  }, 30_000)

  it('that is refused at its end has all of its chunks, and changes no file of equal bytes', async () => {
    const same = (await host.post('/storage/upload', ...multipart(['file', whole, 'same.bin']))).body.data
    const made = await start()
    for (const index of [0, 1, 2]) await put(made, index)
    await host.patch('/settings', { 'storage.quotaBytes': 1 })
    expect(refusal(await complete(made))).toEqual([409, 'storage_quota_exceeded'])
    await host.patch('/settings', { 'storage.quotaBytes': null })
    expect((await progress(made)).receivedChunks).toEqual([0, 1, 2])
    await put(made, 2, noise(1_000, 10))
    // Each stored file is compared with its name.
    expect(filesOnDisk(host.dataDir).stored).toContain(same.sha256)
    expect((await complete(made)).body.data.eTag).toBe(
      sha256(Buffer.concat([whole.subarray(0, 2 * chunkSize), noise(1_000, 10)])),
    )
    expect(filesOnDisk(host.dataDir)).toMatchObject({ temporary: [], parts: [] })
    for (const { fileId } of [same, made]) await host.delete(`/storage/${fileId}`)
  }, 30_000)
})

describe('uploads nobody ends', () => {
  it('lapse after a day, with their bytes', async () => {
    let ahead = 0
    const clock = {
      ...systemClock,
      now: () => systemClock.now() + ahead,
      iso: () => new Date(systemClock.now() + ahead).toISOString(),
    }
    const own = await createTestHost({ clock })
    try {
      const announced = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user' }
      const pending = (await own.post('/storage/upload/presigned', announced)).body.data
      const sent = (await own.post('/storage/upload/presigned', announced)).body.data
      await own.anonymous('PUT', new URL(sent.uploadUrl).pathname, 'hello')
      const body = { filename: 'a', mimeType: 'a/b', totalSize: 5_242_890, chunkSize, scope: 'user' }
      const chunked = (await own.post('/storage/upload/chunked', body)).body.data
      const path = `/storage/upload/chunked/${chunked.uploadId}`
      const headers = { 'x-resume-token': chunked.resumeToken, 'content-type': 'a/b' }
      expect((await own.put(`${path}/chunk/1`, Buffer.alloc(10), headers)).status).toBe(200)
      expect(filesOnDisk(own.dataDir)).toMatchObject({ stored: [expect.any(String)], parts: [chunked.uploadId] })

      ahead = 86_400_001
      expect((await own.get(`${path}/progress`)).body.data.status).toBe('expired')
      expect(refusal(await own.put(`${path}/chunk/1`, Buffer.alloc(10), headers))).toEqual([410, 'upload_expired'])
      expect(refusal(await own.post(`${path}/complete`, { parts: [] }))).toEqual([410, 'upload_expired'])
      for (const { fileId } of [pending, sent])
        expect(refusal(await own.post('/storage/upload/complete', { fileId }))).toEqual([410, 'upload_expired'])
      expect(refusal(await own.anonymous('PUT', new URL(pending.uploadUrl).pathname, 'hello'))).toEqual([
        403,
        'signed_url_invalid',
      ])
      await own.restart()
      // The backups of the night are made up for, and bytes stay until they are there.
      await expect
        .poll(() => filesOnDisk(own.dataDir), { timeout: 60_000 })
        .toEqual({ stored: [], temporary: [], parts: [] })
      expect((await own.get(`${path}/progress`)).body.data.status).toBe('expired')
      expect((await own.get('/storage/files')).body.data.files).toEqual([])
      ahead += 8 * 86_400_000
      await own.restart()
      await expect
        .poll(async () => refusal(await own.get(`${path}/progress`)), { timeout: 10_000 })
        .toEqual([404, 'upload_not_found'])
    } finally {
      await own.stop()
    }
  }, 120_000)
})
