// The applications of the program on two machines of a workspace: installed one after another, on one machine or the other
// first, they bring every record once, work on both, and upgrades by people travel.
import { afterEach, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

const running: TestHost[] = []

afterEach(async () => {
  for (const host of running.splice(0)) await host.stop()
})

interface Available {
  packageId: string
  artifactRef: string
}
const available = async (host: TestHost): Promise<Available[]> =>
  (await host.get('/packages/available')).body.data.packages
const install = async (host: TestHost, { artifactRef }: Available): Promise<void> => {
  const made = await host.post('/packages/install', { artifactRef })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}
/** Every object with its fields, and every record with its version left out, which counts what each machine did. */
const shown = async (host: TestHost): Promise<Record<string, object[]>> => {
  const { items } = (await host.get('/meta/object')).body as { items: { name: string; fields: object }[] }
  const all: Record<string, object[]> = {}
  for (const { name, fields } of items.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const { records } = (await host.get(`/data/${name}?sort=id&top=200`)).body as { records: Record<string, unknown>[] }
    all[name] = [
      { fields: Object.keys(fields).toSorted() },
      ...records.map(({ version: _version, updated_at: _at, updated_by: _by, ...rest }) => rest),
    ]
  }
  return all
}

it('all applications work on both, whichever machine installs them first', async () => {
  const desk = await startFounder('Desk')
  const laptop = await createSyncedHost()
  running.push(desk, laptop)
  await pair(desk, laptop)
  const list = await available(desk)
  expect(list).toHaveLength(6)
  for (const [at, one] of list.entries()) {
    const [first, second] = at % 2 === 0 ? [desk, laptop] : [laptop, desk]
    await install(first, one)
    await inStep([desk, laptop])
    await install(second, one)
  }
  await inStep([desk, laptop])
  await until('both show the same', async () => {
    const [ours, theirs] = [await shown(desk), await shown(laptop)]
    return JSON.stringify(ours) === JSON.stringify(theirs)
  })
  const all = await shown(desk)
  expect(Object.keys(all).length).toBeGreaterThan(12)
  for (const host of [desk, laptop]) {
    expect((await host.get('/sync/conflicts')).body.conflicts).toEqual([])
    expect((await host.get('/packages')).body.data.packages).toMatchObject(
      list.map(() => ({ status: 'installed', trust: 'bundled' })),
    )
    const deal = (await host.get('/meta/object/crm_deal', { 'accept-language': 'de' })).body.item
    expect(deal.label).toBe('Geschäft')
  }
  // A workflow of a package runs on the machine that did not make the record.
  const [order] = (await laptop.get('/data/inventory_order?top=1')).body.records
  expect((await laptop.post(`/workflow/inventory_order/${order.id}/transition`, { transition: 'send' })).status).toBe(
    200,
  )
  await until('it has arrived', async () => {
    const { record } = (await desk.get(`/data/inventory_order/${order.id}`)).body
    return record.status !== order.status
  })
}, 120_000)
