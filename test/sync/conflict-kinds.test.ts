// Values that fit where they were written and not where they arrive: two hosts over real connections, of which one changes
// a field or its rules while the other one writes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { apart, createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

const from = { name: 'from', type: 'number' }
const to = { name: 'to', type: 'number' }
const rule = {
  ...{ name: 'order', type: 'script', condition: 'record.from > record.to' },
  ...{ message: 'It ends before it begins.', field: 'to' },
}

beforeAll(async () => {
  desk = await startFounder('Desk')
  laptop = await createSyncedHost()
  await pair(desk, laptop)
  const definition = { name: 'span', fields: { from, to }, validations: [rule] }
  expect((await desk.put('/meta/object/span', definition)).status).toBe(200)
  await desk.defineObject('part', { size: { type: 'text' } })
  await inStep([desk, laptop])
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const both = (): TestHost[] => [desk, laptop]
const create = async (object: string, data: object): Promise<string> => {
  const { status, body } = await desk.post(`/data/${object}`, data)
  expect(status, JSON.stringify(body)).toBe(201)
  const path = `/data/${object}/${body.id}`
  await until('the record arrives', async () => (await laptop.get(path)).status === 200)
  return path
}
const patch = async (host: TestHost, path: string, data: object): Promise<void> => {
  const { status, body } = await host.patch(path, data)
  expect(status, JSON.stringify(body)).toBe(200)
}
const recordAt = async (host: TestHost, path: string) => (await host.get(path)).body.record
const conflictsAt = async (host: TestHost) => (await host.get('/sync/conflicts')).body.conflicts
const theOnly = (host: TestHost) =>
  until('one conflict is listed', async () => {
    const found = await conflictsAt(host)
    return found.length === 1 ? found[0] : undefined
  })
const isOver = async (): Promise<void> => {
  for (const host of both()) await until('it is over', async () => (await conflictsAt(host)).length === 0)
  await inStep(both())
}

describe('two edits that are right by themselves and break a rule together', () => {
  let path: string

  it('both stay, and each machine lists the rule', async () => {
    path = await create('span', { from: 1, to: 9 })
    await apart(laptop, [desk], async () => {
      await patch(desk, path, { from: 7 })
      await patch(laptop, path, { to: 4 })
    })
    for (const host of both()) {
      expect(await theOnly(host)).toMatchObject({ kind: 'validation', object: 'span', field: 'to', state: 'open' })
      expect(await recordAt(host, path)).toMatchObject({ from: 7, to: 4 })
    }
  })

  it('end with a value that keeps the rule, on all machines', async () => {
    const { id } = await theOnly(laptop)
    const broken = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 5 })
    expect([broken.status, broken.body.error.code]).toEqual([400, 'validation_error'])
    const kept = await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 8 })
    expect(kept.status, JSON.stringify(kept.body)).toBe(200)
    await isOver()
    for (const host of both()) expect(await recordAt(host, path)).toMatchObject({ from: 7, to: 8 })
  })
})

describe('a value written while the other machine changes the type of its field', () => {
  let path: string

  it('is listed where it does not fit, with the value that was written', async () => {
    path = await create('part', {})
    await apart(laptop, [desk], async () => {
      const definition = { name: 'part', fields: { size: { type: 'number' } } }
      const plan = await desk.put('/meta/object/part?dryRun=true', definition)
      const saved = await desk.put(`/meta/object/part?confirm=${plan.body.planHash}`, definition)
      expect(saved.status, JSON.stringify(saved.body)).toBe(200)
      await patch(laptop, path, { size: 'a dozen' })
    })
    for (const host of both()) {
      expect(await theOnly(host)).toMatchObject({ kind: 'type', object: 'part', field: 'size', state: 'open' })
      expect((await theOnly(host)).losers[0].value).toBe('a dozen')
      expect((await host.get('/meta/object/part')).body.item.fields.size.type).toBe('number')
    }
    const sizes = await Promise.all(both().map(async (host) => (await recordAt(host, path)).size))
    expect(sizes[0]).toBe(sizes[1])
  })

  it('is converted everywhere where it can be, and new records have the defaults of new fields', async () => {
    const before = { size: { type: 'text' }, count: { type: 'text' } }
    const state = { type: 'text', defaultValue: 'open' }
    const definition = { name: 'lot', fields: { ...before, size: { type: 'number' }, state } }
    await desk.defineObject('lot', before)
    const lots = [await create('lot', {}), await create('lot', { size: '12' })]
    await apart(laptop, [desk], async () => {
      const plan = await desk.put('/meta/object/lot?dryRun=true', definition)
      const saved = await desk.put(`/meta/object/lot?confirm=${plan.body.planHash}`, definition)
      expect(saved.status, JSON.stringify(saved.body)).toBe(200)
      await patch(laptop, lots[0]!, { size: '15' })
      await patch(laptop, lots[1]!, { count: 'one' })
      const { body } = await laptop.post('/data/lot', { size: '20' })
      lots.push(`/data/lot/${body.id}`)
    })
    for (const host of both()) {
      await until('the new one has its state', async () => (await recordAt(host, lots[2]!)).state === 'open')
      expect(await recordAt(host, lots[2]!)).toMatchObject({ size: 20, count: null })
      expect(await recordAt(host, lots[0]!)).toMatchObject({ size: 15 })
      expect(await recordAt(host, lots[1]!)).toMatchObject({ size: 12, count: 'one' })
    }
  })

  it('ends with a value that fits, on all machines', async () => {
    const { id } = await theOnly(desk)
    const { status, body } = await desk.post(`/sync/conflicts/${id}/resolve`, { choice: 'value', value: 12 })
    expect(status, JSON.stringify(body)).toBe(200)
    await isOver()
    for (const host of both()) expect(await recordAt(host, path)).toMatchObject({ size: 12 })
  })
})
