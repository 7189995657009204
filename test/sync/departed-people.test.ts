// The machine of a person whose account is locked or removed elsewhere: nothing it writes counts while it is locked, and it
// takes part no more once there is no account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
let person: string

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', { title: { type: 'text' } })
  const account = { email: 'ann@example.org', name: 'Ann', password: 'a long password of hers' }
  person = (await desk.post('/auth/admin/create-user', account)).body.user.id
  laptop = await createSyncedHost()
  await pair(desk, laptop, 'Laptop', { user: person, role: 'member' })
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const titleOn = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record?.title

async function written(title: string): Promise<string> {
  const { id } = (await laptop.post('/data/part', { title })).body
  const reached = async () => (await laptop.post('/sync/barrier', { timeoutMs: 10_000 })).body.reached
  await until('the desk has it on disk', reached)
  return id
}

describe('the machine of a person', { timeout: 60_000 }, () => {
  it('has what it writes refused while the account is locked, and accepted afterwards (D-385)', async () => {
    await desk.post('/auth/admin/ban-user', { userId: person })
    const id = await written('While she is locked out')
    const refused = async () => (await laptop.get(`/sync/conflicts?kind=refused&recordId=${id}`)).body.conflicts
    await until('the laptop is told', async () => (await refused()).length === 1)
    expect(await titleOn(desk, id)).toBeUndefined()
    await desk.post('/auth/admin/unban-user', { userId: person })
    await until('it has arrived', async () => (await titleOn(desk, id)) === 'While she is locked out')
    await until('nothing is refused', async () => (await refused()).length === 0)
  })

  it('is unpaired with the removal of the account (D-385)', async () => {
    expect((await desk.post('/auth/admin/remove-user', { userId: person })).status).toBe(200)
    await until('the laptop is shut out', async () => (await laptop.get('/sync/status')).body.reason === 'unpaired')
    const { peers } = (await desk.get('/sync/peers')).body
    expect(peers).toMatchObject([{ name: 'Laptop', state: 'unpaired' }])
    const { id } = (await laptop.post('/data/part', { title: 'After she has left' })).body
    expect(await titleOn(desk, id)).toBeUndefined()
  })
})
