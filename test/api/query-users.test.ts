// What user fields lead to: the people of the workspace in paths, orders and expansions (D-86, D-87).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
const owner = '00000000-0000-7000-8000-000000000001'

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', {
    title: { type: 'text' },
    assignee: { type: 'user' },
    watchers: { type: 'user', multiple: true },
  })
  await host.defineObject('part', { task: { type: 'lookup', reference: 'task' } })
  const { body } = await host.post('/data/task', { title: 'Taken', assignee: owner, watchers: [owner] })
  await host.post('/data/task', { title: 'Free' })
  await host.post('/data/part', { task: body.id })
})
afterAll(() => host.stop())

const titles = async (filter: unknown, object = 'task') => {
  const { status, body } = await host.get(`/data/${object}?filter=${encodeURIComponent(JSON.stringify(filter))}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.records.map((record: { title?: string }) => record.title ?? 'part')
}

it('walks user fields, own and of the system, over lists and further relations', async () => {
  expect(await titles({ 'assignee.name': 'owner' })).toEqual(['Taken'])
  expect(await titles({ 'assignee.name': 'nobody' })).toEqual([])
  expect(await titles({ 'owner.username': 'owner', 'watchers.name': { $startsWith: 'own' } })).toEqual(['Taken'])
  expect(await titles({ 'task.assignee.name': 'owner' }, 'part')).toEqual(['part'])
  const grouped = await host.get(
    `/data/task?groupBy=assignee.name&aggregations=${encodeURIComponent('[{"function":"count","alias":"n"}]')}`,
  )
  expect(grouped.body.records).toEqual([
    { 'assignee.name': null, n: 1 },
    { 'assignee.name': 'owner', n: 1 },
  ])
})

it('replaces ids by people when asked to', async () => {
  const person = { id: owner, name: 'owner', username: 'owner', email: 'owner@cairn.local', image: null }
  const { body } = await host.get('/data/task?expand=assignee,watchers,created_by&filter={"title":"Taken"}')
  expect(body.records[0]).toMatchObject({ assignee: person, watchers: [person], created_by: person })
  const free = await host.get('/data/task?expand=assignee,owner&filter={"title":"Free"}')
  expect(free.body.records[0]).toMatchObject({ assignee: null, owner: person })
  const nested = await host.get('/data/part?expand=task.assignee')
  expect(nested.body.records[0].task.assignee).toEqual(person)
})

it('says which fields people have, and is no object', async () => {
  const wrong = await host.get('/data/task?filter={"assignee.password":"x"}')
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_query'])
  for (const name of ['$user', 'user', '_user']) expect((await host.get(`/data/${name}`)).status).toBe(404)
  await host.defineObject('user', { name: { type: 'text' }, boss: { type: 'user' } })
  await host.post('/data/user', { name: 'a record', boss: owner })
  expect(await titles({ 'owner.name': 'owner' }, 'user')).toHaveLength(1)
  expect((await host.post('/data/task', { assignee: '01900000-0000-7000-8000-000000000009' })).status).toBe(400)
})
