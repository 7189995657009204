// Files of several machines (D-322, D-323): what is known of one is everywhere at once, its bytes come when it is opened, from
// whoever has them and may give them.
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { fileTold as told, readBytes, uploadBytes } from '../support/storage-calls.ts'
import { createSyncedHost, listen, pair, pause, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

const ann = testUserId(0)
let desk: PeopledHost
let laptop: TestHost
let phone: TestHost
let early: string

const content = randomBytes(900_000)

const upload = async (host: TestHost, bytes: Uint8Array = content, scope?: string): Promise<string> =>
  (await uploadBytes(host, bytes, scope)).fileId
const known = (host: TestHost, id: string) => until('the file is known', async () => told(host, id))
const gone = (host: TestHost, id: string) => until('the file is gone', async () => (await told(host, id)) === undefined)
const isHere = async (host: TestHost, id: string): Promise<boolean> => (await told(host, id))?.place.here === true
beforeAll(async () => {
  desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  const everything = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true }
  await desk.saveItem('profile', 'works', { label: 'Works', objects: { part: everything } })
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('part', { title: { type: 'text' }, plan: { type: 'file' } })
  await desk.assign(0, { profile: 'works' })
  early = await upload(desk)
  laptop = await createSyncedHost()
  await pair(desk, laptop)
  phone = await createSyncedHost()
  await pair(desk, phone, 'Phone', { user: ann, role: 'member' })
}, 90_000)

afterAll(async () => {
  for (const host of [phone, laptop, desk]) await host?.stop()
})

describe('a file in a workspace of several machines', { timeout: 60_000 }, () => {
  it('is known before its bytes are here, which come when it is opened', async () => {
    const there = await told(desk, early)
    const here = await known(laptop, early)
    expect(here).toMatchObject({ name: 'plan.bin', size: content.length, sha256: there.sha256, scope: 'public' })
    expect(here).toMatchObject({ status: 'ready', createdBy: localOwnerId })
    expect(here.place).toEqual({ here: false, receivedBytes: null, machine: 'Desk' })
    expect((await laptop.get('/storage/usage')).body.data.sizeBytes).toBe(0)
    const { status, bytes } = await readBytes(laptop, early, 'bytes=100000-199999')
    expect([status, bytes.equals(content.subarray(100_000, 200_000))]).toEqual([206, true])
    expect((await told(laptop, early)).place).toEqual({ here: true, receivedBytes: null, machine: null })
    expect((await readBytes(laptop, early)).bytes.equals(content)).toBe(true)
    expect((await laptop.get('/storage/usage')).body.data.sizeBytes).toBe(content.length)
  })

  it('is named by records of any machine, and held by them', async () => {
    const file = await upload(laptop)
    await known(desk, file)
    const { status, body } = await desk.post('/data/part', { title: 'Named', plan: { fileId: file } })
    expect([status, body.record?.plan?.size], JSON.stringify(body)).toEqual([201, content.length])
    const uses = async () => (await laptop.get(`/storage/files/${file}/uses`)).body.data?.uses
    await until('its use is known', async () => (await uses())?.length === 1)
    await until('the record is there', async () => (await laptop.get(`/data/part/${body.id}`)).status === 200)
    const refused = await laptop.delete(`/storage/${file}`)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'delete_restricted'])
    expect((await laptop.delete(`/storage/${file}?force=true`)).status).toBe(200)
    await gone(desk, file)
  })

  it('says whose machine has the bytes while that is not connected, and has them afterwards', async () => {
    const file = await upload(desk)
    await known(laptop, file)
    await pause(laptop, true)
    const { status, bytes } = await readBytes(laptop, file)
    expect(status).toBe(503)
    const { error } = JSON.parse(bytes.toString())
    expect(error).toMatchObject({ code: 'service_unavailable', details: { reason: 'file_elsewhere', machine: 'Desk' } })
    expect(error.message).toContain('"Desk", which is not connected')
    await pause(laptop, false)
    await until('the bytes come', async () => (await readBytes(laptop, file)).status === 200)
  })

  it('goes on where it stopped, and begins anew where what had come was wrong', async () => {
    for (const part of [content.subarray(0, 300_000), randomBytes(300_000), randomBytes(content.length)]) {
      const file = await upload(desk)
      await known(laptop, file)
      const folder = join(laptop.dataDir, 'files', 'arriving')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, file), part)
      expect((await readBytes(laptop, file)).bytes.equals(content)).toBe(true)
    }
  })

  it('comes back where it was deleted without knowing of a record that names it', async () => {
    const file = await upload(desk)
    await known(laptop, file)
    await readBytes(laptop, file)
    await pause(laptop, true)
    const made = await laptop.post('/data/part', { title: 'Late', plan: { fileId: file } })
    expect(made.status).toBe(201)
    expect((await desk.delete(`/storage/${file}`)).status).toBe(200)
    await pause(laptop, false)
    await until('it is back', async () => (await told(desk, file)) !== undefined)
    expect((await readBytes(desk, file)).bytes.equals(content)).toBe(true)
    expect(await isHere(laptop, file)).toBe(true)
  })

  it('comes by itself to a machine that keeps all files, but not to one of somebody who may not read it', async () => {
    const secret = await upload(desk, randomBytes(1_000), 'user')
    const open = await upload(desk, randomBytes(1_000))
    for (const host of [laptop, phone]) await host.patch('/sync/settings', { keepFiles: true })
    for (const host of [laptop, phone]) await until('it is kept', () => isHere(host, open))
    const later = await upload(laptop, randomBytes(200_000), 'private')
    const record = await laptop.post('/data/part', { title: 'For Ann', plan: { fileId: later } })
    expect(record.status).toBe(201)
    await until('it is kept', () =>
      isHere(desk, later).then(async (here) => here || (await readBytes(desk, later)).status === 200),
    )
    await laptop.get(`/storage/${secret}`)
    const rows = async (id: string) =>
      (await until('it is known', async () => (await phone.get(`/storage/files?limit=200`)).body.data)).files.find(
        (one: { fileId: string }) => one.fileId === id,
      )
    expect(await rows(secret)).toBeUndefined()
    expect((await phone.get('/storage/usage')).body.data.sizeBytes).toBeGreaterThan(0)
  })
})
