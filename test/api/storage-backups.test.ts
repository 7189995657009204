// Files over backups and starts: a backup holds the bytes, a restore brings them back, and ready means that they are there.
import { mkdtempSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startHost } from '#main/index.ts'
import type { RunningHost } from '#main/index.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { fetchBytes, filesOnDisk, noise, sha256, upload } from '../support/storage-calls.ts'

const placeOf = (dataDir: string, sum: string): string => join(dataDir, 'files', sum.slice(0, 2), sum)

it('a restored backup opens every file it knows, also those deleted since', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-file-backup-'))
  const host = await createTestHost({ dataDir })
  let next: RunningHost | undefined
  const read = async (id: string) => {
    const headers = { authorization: `Bearer ${next!.token}` }
    const { status, bytes } = await fetchBytes(`${next!.url}/api/v1/storage/${id}`, headers)
    return [status, sha256(bytes)]
  }
  try {
    const kept = await upload(host, noise(90_000, 1), { name: 'kept.bin' })
    const deleted = await upload(host, noise(80_000, 2), { name: 'deleted.bin' })
    const backup = (await host.post('/backups', {})).body
    expect(backup.sizeBytes).toBeGreaterThan(170_000)
    const copy = join(dataDir, 'backups', backup.id)
    // A second name of the same bytes takes no room.
    expect(statSync(placeOf(copy, kept.sha256)).ino).toBe(statSync(placeOf(dataDir, kept.sha256)).ino)
    await host.delete(`/storage/${deleted.fileId}`)
    const later = await upload(host, noise(70_000, 3), { name: 'later.bin' })
    expect(filesOnDisk(dataDir).stored).toEqual([kept.sha256, later.sha256].toSorted())
    expect((await host.post(`/backups/${backup.id}/verify`)).body).toMatchObject({ verified: true, problems: [] })

    expect((await host.post(`/backups/${backup.id}/restore`, { confirm: backup.id })).status).toBe(202)
    expect(await host.host.stopped).toBe('restart')
    next = await startHost({ dataDir, port: 0, durable: false })
    expect(await read(kept.fileId)).toEqual([200, kept.sha256])
    expect(await read(deleted.fileId)).toEqual([200, deleted.sha256])
    expect((await read(later.fileId))[0]).toBe(404)
    await expect
      .poll(() => filesOnDisk(dataDir).stored, { timeout: 10_000 })
      .toEqual([kept.sha256, deleted.sha256].toSorted())
  } finally {
    await (next ?? host).stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 60_000)

it('a backup whose files are missing or changed is found out', async () => {
  const host = await createTestHost()
  try {
    const [one, two] = [
      await upload(host, noise(5_000, 1), { name: 'a' }),
      await upload(host, noise(5_000, 2), { name: 'b' }),
    ]
    const backup = (await host.post('/backups', {})).body
    const copy = join(host.dataDir, 'backups', backup.id)
    unlinkSync(placeOf(copy, one.sha256))
    unlinkSync(placeOf(copy, two.sha256))
    writeFileSync(placeOf(copy, two.sha256), noise(5_000, 3))
    const checked = (await host.post(`/backups/${backup.id}/verify`)).body
    expect(checked.verified).toBe(false)
    expect(checked.problems).toHaveLength(2)
    expect((await host.post(`/backups/${backup.id}/restore`, { confirm: backup.id })).body.error.code).toBe('conflict')
  } finally {
    await host.stop()
  }
}, 30_000)

it('a start sweeps what nobody names, and a file is ready exactly while its bytes are there', async () => {
  const host = await createTestHost()
  try {
    const [kept, lost] = [
      await upload(host, noise(500, 1), { name: 'a' }),
      await upload(host, noise(500, 2), { name: 'b' }),
    ]
    const stray = noise(500, 3)
    const strayPlace = placeOf(host.dataDir, sha256(stray))
    mkdirSync(join(strayPlace, '..'), { recursive: true })
    writeFileSync(strayPlace, stray)
    mkdirSync(join(host.dataDir, 'files', 'uploads', 'nobody'), { recursive: true })
    const temporary = join(host.dataDir, 'files', 'tmp', 'half')
    writeFileSync(temporary, 'half')
    utimesSync(temporary, new Date(0), new Date(0))
    const aside = `${host.dataDir}-aside`
    renameSync(placeOf(host.dataDir, lost.sha256), aside)
    const status = async () => (await host.get(`/storage/files/${lost.fileId}/metadata`)).body.data.status
    expect((await host.get(`/storage/${lost.fileId}`)).body.error).toMatchObject({
      code: 'file_not_found',
      details: { reason: 'bytes_missing' },
    })
    await host.restart()
    await expect
      .poll(() => filesOnDisk(host.dataDir), { timeout: 10_000 })
      .toEqual({ stored: [kept.sha256], temporary: [], parts: [] })
    await expect.poll(status, { timeout: 10_000 }).toBe('pending')
    renameSync(aside, placeOf(host.dataDir, lost.sha256))
    await host.restart()
    await expect.poll(status, { timeout: 10_000 }).toBe('ready')
    expect((await host.get(`/storage/${lost.fileId}`)).status).toBe(200)
  } finally {
    await host.stop()
  }
}, 30_000)
