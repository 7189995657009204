// A file that is deleted on one machine while another one, which does not know of it, has a record name it: it is there
// again for all, with its bytes, also where only the machine that deleted it had them (D-391).
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { fileTold as told, readBytes, uploadBytes } from '../support/storage-calls.ts'
import { createSyncedHost, inStep, listen, pair, pause, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

const ann = testUserId(0)
let desk: PeopledHost
let laptop: TestHost
let attic: TestHost
let phone: TestHost

beforeAll(async () => {
  desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  const everything = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true }
  await desk.saveItem('profile', 'works', { label: 'Works', objects: { part: everything } })
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('part', { title: { type: 'text' }, plan: { type: 'file' }, other: { type: 'file' } })
  await desk.assign(0, { profile: 'works' })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
  attic = await createSyncedHost()
  await pair(desk, attic, 'Attic')
  phone = await createSyncedHost()
  await pair(desk, phone, 'Phone', { user: ann, role: 'member' })
}, 90_000)

afterAll(async () => {
  for (const host of [phone, attic, laptop, desk]) await host?.stop()
})

interface Uploaded {
  readonly id: string
  readonly sha256: string
  readonly content: Buffer
}

async function upload(host: TestHost): Promise<Uploaded> {
  const content = randomBytes(200_000)
  const { fileId: id, sha256 } = await uploadBytes(host, content)
  for (const one of [desk, laptop, attic, phone]) await until('the file is known', async () => told(one, id))
  return { id, sha256, content }
}

const isGone = async (host: TestHost, id: string) => (await told(host, id)) === undefined
const hasBytes = (host: TestHost, { sha256 }: Uploaded): boolean =>
  existsSync(join(host.dataDir, 'files', sha256.slice(0, 2), sha256))

async function isWhole(host: TestHost, { id, content }: Uploaded): Promise<boolean> {
  const answer = await readBytes(host, id)
  return answer.status === 200 && answer.bytes.equals(content)
}

