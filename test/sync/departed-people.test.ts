// The machine of a person whose account is locked or removed elsewhere: nothing it writes counts while it is locked, and it
// takes part no more once there is no account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
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
    const { entries } = (await desk.get('/audit?kind=machine.*')).body
    expect(entries).toMatchObject([
      { kind: 'machine.unpaired', details: { device: peers[0].id } },
      { kind: 'machine.paired', details: { device: peers[0].id, name: 'Laptop', user: person, role: 'member' } },
    ])
  })

  it('leaves no flow that acts as the system on the word of who is gone (D-419)', async () => {
    const account = { email: 'kim@example.org', name: 'Kim', password: 'a long password of kim' }
    const made = await desk.post('/auth/admin/create-user', { ...account, role: 'admin' })
    const { token } = (await desk.anonymous('POST', '/auth/sign-in/email', account)).body
    const headers = { authorization: `Bearer ${token}` }
    const post = (path: string, body?: unknown) => desk.anonymous('POST', path, body, headers)
    const config = { object: 'part', data: { title: 'as the system' } }
    await saveFlow({ post }, 'stays', { runAs: 'system', ...rowOf({ id: 'c', type: 'create_record', config }) })
    expect((await desk.post('/automation/stays/trigger')).status).toBe(200)
    await desk.post('/auth/admin/remove-user', { userId: made.body.user.id })
    expect((await desk.post('/automation/stays/trigger')).status).toBe(422)
    await desk.post('/automation/stays/toggle', { enabled: true })
    expect((await desk.post('/automation/stays/trigger')).status).toBe(200)
  })

  it('is unpaired, where it is one of administrators, once the person is none any more (D-419)', async () => {
    const account = { email: 'max@example.org', name: 'Max', password: 'a long password of his', role: 'admin' }
    const user = (await desk.post('/auth/admin/create-user', account)).body.user.id as string
    const tablet = await createSyncedHost()
    await pair(desk, tablet, 'His tablet', { user, role: 'admin' })
    await desk.post('/auth/admin/set-role', { userId: user, role: 'user' })
    await tablet.defineObject('planted', { title: { type: 'text' } })
    await until('the tablet is shut out', async () => (await tablet.get('/sync/status')).body.reason === 'unpaired')
    expect((await desk.get('/meta/object/planted')).status).toBe(404)
    await tablet.stop()
  })

  it('is unpaired with the proof that somebody else made the account for an address (D-35)', async () => {
    const email = 'eve@example.org'
    const account = { email, name: 'Eve', password: 'of whoever made it' }
    const user = (await desk.post('/auth/admin/create-user', account)).body.user.id as string
    const made = { sql: 'UPDATE auth_user SET selfMade = 1 WHERE id = ?', parameters: [user] }
    await desk.host.database.write('test.signed-up', (tx) => void tx.run(made))
    const tablet = await createSyncedHost()
    await pair(desk, tablet, 'Tablet', { user, role: 'member' })
    await desk.anonymous('POST', '/auth/request-password-reset', { email })
    const link = await until('the mail waits', async () => {
      const { messages } = (await desk.get('/auth/outbox')).body as { messages: { to: string; content: string }[] }
      return messages.find(({ to }) => to === email)?.content
    })
    const body = { token: new URL(link).pathname.split('/').at(-1), newPassword: 'of the owner of the address' }
    expect((await desk.anonymous('POST', '/auth/reset-password', body)).status).toBe(200)
    await until('the tablet is shut out', async () => (await tablet.get('/sync/status')).body.reason === 'unpaired')
    await tablet.stop()
  })
})
