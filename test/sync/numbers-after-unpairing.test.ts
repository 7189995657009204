// Numbers go on when the machine that gave them is gone: the oldest machine of an administrator gives them from then on.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let study: TestHost
let laptop: TestHost

beforeAll(async () => {
  study = await startFounder()
  await study.defineObject('ticket', {
    title: { type: 'text' },
    no: { type: 'autonumber', autonumberFormat: 'T-{0000}' },
  })
  laptop = await createSyncedHost()
  await pair(study, laptop)
}, 90_000)

afterAll(async () => laptop?.stop())

const numberOf = async (id: string): Promise<string> => (await laptop.get(`/data/ticket/${id}`)).body.record.no

it('gives records their number that waited for a machine which was unpaired', async () => {
  const [first, second] = ['first', 'second'].map((title) => ({ title }))
  expect((await study.post('/data/ticket', first)).body.record.no).toBe('T-0001')
  await inStep([study, laptop])
  await study.stop()

  const { id } = (await laptop.post('/data/ticket', second)).body
  expect(await numberOf(id)).toMatch(/^#~/)
  const [peer] = (await laptop.get('/sync/peers')).body.peers
  expect((await laptop.delete(`/sync/peers/${peer.id}`)).status).toBe(200)

  await until('it has its number', async () => (await numberOf(id)) === 'T-0002')
  const third = await laptop.post('/data/ticket', { title: 'third' })
  expect(third.body.record.no).toBe('T-0003')
})
