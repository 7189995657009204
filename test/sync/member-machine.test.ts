// A machine of somebody else's: who works there as the owner of the machine is that person to everybody else, whatever they
// write, and is never taken for the owner of the other machines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { made } from '../support/record-calls.ts'
import { createSyncedHost, listen, pair, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

const ann = testUserId(0)
let desk: PeopledHost
let laptop: TestHost

beforeAll(async () => {
  desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  const everything = {
    ...{ allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowRestore: true },
    ...{ allowPurge: true, modifyAllRecords: true },
  }
  const objects = { '*': { allowRead: true }, part: everything }
  await desk.saveItem('profile', 'works', { label: 'Works', objects })
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('part', {
    title: { type: 'text' },
    notes: { type: 'markdown' },
    keeper: { type: 'user' },
  })
  await desk.assign(0, { profile: 'works' })
  laptop = await createSyncedHost()
  await pair(desk, laptop, 'Laptop', { user: ann, role: 'member' })
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const recordOf = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record
const commentsOf = async (host: TestHost, id: string) =>
  (await pageOf(host, `part/${id}/feed`)).items.filter(({ type }: { type: string }) => type === 'comment')

async function agree(): Promise<void> {
  for (const host of [desk, laptop]) {
    const reached = async () => (await host.post('/sync/barrier', { on: 'all', timeoutMs: 10_000 })).body.reached
    await until('the other one has it on disk', reached)
  }
  await until('both hold the same', async () => {
    const [here, there] = await Promise.all([desk, laptop].map(async (host) => host.get('/sync/diagnostics')))
    return here!.body.digest !== null && here!.body.digest === there!.body.digest
  })
  for (const host of [desk, laptop]) {
    // Equal documents may have rows a moment later.
    await until('nothing waits for its place', async () => {
      const { problems, waiting } = (await host.get('/sync/problems')).body
      return problems.length === 0 && waiting.length === 0
    })
    expect((await host.get('/sync/conflicts')).body.conflicts).toEqual([])
  }
}

describe('the owner of a machine of somebody else', { timeout: 60_000 }, () => {
  it('is the person it was paired for to the others, and the owner there', async () => {
    const id = await made(laptop, 'part', { title: 'Hers', notes: 'A text', keeper: localOwnerId })
    await agree()
    expect(await recordOf(desk, id)).toMatchObject({ title: 'Hers', notes: 'A text', created_by: ann, owner: ann })
    expect((await recordOf(desk, id)).keeper).toBe(ann)
    const here = await recordOf(laptop, id)
    expect(here).toMatchObject({ created_by: localOwnerId, owner: localOwnerId, keeper: localOwnerId })
  })

  it('is told from the owner of the other machine', async () => {
    const id = await made(desk, 'part', { title: 'Theirs', keeper: localOwnerId })
    const hers = (await desk.as(0).post('/data/part', { title: 'Hers, at the desk' })).body.id
    await agree()
    expect(await recordOf(laptop, id)).toMatchObject({ created_by: ann, owner: ann, keeper: ann })
    expect(await recordOf(laptop, hers)).toMatchObject({ created_by: localOwnerId, owner: localOwnerId })
    expect((await laptop.patch(`/data/part/${id}`, { title: 'Theirs, seen' })).status).toBe(200)
    await agree()
    expect(await recordOf(desk, id)).toMatchObject({ title: 'Theirs, seen', owner: localOwnerId, updated_by: ann })
  })

  it('deletes, restores, comments and reacts as that person', async () => {
    const id = await made(desk, 'part', { title: 'Talked about' })
    const said = await addItem(desk, `part/${id}`, { body: 'From the desk' })
    await agree()
    const own = await addItem(laptop, `part/${id}`, { body: 'From the laptop' })
    for (const item of [said, own])
      expect((await laptop.post(`/data/part/${id}/feed/${item.id}/reactions`, { emoji: '👍' })).status).toBeLessThan(
        300,
      )
    expect((await desk.post(`/data/part/${id}/feed/${said.id}/reactions`, { emoji: '👍' })).status).toBeLessThan(300)
    await agree()
    const byBody = (items: { body: string; actor: { id: string }; reactions: { count: number }[] }[]) =>
      Object.fromEntries(items.map(({ body, actor, reactions }) => [body, [actor.id, reactions[0]?.count]]))
    expect(byBody(await commentsOf(desk, id))).toEqual({
      'From the desk': [localOwnerId, 2],
      'From the laptop': [ann, 1],
    })
    expect(byBody(await commentsOf(laptop, id))).toEqual({
      'From the desk': [ann, 2],
      'From the laptop': [localOwnerId, 1],
    })
    expect((await laptop.delete(`/data/part/${id}`)).status).toBe(200)
    await agree()
    expect((await desk.get(`/data/part/${id}`)).status).toBe(404)
    expect((await laptop.post(`/data/part/${id}/restore`)).status).toBe(200)
    await agree()
    expect(await recordOf(desk, id)).toMatchObject({ title: 'Talked about' })
  })

  it('stays so when sync was off, and after a restart', async () => {
    const id = await made(desk, 'part', { title: 'Before' })
    await agree()
    expect((await laptop.post('/sync/disable')).status).toBe(200)
    const added = await made(laptop, 'part', { title: 'Meanwhile', keeper: localOwnerId })
    await laptop.patch(`/data/part/${id}`, { title: 'Changed meanwhile' })
    await addItem(laptop, `part/${id}`, { body: 'Meanwhile' })
    await laptop.restart()
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await agree()
    expect(await recordOf(desk, added)).toMatchObject({ title: 'Meanwhile', created_by: ann, owner: ann, keeper: ann })
    expect(await recordOf(desk, id)).toMatchObject({ title: 'Changed meanwhile', owner: localOwnerId })
    expect((await commentsOf(desk, id)).map(({ actor }: { actor: { id: string } }) => actor.id)).toEqual([ann])
  })
})
