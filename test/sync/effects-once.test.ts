// What a change sets off happens once in a workspace of two machines: a flow on the machine where the change was made, a webhook
// on the machine it belongs to; and what was put in the trash, taken out again, or reacted to, is the same on both.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { areOver, rowOf, runsWhen, saveFlow } from '../support/flow-calls.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import { changed, made } from '../support/record-calls.ts'
import { createSyncedHost, inStep, pair, pause, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
let target: HookPeer

beforeAll(async () => {
  target = await startHookPeer()
  ;[desk, laptop] = await Promise.all([startFounder('Desk'), createSyncedHost()])
  await desk.defineObject('part', { title: { type: 'text' } })
  await desk.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  const triggers = ['create', 'update', 'delete', 'undelete']
  const { status, body } = await desk.post('/webhooks', { name: 'told', url: target.url, object: 'part', triggers })
  expect(status, JSON.stringify(body)).toBe(201)
  const { nodes, edges } = rowOf()
  const [start, ...rest] = nodes
  const config = { object: 'part', events: ['create', 'update'] }
  await saveFlow(desk, 'hears', { type: 'record_change', nodes: [{ ...start, config }, ...rest], edges })
  await pair(desk, laptop)
  await inStep([desk, laptop])
}, 90_000)

afterAll(async () => {
  await Promise.all([laptop, desk].map((host) => host?.stop()))
  await target?.stop()
})

it.each(['while both are connected', 'while the other one is away'])('%s', { timeout: 90_000 }, async (how) => {
  target.hooks.splice(0)
  const runsOf = async (host: TestHost) =>
    (await host.get('/automation/hears/runs?limit=100')).body.data.total as number
  const before = await Promise.all([desk, laptop].map(runsOf))
  if (how !== 'while both are connected') await pause(laptop, true)
  const ids: string[] = []
  for (const host of [desk, laptop]) {
    const id = await made(host, 'part', { title: 'Once' })
    ids.push(id)
    await changed(host, 'part', id, { title: 'Twice' })
    const item = await addItem(host, `part/${id}`, { body: 'Good.' })
    expect((await host.post(`/data/part/${id}/feed/${item.id}/reactions`, { emoji: '👍' })).status).toBe(200)
    expect((await host.delete(`/data/part/${id}`)).status).toBe(200)
    expect((await host.post(`/data/part/${id}/restore`)).status).toBe(200)
  }
  if (how !== 'while both are connected') await pause(laptop, false)
  await inStep([desk, laptop])
  for (const host of [desk, laptop])
    for (const id of ids) {
      expect((await host.get(`/data/part/${id}`)).body.record.title).toBe('Twice')
      const { items } = await pageOf(host, `part/${id}/feed`)
      const { reactions } = items.find(({ type }: { type: string }) => type === 'comment')
      expect(reactions).toMatchObject([{ emoji: '👍', count: 1 }])
    }
  // Two runs for each record, each on the machine where it was written.
  for (const [at, host] of [desk, laptop].entries()) {
    await runsWhen(host, 'hears', (runs) => runs.length >= before[at]! + 2 && areOver(runs))
    expect(await runsOf(host)).toBe(before[at]! + 2)
  }
  const told = (id: string): string[] =>
    target.hooks.flatMap(({ body }) => {
      const { recordId, trigger } = body as { recordId: string; trigger: string }
      return recordId === id ? [trigger] : []
    })
  await until('the webhook has told of its own', () => told(ids[0]!).length >= 4)
  expect(told(ids[0]!)).toEqual(['create', 'update', 'delete', 'undelete'])
  await until('and of what came', () => told(ids[1]!).length > 0)
  expect(new Set(told(ids[1]!)).size).toBe(told(ids[1]!).length)
})
