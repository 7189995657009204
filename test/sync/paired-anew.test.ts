// A machine that was unpaired with edits nobody else has, and is paired again: it goes on where it stopped, and only in the
// workspace it was in.
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { beginPairing, createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
let stranger: TestHost

beforeEach(async () => {
  ;[desk, laptop, stranger] = await Promise.all([startFounder('Desk'), createSyncedHost(), startFounder('Stranger')])
})

afterEach(async () => {
  await Promise.all([desk, laptop, stranger].map((host) => host.stop()))
})

const read = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record
const statusOf = async (host: TestHost) => (await host.get('/sync/status')).body

const ways = [
  ['while sync stayed on', false],
  ['after sync was turned off', true],
] as const

it.each(ways)(
  'brings what both wrote, and stays out of other workspaces: %s',
  { timeout: 120_000 },
  async (_how, isOff) => {
    await desk.defineObject('part', { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } })
    const { id } = (await desk.post('/data/part', { title: 'start', notes: 'One.' })).body
    await pair(desk, laptop)
    await inStep([desk, laptop])
    const { device } = await statusOf(laptop)
    await laptop.patch('/sync/settings', { paused: true })
    await laptop.patch(`/data/part/${id}`, { title: 'unsent', notes: 'One. Two.' })
    expect((await desk.delete(`/sync/peers/${device.id}`)).status).toBe(200)
    await laptop.patch('/sync/settings', { paused: false })
    const made = (await laptop.post('/data/part', { title: 'made while out' })).body.id
    await desk.patch(`/data/part/${id}`, { size: 7 })

    const { inviterId, joinerId } = await beginPairing(stranger, laptop)
    for (const [host, pairing] of [
      [stranger, inviterId],
      [laptop, joinerId],
    ] as const)
      await host.post(`/sync/pairing/${pairing}/confirm`, { matches: true })
    const failed = await until('that comes to nothing', async () => {
      const { body } = await laptop.get(`/sync/pairing/${joinerId}`)
      return body.state === 'failed' ? body : undefined
    })
    expect(failed.reason).toBe('workspace_not_empty')
    expect((await statusOf(laptop)).device.id).toBe(device.id)

    if (isOff) {
      await laptop.post('/sync/disable')
      await laptop.patch(`/data/part/${id}`, { notes: 'One. Two. Three.' })
    }
    await pair(desk, laptop)
    await inStep([desk, laptop])
    expect((await statusOf(laptop)).device.id).toBe(device.id)
    for (const host of [desk, laptop]) {
      expect(await read(host, id)).toMatchObject({
        title: 'unsent',
        size: 7,
        notes: isOff ? 'One. Two. Three.' : 'One. Two.',
      })
      expect(await read(host, made)).toMatchObject({ title: 'made while out' })
      expect((await host.get('/sync/conflicts')).body.total).toBe(0)
    }
  },
)
