// Two hosts over real connections: paired over HTTP, writing on both, apart and together again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
let early: string

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.post('/sync/disable')
  await desk.defineObject('part', { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } })
  early = (await desk.post('/data/part', { title: 'Early', notes: 'Made before' })).body.id
  await addItem(desk, `part/${early}`, { body: 'Said before' })
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const upToDate = async (...hosts: readonly TestHost[]): Promise<void> => {
  for (const host of hosts)
    await until('all machines have the same', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
}
const title = async (host: TestHost, id: string): Promise<unknown> =>
  (await host.get(`/data/part/${id}`)).body.record?.title

describe('two machines', () => {
  it('have the same after pairing', async () => {
    await until('it is so', async () => (await title(laptop, early)) === 'Early')
    expect((await laptop.get(`/data/part/${early}`)).body.record.notes).toBe('Made before')
    await upToDate(desk, laptop)
    const { body } = await laptop.get('/sync/status')
    expect(body.proof.with).toMatchObject([{ name: 'Desk' }])
    await until('it is so', async () => {
      const { items } = await pageOf(laptop, `part/${early}/feed`)
      return items.some((item: { body?: string }) => item.body === 'Said before')
    })
  })

  it('see what the other writes at once', async () => {
    const { id } = (await desk.post('/data/part', { title: 'Bolt' })).body
    await until('it is so', async () => (await title(laptop, id)) === 'Bolt')
    await laptop.patch(`/data/part/${id}`, { title: 'Screw' })
    await until('it is so', async () => (await title(desk, id)) === 'Screw')
    const { entries } = await pageOf(desk, `part/${id}/changelog`)
    expect(entries.some((entry: { source?: string }) => entry.source === 'sync')).toBe(true)
    await upToDate(desk, laptop)
  })

  it('share new objects and fields', async () => {
    await laptop.defineObject('place', { name: { type: 'text' } })
    const { id } = (await laptop.post('/data/place', { name: 'Shelf' })).body
    await until('it is so', async () => (await desk.get(`/data/place/${id}`)).body?.record?.name === 'Shelf')
    expect((await desk.get('/meta/object/place')).status).toBe(200)
    await upToDate(desk, laptop)
  })

  it('work apart and show what both changed', async () => {
    await laptop.patch('/sync/settings', { paused: true })
    await desk.patch(`/data/part/${early}`, { title: 'From the desk' })
    await laptop.patch(`/data/part/${early}`, { title: 'From the laptop' })
    expect((await laptop.get('/sync/status')).body.outgoing.waiting).toBeGreaterThan(0)
    await laptop.patch('/sync/settings', { paused: false })
    await until('it is so', async () => (await title(desk, early)) === 'From the laptop')
    for (const host of [desk, laptop]) {
      await until('it is so', async () => (await host.get('/sync/conflicts')).body.total === 1)
      const [conflict] = (await host.get('/sync/conflicts')).body.conflicts
      expect(conflict).toMatchObject({ kind: 'field', object: 'part', field: 'title' })
      expect(conflict.winner.value).toBe('From the laptop')
      expect(conflict.losers[0].value).toBe('From the desk')
    }
    const [conflict] = (await desk.get('/sync/conflicts')).body.conflicts
    const resolved = await desk.post(`/sync/conflicts/${conflict.id}/resolve`, { choice: 'loser', loser: 0 })
    expect(resolved.status, JSON.stringify(resolved.body)).toBe(200)
    await until('it is so', async () => (await title(laptop, early)) === 'From the desk')
    for (const host of [desk, laptop])
      await until('it is so', async () => (await host.get('/sync/conflicts')).body.total === 0)
    await upToDate(desk, laptop)
  })

  it('go on after a restart', async () => {
    await laptop.restart()
    const { id } = (await desk.post('/data/part', { title: 'After' })).body
    await until('it is so', async () => (await title(laptop, id)) === 'After')
    const other = (await laptop.post('/data/part', { title: 'Back' })).body.id
    await until('it is so', async () => (await title(desk, other)) === 'Back')
    await upToDate(desk, laptop)
    expect((await laptop.get('/sync/problems')).body.problems).toEqual([])
  })
})