async function remove(host: TestHost, { id }: Uploaded, query = ''): Promise<void> {
  const { status, body } = await host.delete(`/storage/${id}${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
}

async function link(host: TestHost, { id }: Uploaded, field = 'plan', record?: string): Promise<string> {
  const data = { title: 'Late', [field]: { fileId: id } }
  const answer =
    record === undefined ? await host.post('/data/part', data) : await host.patch(`/data/part/${record}`, data)
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
  return answer.body.id
}

describe('a file that is deleted while somebody names it', { timeout: 60_000 }, () => {
  it.each(['desk first', 'attic first'])('keeps its bytes where nobody else has them: %s', async (order) => {
    const file = await upload(desk)
    await pause(laptop, true)
    if (order === 'attic first') await pause(attic, true)
    const record = await link(laptop, file)
    await remove(desk, file)
    expect(await isGone(desk, file.id)).toBe(true)
    if (order === 'desk first') await until('it is gone', () => isGone(attic, file.id))
    await pause(laptop, false)
    if (order === 'attic first') await pause(attic, false)
    for (const host of [desk, laptop, attic, phone]) await until('it is there', async () => told(host, file.id))
    expect((await told(desk, file.id)).place.here).toBe(true)
    for (const host of [desk, laptop, attic]) await until('its bytes are there', () => isWhole(host, file))
    const { uses } = (await desk.get(`/storage/files/${file.id}/uses`)).body.data
    expect(uses).toMatchObject([{ object: 'part', recordId: record, field: 'plan' }])
    expect((await desk.delete(`/storage/${file.id}`)).status).toBe(409)
  })

  it('is named by another field of a record that is there', async () => {
    const file = await upload(desk)
    const record = await link(desk, await upload(desk))
    await until('the record is there', async () => (await laptop.get(`/data/part/${record}`)).status === 200)
    await pause(laptop, true)
    await link(laptop, file, 'other', record)
    await remove(desk, file)
    await pause(laptop, false)
    for (const host of [desk, laptop, attic]) await until('its bytes are there', () => isWhole(host, file))
    expect((await told(desk, file.id)).place.here).toBe(true)
  })

  it('is brought back also where the machine of a member names it', async () => {
    const file = await upload(desk)
    await pause(phone, true)
    await link(phone, file)
    await remove(laptop, file)
    await until('it is gone', () => isGone(desk, file.id))
    await pause(phone, false)
    for (const host of [desk, laptop, attic, phone]) await until('its bytes are there', () => isWhole(host, file))
    expect((await told(desk, file.id)).place.here).toBe(true)
  })

  it('is named by a record that comes out of the trash', async () => {
    const file = await upload(desk)
    const record = await link(desk, file)
    expect((await desk.delete(`/data/part/${record}`)).status).toBe(200)
    await until('the record is gone', async () => (await laptop.get(`/data/part/${record}`)).status === 404)
    await pause(laptop, true)
    expect((await laptop.post(`/data/part/${record}/restore`)).status).toBe(200)
    await remove(desk, file)
    await pause(laptop, false)
    for (const host of [desk, laptop, attic]) await until('its bytes are there', () => isWhole(host, file))
    expect((await told(desk, file.id)).place.here).toBe(true)
  })

  it('goes at once, with its bytes, where that is forced; who named it without knowing is told, and nobody brings it back', async () => {
    const file = await upload(desk)
    const seen = await link(desk, file)
    await until('the record is there', async () => (await laptop.get(`/data/part/${seen}`)).status === 200)
    await pause(laptop, true)
    const record = await link(laptop, file)
    await remove(desk, file, '?force=true')
    expect(hasBytes(desk, file)).toBe(false)
    await pause(laptop, false)
    await until('the record is there', async () => (await desk.get(`/data/part/${record}`)).status === 200)
    for (const host of [desk, laptop, attic]) await until('it is gone', () => isGone(host, file.id))
    const listed = async (host: TestHost) => (await host.get('/sync/conflicts')).body.conflicts
    for (const host of [desk, laptop, attic]) {
      await until('it is listed', async () => (await listed(host)).length > 0)
      expect(await listed(host)).toMatchObject([
        {
          kind: 'validation',
          recordId: record,
          field: 'plan',
          winner: { value: { rule: 'plan.file', limit: 'file', message: expect.stringContaining('"plan.bin"') } },
        },
      ])
    }
    expect((await attic.patch(`/data/part/${record}`, { plan: null })).status).toBe(200)
    for (const host of [desk, laptop, attic]) await until('it is over', async () => (await listed(host)).length === 0)
  })

  it('of a file that is there nothing is read to apply a record that names it', async () => {
    const file = await upload(desk)
    const database = new Sqlite(join(laptop.dataDir, 'cairn.db'))
    try {
      // Whoever reads it meets a document that is damaged, and the record lies aside.
      const damage = database.prepare('UPDATE sync_doc SET crc = crc + ? WHERE name = ?')
      expect(damage.run(1, `b/${file.id}`).changes).toBe(1)
      const record = await link(desk, file)
      await inStep([desk, laptop])
      expect((await laptop.get(`/data/part/${record}`)).status).toBe(200)
      damage.run(-1, `b/${file.id}`)
    } finally {
      database.close()
    }
  })

  it('is gone while nobody names it, and its bytes stay for a time', async () => {
    const file = await upload(desk)
    await remove(desk, file)
    for (const host of [desk, laptop, attic]) await until('it is gone', () => isGone(host, file.id))
    expect(hasBytes(desk, file)).toBe(true)
    const { sizeBytes } = (await desk.get('/storage/usage')).body.data
    const again = await upload(desk)
    await remove(desk, again, '?force=true')
    expect((await desk.get('/storage/usage')).body.data.sizeBytes).toBe(sizeBytes)
  })

  it('is brought back with the next start where the machine stopped before that', async () => {
    const file = await upload(desk)
    await pause(laptop, true)
    const record = await link(laptop, file)
    await remove(desk, file)
    const tried = new Set<TestHost>()
    // All that brings a file back fails, as when the machine ends there.
    for (const one of [desk, laptop, attic])
      vi.spyOn(one.host.plugins.service('storage')!, 'placeRemote').mockImplementation(() => {
        tried.add(one)
        throw new Error('It ends here.')
      })
    await pause(laptop, false)
    for (const host of [desk, attic])
      await until('the record is there', async () => (await host.get(`/data/part/${record}`)).status === 200)
    await until('all have tried', () => tried.size === 3)
    vi.restoreAllMocks()
    expect(await isGone(desk, file.id)).toBe(true)
    await laptop.restart()
    for (const host of [desk, laptop, attic, phone]) await until('it is there', async () => told(host, file.id))
    expect((await told(desk, file.id)).place.here).toBe(true)
  })

  it('is said to be missing where no machine has its bytes any more', async () => {
    const file = await upload(desk)
    const place = join(desk.dataDir, 'files', file.sha256.slice(0, 2), file.sha256)
    rmSync(place)
    for (const host of [desk, laptop]) {
      const answer = await host.get(`/storage/${file.id}`)
      // Whether the attic has them the laptop, which only sees the desk, cannot tell.
      const [status, details] =
        host === desk ? [404, { reason: 'bytes_missing' }] : [503, { reason: 'file_elsewhere', machine: null }]
      expect([answer.status, answer.body.error.details]).toMatchObject([status, details])
    }
    const unknown = await upload(laptop)
    rmSync(join(laptop.dataDir, 'files', unknown.sha256.slice(0, 2), unknown.sha256))
    const answer = await desk.get(`/storage/${unknown.id}`)
    expect([answer.status, answer.body.error.details.reason]).toEqual([404, 'bytes_missing'])
  })
})
