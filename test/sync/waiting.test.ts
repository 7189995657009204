// What a machine has and cannot put in its place: listed with the reason and counted, while everything else goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', { title: { type: 'text' }, amount: { type: 'number' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const rule = (condition: string) => ({ name: 'part.dear', object: 'part', type: 'script', condition, message: 'No.' })
const waitingOn = async (host: TestHost) => (await host.get('/sync/problems')).body.waiting

describe('a definition that cannot be stored', () => {
  it('is listed with its reason, counted, told of, and holds nothing else up', async () => {
    await laptop.patch('/sync/settings', { paused: true })
    // One writes a rule about a field that the other removes.
    expect((await desk.put('/meta/validation/part.dear', rule('record.amount > 1'))).status).toBe(200)
    const { item } = (await laptop.get('/meta/object/part')).body
    const { amount: _amount, ...fields } = item.fields
    expect((await laptop.put('/meta/object/part?confirm=true', { ...item, fields })).status).toBe(200)
    await laptop.patch('/sync/settings', { paused: false })
    const [host, tried] = await until('it waits on one of them', async () => {
      for (const one of [desk, laptop]) {
        const [entry] = await waitingOn(one)
        if (entry !== undefined && entry.reason !== 'not_tried') return [one, entry] as const
      }
      return undefined
    })
    expect(tried).toMatchObject({ kind: 'metadata', type: 'validation', name: 'part.dear', count: 1 })
    expect(tried).toMatchObject({ reason: 'validation_error', since: expect.any(String) })
    expect(tried.detail).not.toBe('')
    const status = await until('it is told', async () => {
      const { body } = await host.get('/sync/status')
      return body.state === 'attention' ? body : undefined
    })
    expect(status).toMatchObject({ reason: 'waiting', counts: { waiting: 1, conflicts: 0, parked: 0, quarantined: 0 } })
    const { waiting } = (await host.get('/sync/diagnostics')).body
    expect(waiting).toEqual([
      { kind: 'metadata', type: 'validation', count: 1, reason: 'validation_error', since: tried.since },
    ])
    const other = host === desk ? laptop : desk
    const { id } = (await other.post('/data/part', { title: 'Goes on' })).body
    await until('it came', async () => (await host.get(`/data/part/${id}`)).body.record?.title === 'Goes on')
    expect((await desk.put('/meta/validation/part.dear', rule('record.title == "x"'))).status).toBe(200)
    await until('nothing waits', async () => {
      const found = await Promise.all([desk, laptop].map(waitingOn))
      return found.flat().length === 0
    })
    for (const one of [desk, laptop])
      await until('all is equal', async () => (await one.get('/sync/status')).body.state === 'up_to_date')
  })
})
