// An object that gets another name while several machines share it: what leads to its records still does, everywhere.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder } from '../support/synced-hosts.ts'

const hosts: TestHost[] = []
let target = ''
let path = ''

beforeAll(async () => {
  const desk = await startFounder('Desk')
  const laptop = await createSyncedHost()
  hosts.push(desk, laptop)
  await pair(desk, laptop)
  await desk.defineObject('firm', { title: { type: 'text' } })
  await desk.defineObject('deal', {
    title: { type: 'text' },
    firm: { type: 'lookup', reference: 'firm' },
    several: { type: 'lookup', reference: 'firm', multiple: true },
    about: { type: 'record', references: ['firm', 'deal'] },
    any: { type: 'record' },
  })
  target = (await desk.post('/data/firm', { title: 'Target' })).body.id
  const link = { object: 'firm', id: target }
  const made = await desk.post('/data/deal', { firm: target, several: [target], about: link, any: link })
  expect(made.status).toBe(201)
  path = `/data/deal/${made.body.id}`
  await inStep(hosts)
}, 60_000)

afterAll(async () => {
  for (const host of hosts) await host.stop()
})

it('leaves every reference and every link, also after later edits and on a machine that joins', async () => {
  const [desk, laptop] = hosts as [TestHost, TestHost]
  const renamed = await desk.put('/meta/object/company', {
    renamedFrom: 'firm',
    fields: { title: { type: 'text' } },
  })
  expect(renamed.status).toBe(200)
  await inStep(hosts)
  const tablet = await createSyncedHost()
  hosts.push(tablet)
  await pair(desk, tablet)
  expect((await laptop.patch(path, { title: 'edited' })).status).toBe(200)
  await inStep(hosts)
  const link = { object: 'company', id: target }
  for (const host of hosts) {
    const { record } = (await host.get(path)).body
    expect(record).toMatchObject({ title: 'edited', firm: target, several: [target], about: link, any: link })
    const { conflicts } = (await host.get('/sync/conflicts')).body
    expect(conflicts).toEqual([])
  }
})
