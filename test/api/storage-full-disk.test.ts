// Uploads on a disk that is really full: a clear refusal, nothing half written, and the same upload goes through once there is
// room again (D-24, D-186).
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import { filesOnDisk, multipart, noise, sha256, upload } from '../support/storage-calls.ts'

// The host keeps 16 MB for itself on a real disk; throw-away data keeps none.
const disk = makeSmallDisk(48)
const chunkSize = 5_242_880

let host: TestHost

beforeAll(async () => {
  if (typeof disk === 'string') return
  host = await createTestHost({ dataDir: join(disk.path, 'data') })
}, 60_000)

afterAll(async () => {
  await host?.stop()
  if (typeof disk !== 'string') disk.remove()
})

it.skipIf(typeof disk === 'string')(
  'an upload on a full disk is refused whole, and goes through with room',
  async () => {
    if (typeof disk === 'string') return
    const kept = await upload(host, noise(100_000, 1), { name: 'kept.bin' })
    const whole = Buffer.concat([noise(chunkSize, 2), noise(chunkSize, 3)])
    const begun = await host.post('/storage/upload/chunked', {
      filename: 'big.bin',
      mimeType: 'application/octet-stream',
      totalSize: whole.length,
      chunkSize,
      scope: 'user',
    })
    const { uploadId, resumeToken } = begun.body.data
    const chunk = (index: number) =>
      host.put(
        `/storage/upload/chunked/${uploadId}/chunk/${index}`,
        whole.subarray(index * chunkSize, (index + 1) * chunkSize),
        { 'x-resume-token': resumeToken, 'content-type': 'application/octet-stream' },
      )
    expect((await chunk(0)).status).toBe(200)

    disk.fill()
    const bytes = noise(3_000_000, 4)
    for (const refused of [
      await host.post('/storage/upload', ...multipart(['file', bytes, 'late.bin'])),
      await chunk(1),
    ]) {
      expect(refused.status, JSON.stringify(refused.body)).toBe(503)
      expect(refused.body.error).toMatchObject({
        code: 'service_unavailable',
        retryable: true,
        details: { reason: 'disk_full' },
      })
    }
    expect(filesOnDisk(host.dataDir)).toMatchObject({ stored: [kept.sha256], temporary: [], parts: [uploadId] })
    // What came of the chunk is given back.
    expect(statSync(join(host.dataDir, 'files', 'uploads', uploadId, 'bytes')).size).toBe(chunkSize)
    expect((await host.get(`/storage/${kept.fileId}`)).status).toBe(200)

    disk.free()
    await expect
      .poll(async () => (await host.post('/storage/upload', ...multipart(['file', bytes, 'late.bin']))).status, {
        timeout: 15_000,
      })
      .toBe(201)
    expect((await chunk(1)).status).toBe(200)
    const done = await host.post(`/storage/upload/chunked/${uploadId}/complete`, { parts: [] })
    expect([done.status, done.body.data?.sha256]).toEqual([201, sha256(whole)])
    expect(filesOnDisk(host.dataDir)).toMatchObject({ temporary: [], parts: [] })
  },
)
