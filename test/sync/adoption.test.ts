// A machine on which somebody has worked alone joins a workspace: what it holds stays there until its person brings it in.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { made } from '../support/record-calls.ts'
import { createSyncedHost, listen, pair, until, withoutBackups } from '../support/synced-hosts.ts'
import type { Invited } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

const ann = testUserId(0)
let desk: PeopledHost
const open: TestHost[] = []

/** The same on every machine that has installed it. */
const manifest = {
  ...{ id: 'example.parts', name: 'Parts', version: '1.0.0', namespace: 'parts' },
  metadata: [
    {
      ...{ type: 'object', name: 'parts_item' },
      item: { label: 'Part', fields: { title: { type: 'text' }, notes: { type: 'markdown' } } },
    },
  ],
}

async function install(host: TestHost): Promise<void> {
  const { status, body } = await host.post('/packages/install', { manifest })
  expect(status, JSON.stringify(body)).toBe(201)
}

beforeAll(async () => {
  desk = await createPeopledHost({ users: [{}] }, withoutBackups)
  const everything = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, modifyAllRecords: true }
  await desk.saveItem('profile', 'works', { label: 'Works', objects: { '*': everything } })
  await install(desk)
  await desk.assign(0, { profile: 'works' })
  await listen(desk)
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await desk.defineObject('task', { title: { type: 'text' } })
  await made(desk, 'task', { title: 'Of the workspace' })
}, 60_000)

afterAll(async () => {
  for (const host of open) await host.stop()
  await desk?.stop()
})

/** A machine with an object and records of its own that joins. */
async function joined(invited: Invited): Promise<{ host: TestHost; own: string; part: string }> {
  const host = await createSyncedHost()
  open.push(host)
  await install(host)
  await host.defineObject('album', { title: { type: 'text' } })
  await host.defineObject('task', { title: { type: 'text' }, album: { type: 'lookup', reference: 'album' } })
  const album = await made(host, 'album', { title: 'Mine' })
  const own = await made(host, 'task', { title: 'Mine', album })
  const part = await made(host, 'parts_item', { title: 'Mine', notes: 'Words' })
  await addItem(host, `parts_item/${part}`, { body: 'Said alone' })
  const { invite } = { invite: (await desk.post('/sync/pairing', invited)).body }
  const refused = await host.post('/sync/pairing/join', { link: invite.link, deviceName: 'Laptop' })
  expect([refused.status, refused.body.error?.details]).toEqual([409, { reason: 'workspace_not_empty' }])
  const half = lookForHalf(host)
  await pair(desk, host, 'Laptop', invited, { keepOwn: true })
  expect(await half()).toBe(false)
  await until('the workspace is here', async () => (await titlesOf(host, 'task')).join() === 'Of the workspace')
  return { host, own, part }
}

/** Looks while a machine joins for what a stop must not leave: its records kept aside, and no workspace. */
function lookForHalf(host: TestHost): () => Promise<boolean> {
  let isOver = false
  let isHalf = false
  const sql = 'SELECT 1 FROM sync_aside WHERE NOT EXISTS (SELECT 1 FROM sync_workspace WHERE length(ws) > 0)'
  const looked = (async () => {
    for (; !isOver; await nextTurn()) isHalf ||= host.host.database.read.get(statement(sql)) !== undefined
  })()
  return async () => {
    isOver = true
    await looked
    return isHalf
  }
}

const asideOf = async (host: TestHost) => (await host.get('/sync/aside')).body.objects
const titlesOf = async (host: TestHost, object: string): Promise<string[]> =>
  ((await host.get(`/data/${object}`)).body.records ?? []).map(({ title }: { title: string }) => title).toSorted()

async function agree(host: TestHost): Promise<void> {
  for (const one of [desk, host])
    await until('the other one has it on disk', async () => {
      const { body } = await one.post('/sync/barrier', { on: 'any', timeoutMs: 10_000 })
      return body.reached
    })
  await until('both hold the same', async () => {
    const [here, there] = await Promise.all([desk, host].map(async (one) => one.get('/sync/diagnostics')))
    return here!.body.digest !== null && here!.body.digest === there!.body.digest
  })
}

