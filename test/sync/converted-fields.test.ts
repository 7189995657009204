// Changes of an object that change the records it has: every machine holds what the one that changed it holds, also one
// that joins later and knows nothing but the documents.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

const fields = {
  size: { type: 'text' },
  note: { type: 'text' },
  story: { type: 'markdown' },
  color: { type: 'select', options: [{ value: 'red' }, { value: 'blue' }] },
  tag: { type: 'text' },
  amount: { type: 'number' },
}
const values = [
  { size: '12', note: 'short', story: 'long', color: 'red', tag: 'x', amount: 2.6 },
  { size: 'a dozen', note: 'other', story: '', color: 'blue', tag: 'y', amount: 3 },
  { size: '', note: null, story: 'text', color: null, tag: null, amount: null },
]

let desk: TestHost
let laptop: TestHost
const paths: string[] = []

beforeAll(async () => {
  desk = await startFounder('Desk')
  laptop = await createSyncedHost()
  await pair(desk, laptop)
  await desk.defineObject('part', fields)
  for (const data of values) {
    const { status, body } = await desk.post('/data/part', data)
    expect(status, JSON.stringify(body)).toBe(201)
    paths.push(`/data/part/${body.id}`)
  }
  await inStep([desk, laptop])
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const recordAt = async (host: TestHost, path: string) => (await host.get(path)).body.record
/** What people see of all records. */
const shown = async (host: TestHost) => {
  const records = await Promise.all(paths.map((path) => recordAt(host, path)))
  return records.map((record) => record && { ...record, updated_at: '', updated_by: '' })
}

async function redefine(definition: object): Promise<void> {
  const plan = await desk.put('/meta/object/part?dryRun=true', definition)
  const query = plan.body.planHash === undefined ? '' : `?confirm=${plan.body.planHash}`
  const saved = await desk.put(`/meta/object/part${query}`, definition)
  expect(saved.status, JSON.stringify(saved.body)).toBe(200)
}

const changed = {
  ...{ size: { type: 'number' }, note: { type: 'markdown' }, story: { type: 'text' } },
  ...{ color: { type: 'select', options: [{ value: 'red' }] }, tag: { type: 'tags' } },
  ...{ amount: { type: 'number', scale: 0 }, state: { type: 'text', defaultValue: 'new' } },
}

describe('a definition that changes values', () => {
  it('leaves the same values on every machine, and nothing to decide', async () => {
    await redefine({ name: 'part', fields: changed })
    const wanted = [
      { size: 12, note: 'short', story: 'long', color: 'red', tag: ['x'], amount: 3, state: 'new' },
      { size: null, note: 'other', color: null, tag: ['y'], amount: 3, state: 'new' },
      { size: null, story: 'text', color: null, amount: null, state: 'new' },
    ]
    expect(await shown(desk)).toMatchObject(wanted)
    await until('the laptop has followed', async () => (await laptop.get('/meta/object/part')).body.item.fields.state)
    await inStep([desk, laptop])
    expect(await shown(laptop)).toEqual(await shown(desk))
    expect(await shown(desk)).toMatchObject(wanted)
    for (const host of [desk, laptop]) expect((await host.get('/sync/conflicts')).body.total).toBe(0)
  })

  it('leaves them on a machine that joins later', async () => {
    const tablet = await createSyncedHost()
    try {
      await pair(desk, tablet, 'Tablet')
      await inStep([desk, laptop, tablet])
      expect(await shown(tablet)).toEqual(await shown(desk))
      expect((await tablet.get('/sync/conflicts')).body.total).toBe(0)
    } finally {
      await tablet.stop()
    }
  })

  it('goes on with edits of the converted values', async () => {
    const path = paths[0]!
    const edit = { size: 13, note: 'short and more', story: 'longer', tag: ['x', 'z'] }
    expect((await laptop.patch(path, edit)).status).toBe(200)
    await until('the desk has it', async () => (await recordAt(desk, path)).size === 13)
    await until('the desk has its text', async () => (await recordAt(desk, path)).note === 'short and more')
    expect(await recordAt(desk, path)).toMatchObject(edit)
  })
})
