// Records are compared with their documents only once they are what their documents say: what a definition of another
// machine does to rows is never written over what came with it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, pause, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

it('a default that a definition brings does not take the place of a value', { timeout: 60_000 }, async () => {
  const text = { type: 'markdown' }
  await desk.defineObject('part', { title: { type: 'text' }, one: text, two: text, three: text })
  await until('the object is here', async () => (await laptop.get('/meta/object/part')).status === 200)
  let last = ''
  for (let index = 0; index < 30; index += 1) {
    const texts = { one: `One of ${index}`, two: `Two of ${index}`, three: `Three of ${index}` }
    last = (await laptop.post('/data/part', { title: `Part ${index}`, ...texts })).body.id
  }
  await inStep([desk, laptop])
  expect((await desk.get(`/data/part/${last}`)).status).toBe(200)
  await pause(laptop, true)
  const { item } = (await desk.get('/meta/object/part')).body
  const fields = { ...item.fields, prio: { type: 'text', defaultValue: 'low' } }
  expect((await desk.put('/meta/object/part', { ...item, fields })).status).toBe(200)
  expect((await desk.patch(`/data/part/${last}`, { prio: 'high' })).status).toBe(200)
  await pause(laptop, false)
  await until('the field is here', async () => (await laptop.get(`/data/part/${last}`)).body.record.prio !== undefined)
  await inStep([desk, laptop])
  await until('all have a value', async () => {
    const { records } = (await laptop.get('/data/part?top=100')).body as { records: { prio?: string }[] }
    return records.every(({ prio }) => prio !== undefined && prio !== null)
  })
  await inStep([desk, laptop])
  for (const host of [desk, laptop])
    expect((await host.get(`/data/part/${last}`)).body.record).toMatchObject({ prio: 'high', one: 'One of 29' })
  expect((await laptop.get('/sync/conflicts')).body.conflicts).toEqual([])
})