describe('what a machine held before it joined', { timeout: 90_000 }, () => {
  it('stays on a member’s machine, and comes in as that of its person where the workspace has the object', async () => {
    const { host, own, part } = await joined({ user: ann, role: 'member' })
    const aside = [
      { object: 'album', label: 'Albums', records: 1, isDefined: false, mayAdopt: false },
      { object: 'parts_item', label: 'Parts', records: 1, isDefined: true, mayAdopt: true },
      { object: 'task_2', label: 'Task 2s', records: 1, isDefined: false, mayAdopt: false },
    ]
    await until('all of it is listed', async () => JSON.stringify(await asideOf(host)) === JSON.stringify(aside))
    // Work on it goes on, and none of it leaves.
    expect((await host.patch(`/data/parts_item/${part}`, { title: 'Mine, changed' })).status).toBe(200)
    expect((await host.patch(`/data/task_2/${own}`, { title: 'Mine, changed' })).status).toBe(200)
    await addItem(host, `parts_item/${part}`, { body: 'Said since' })
    await agree(host)
    expect(await titlesOf(desk, 'parts_item')).toEqual([])
    expect(await titlesOf(host, 'task')).toEqual(['Of the workspace'])
    const refused = await host.post('/sync/aside/adopt', { objects: ['album'] })
    expect(refused.status).toBe(400)

    const adopted = await host.post('/sync/aside/adopt', { objects: ['parts_item'] })
    expect(adopted.status, JSON.stringify(adopted.body)).toBe(200)
    expect(adopted.body.objects.map(({ object }: { object: string }) => object)).toEqual(['album', 'task_2'])
    await until('it is there', async () => (await titlesOf(desk, 'parts_item')).length === 1)
    await agree(host)
    const { record } = (await desk.get(`/data/parts_item/${part}`)).body
    expect(record).toMatchObject({ title: 'Mine, changed', notes: 'Words', created_by: ann, owner: ann })
    // What was said of a record follows it.
    const said = async (): Promise<[string, string][]> => {
      const { items } = await pageOf(desk, `parts_item/${part}/feed?type=comments_only`)
      return items.map(({ body, actor }: { body: string; actor: { id: string } }) => [body, actor.id])
    }
    await until('what was said is there', async () => (await said()).length === 2)
    expect((await said()).toSorted()).toEqual([
      ['Said alone', ann],
      ['Said since', ann],
    ])
    expect((await host.get(`/data/parts_item/${part}`)).body.record.created_by).toBe(localOwnerId)
    for (const one of [desk, host]) expect((await one.get('/sync/conflicts')).body.conflicts).toEqual([])
    expect((await host.get('/sync/status')).body.counts).toMatchObject({ refused: 0, parked: 0, quarantined: 0 })
  })

  it('stays there when sync is turned off and on, and after a restart', async () => {
    const [host] = open as [TestHost]
    await host.restart()
    expect((await host.post('/sync/disable')).status).toBe(200)
    expect((await host.post('/sync/enable', {})).status).toBe(202)
    await agree(host)
    expect((await asideOf(host)).map(({ object }: { object: string }) => object)).toEqual(['album', 'task_2'])
    expect((await host.get('/sync/status')).body.counts).toMatchObject({ refused: 0, parked: 0, quarantined: 0 })
  })

  it('brings its definitions along on the machine of an administrator, with what they refer to', async () => {
    const { host, own } = await joined({ role: 'admin' })
    const adopted = await host.post('/sync/aside/adopt', { objects: ['task_2'] })
    expect(adopted.status, JSON.stringify(adopted.body)).toBe(200)
    expect(adopted.body.objects.map(({ object }: { object: string }) => object)).toEqual(['parts_item'])
    await until('it is there', async () => (await desk.get(`/data/task_2/${own}?expand=album`)).status === 200)
    await agree(host)
    expect(await titlesOf(desk, 'album')).toEqual(['Mine'])
    expect(await titlesOf(desk, 'task_2')).toEqual(['Mine'])
    expect(await titlesOf(desk, 'task')).toEqual(['Of the workspace'])
  })
})
