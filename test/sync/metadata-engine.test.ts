// Metadata and records over the real log of two machines: what is defined on one is there on the other before its records
// are, whatever came first.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localOwner } from '#main/kernel/context.ts'
import { createMetadataDocs } from '#main/plugins/sync/metadata/index.ts'
import type { MetadataDocs } from '#main/plugins/sync/metadata/index.ts'
import { createSyncMachine, createTestWorkspace, exchange } from '../support/sync-machine.ts'
import type { SyncMachine } from '../support/sync-machine.ts'

type Machine = SyncMachine & { readonly items: MetadataDocs }

let left: Machine
let right: Machine
let n = 0
let name = ''

async function start(workspace: ReturnType<typeof createTestWorkspace>, id: string): Promise<Machine> {
  let items: MetadataDocs | undefined
  const machine = await createSyncMachine(workspace, id, {
    handlers(docs, host) {
      const { read, write, clock, ids, log } = host
      const portable = host.service('metadata').exchange
      items = createMetadataDocs({
        read,
        write,
        clock,
        ids,
        log,
        docs,
        exchange: portable,
        backfillActorId: localOwner.id,
      })
      items.listen(host)
      return [items.handler]
    },
  })
  return Object.assign(machine, { items: items! })
}

beforeAll(async () => {
  const workspace = createTestWorkspace()
  left = await start(workspace, 'left')
  right = await start(workspace, 'right')
}, 60_000)
afterAll(async () => {
  await left.stop()
  await right.stop()
})
beforeEach(() => {
  name = `thing${(n += 1)}`
})

async function meet(): Promise<void> {
  await exchange(left, right)
  for (const machine of [left, right]) {
    await machine.items.handler.settle()
    expect(machine.items.dueItems()).toEqual([])
    await expect.poll(() => machine.engine.replica.digest()).not.toBeNull()
  }
  const [here, there] = [left, right].map(({ engine }) => engine.replica.digest()!)
  expect(there!.buckets).toEqual(here!.buckets)
}

async function nothingWaits({ engine }: Machine): Promise<void> {
  await expect.poll(() => engine.replica.unprojected()).toEqual({ waiting: 0, isTrying: false })
}

const record = async (machine: Machine, id: string) => (await machine.host.get(`/data/${name}/${id}`)).body.record

const shown = { title: 'x', amount: 5 }

describe('an object and its records', () => {
  it('come together', async () => {
    await left.host.defineObject(name, { title: { type: 'text' }, amount: { type: 'number' } })
    const { id } = (await left.host.post(`/data/${name}`, shown)).body.record
    await meet()
    await expect.poll(() => record(right, id)).toMatchObject(shown)
    const { body } = await right.host.patch(`/data/${name}/${id}`, { title: 'y' })
    expect(body.record).toMatchObject({ title: 'y' })
    await meet()
    await expect.poll(() => record(left, id)).toMatchObject({ title: 'y', amount: 5 })
  })

  it('that are renamed while the other machine writes keep their values', async () => {
    await left.host.defineObject(name, { title: { type: 'text' }, amount: { type: 'number' } })
    const { id } = (await left.host.post(`/data/${name}`, shown)).body.record
    await meet()
    await expect.poll(() => record(right, id)).toMatchObject(shown)
    const renamed = { name, fields: { headline: { type: 'text', renamedFrom: 'title' }, amount: { type: 'number' } } }
    expect((await left.host.put(`/meta/object/${name}`, renamed)).status).toBe(200)
    expect((await right.host.patch(`/data/${name}/${id}`, { title: 'meanwhile' })).status).toBe(200)
    await meet()
    for (const machine of [left, right]) {
      await expect.poll(() => record(machine, id)).toMatchObject({ headline: 'meanwhile', amount: 5 })
    }
  })

  it('have what was written meanwhile when a removed field comes back', async () => {
    await left.host.defineObject(name, { title: { type: 'text' }, amount: { type: 'number' } })
    const { id } = (await left.host.post(`/data/${name}`, shown)).body.record
    await meet()
    await expect.poll(() => record(right, id)).toMatchObject(shown)
    const without = { name, fields: { title: { type: 'text' } } }
    expect((await left.host.put(`/meta/object/${name}?confirm=true`, without)).status).toBe(200)
    expect((await right.host.patch(`/data/${name}/${id}`, { amount: 7 })).status).toBe(200)
    await meet()
    await expect.poll(() => record(right, id)).not.toHaveProperty('amount')
    // What was removed is waited for by nobody.
    for (const machine of [left, right]) await nothingWaits(machine)
    const [backup] = (await left.host.get(`/meta/object/${name}/backups`)).body.data
    expect((await left.host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    await meet()
    for (const machine of [left, right]) {
      await expect.poll(() => record(machine, id)).toMatchObject({ amount: 7 })
      await nothingWaits(machine)
    }
  })

  it('come back together after the object was removed', async () => {
    await left.host.defineObject(name, { title: { type: 'text' }, amount: { type: 'number' } })
    const { id } = (await left.host.post(`/data/${name}`, shown)).body.record
    await meet()
    await expect.poll(() => record(right, id)).toMatchObject(shown)
    expect((await left.host.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    expect((await right.host.patch(`/data/${name}/${id}`, { amount: 7 })).status).toBe(200)
    await meet()
    expect((await right.host.get(`/data/${name}`)).status).toBe(404)
    for (const machine of [left, right]) await nothingWaits(machine)
    const [backup] = (await left.host.get(`/meta/object/${name}/backups`)).body.data
    expect((await left.host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    await meet()
    for (const machine of [left, right])
      await expect.poll(() => record(machine, id)).toMatchObject({ ...shown, amount: 7 })
  })

  it('of an object that was made and removed before it came wait for nothing', async () => {
    await left.host.defineObject(name, { title: { type: 'text' } })
    expect((await left.host.post(`/data/${name}`, { title: 'x' })).status).toBe(201)
    expect((await left.host.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    await meet()
    for (const machine of [left, right]) await nothingWaits(machine)
  })
})

describe('two objects of one name', () => {
  it('keep their records apart', async () => {
    const ids: string[] = []
    for (const machine of [left, right]) {
      await machine.host.defineObject(name, { title: { type: 'text' } })
      const { body } = await machine.host.post(`/data/${name}`, { title: machine === left ? 'left' : 'right' })
      ids.push(body.record.id)
    }
    await meet()
    for (const machine of [left, right]) {
      await expect.poll(() => record(machine, ids[0]!)).toMatchObject({ title: 'left' })
      const other = async () => (await machine.host.get(`/data/${name}_2/${ids[1]!}`)).body.record
      await expect.poll(other).toMatchObject({ title: 'right' })
    }
  })
})
