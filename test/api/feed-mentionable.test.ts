// Whom one can mention on a record: the people who may read it, and nobody else (D-25, D-137).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { newRecord } from '../support/feed-calls.ts'

let host: AuthHost
let record: string

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('task', { title: { type: 'text' } }, { sharingModel: 'private' })
  record = `task/${await newRecord(host, 'task', { title: 'One' })}`
  const reader = { name: 'reader', objects: { task: { allowRead: true, viewAllRecords: true } } }
  await host.put('/meta/permission/reader', { type: 'permission', name: 'reader', item: reader })
  for (const name of ['leo', 'lena', 'stranger']) await host.account(name)
  for (const name of ['leo', 'lena']) {
    const { id } = (await host.get('/auth/admin/list-users?limit=100')).body.users.find(
      (user: { username?: string; email: string }) => user.username === name || user.email.startsWith(name),
    )
    await host.put(`/permissions/assignments/${id}`, { permissionSets: ['reader'] })
  }
})
afterAll(() => host.stop())

it('are those who may read the record, by a beginning of a word of their name', async () => {
  const token = await host.signIn('leo')
  const ask = async (query: string) => host.as(token, 'GET', `/data/${record}/feed/mentionable?query=${query}`)
  const found = await ask('le')
  expect(found.status).toBe(200)
  const names = found.body.data.people.map(({ name }: { name: string }) => name.toLowerCase())
  expect(names).toHaveLength(2)
  expect(names.join()).toMatch(/lena.*leo/)
  expect(found.body.data.hasMore).toBe(false)
  expect(JSON.stringify((await ask('')).body)).not.toMatch(/stranger/i)
  expect((await ask('stra')).body.data.people).toEqual([])
})

it('are told to nobody who may not read the record', async () => {
  const token = await host.signIn('stranger')
  expect((await host.as(token, 'GET', `/data/${record}/feed/mentionable`)).status).toBe(404)
})
