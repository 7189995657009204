// What a machine wrote before it was unpaired is what the others hold: machines that come later get it, too, and so do those
// that were away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, listen, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost
let phone: TestHost
let tablet: TestHost | undefined

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', { title: { type: 'text' } })
  laptop = await createSyncedHost()
  await listen(laptop)
  await pair(desk, laptop, 'Laptop')
  phone = await createSyncedHost()
  await pair(desk, phone, 'Phone')
  await inStep([desk, laptop, phone])
}, 60_000)

afterAll(async () => {
  for (const host of [tablet, phone, laptop, desk]) await host?.stop()
})

const idOf = async (host: TestHost): Promise<string> => (await host.get('/sync/status')).body.device.id
const titleOn = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record?.title

async function made(title: string, host: TestHost): Promise<string> {
  const { id } = (await laptop.post('/data/part', { title })).body
  await until(`${title} has arrived`, async () => (await titleOn(host, id)) === title)
  return id
}

describe('what a machine of a member had of an unpaired one', { timeout: 90_000 }, () => {
  it('goes on as its own changes, with what was built on it (D-386)', async () => {
    const hosts: TestHost[] = []
    const begin = async (): Promise<TestHost> => {
      const host = await createSyncedHost()
      hosts.push(host)
      return host
    }
    try {
      const study = await startFounder('Study')
      hosts.push(study)
      await study.defineObject('part', { title: { type: 'text' }, notes: { type: 'markdown' } })
      const [lost, member] = [await begin(), await begin()]
      await listen(lost)
      await pair(study, lost, 'Lost')
      await pair(study, member, 'Member', { role: 'member' })
      await inStep([study, lost, member])
      const [studyId, lostId] = [await idOf(study), await idOf(lost)]
      const { listening } = (await lost.get('/sync/settings')).body
      await member.patch(`/sync/peers/${studyId}`, { paused: true })
      await lost.patch(`/sync/peers/${studyId}`, { paused: true })
      await member.patch(`/sync/peers/${lostId}`, { address: listening[0] })
      const { id } = (await lost.post('/data/part', { title: 'Made there', notes: 'One two' })).body
      const { id: other } = (await lost.post('/data/part', { title: 'Left as it was' })).body
      await until('both have arrived', async () => (await titleOn(member, other)) === 'Left as it was')
      const edit = { title: 'Edited by the member', notes: 'One two three' }
      expect((await member.patch(`/data/part/${id}`, edit)).status).toBe(200)
      await member.patch(`/sync/peers/${lostId}`, { paused: true })
      expect((await study.delete(`/sync/peers/${lostId}`)).status).toBe(200)
      await member.patch(`/sync/peers/${studyId}`, { paused: false })
      await until('the edit arrives', async () => (await titleOn(study, id)) === 'Edited by the member')
      await inStep([study, member])
      for (const host of [study, member]) {
        expect((await host.get(`/data/part/${id}`)).body.record).toMatchObject(edit)
        expect(await titleOn(host, other)).toBe('Left as it was')
        expect((await host.get('/sync/status')).body.counts).toMatchObject({ parked: 0, quarantined: 0, conflicts: 0 })
      }
      const later = await begin()
      await pair(study, later, 'Later')
      await inStep([study, member, later])
      expect((await later.get(`/data/part/${id}`)).body.record).toMatchObject(edit)
    } finally {
      for (const host of hosts) await host.stop()
    }
  })
})

describe('what a machine wrote before it was unpaired', { timeout: 90_000 }, () => {
  it('reaches those that were away, and those that come later (D-386)', async () => {
    const [deskId, laptopId] = [await idOf(desk), await idOf(laptop)]
    const { listening } = (await laptop.get('/sync/settings')).body
    const setPaused = (paused: boolean) => phone.patch(`/sync/peers/${deskId}`, { paused })
    await setPaused(true)
    const known = await made('Known at the desk', desk)
    // The desk hears nothing of what the laptop writes now.
    await laptop.patch(`/sync/peers/${deskId}`, { paused: true })
    await phone.patch(`/sync/peers/${laptopId}`, { address: listening[0] })
    const unknown = await made('Known on the phone', phone)
    await phone.patch(`/sync/peers/${laptopId}`, { paused: true })
    expect((await desk.delete(`/sync/peers/${laptopId}`)).status).toBe(200)
    await setPaused(false)
    await until('the desk has what the phone had', async () => (await titleOn(desk, unknown)) !== undefined)
    await inStep([desk, phone])

    tablet = await createSyncedHost()
    await pair(desk, tablet, 'Tablet')
    await inStep([desk, phone, tablet])
    for (const host of [desk, phone, tablet]) {
      expect(await titleOn(host, known)).toBe('Known at the desk')
      expect(await titleOn(host, unknown)).toBe('Known on the phone')
      expect((await host.get('/data/part')).body.records).toHaveLength(2)
    }
  })
})
