// What is written, changed, deleted and removed for good while sync is off travels when it is turned on again: records,
// feeds and metadata alike (D-335).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flagRecords } from '#main/plugins/sync/metadata/store.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { fileTold, uploadBytes } from '../support/storage-calls.ts'
import { createSyncedHost, listen, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject(
    'part',
    { title: { type: 'text', label: 'Title' }, notes: { type: 'markdown' } },
    { label: 'Part' },
  )
  await desk.defineObject('doomed', { title: { type: 'text' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const inStep = async (): Promise<void> => {
  for (const host of [desk, laptop])
    await until('all machines have the same', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
}
const create = async (title: string): Promise<string> => (await laptop.post('/data/part', { title })).body.id
const recordOf = async (host: TestHost, id: string) => {
  const { status, body } = await host.get(`/data/part/${id}`)
  if (status !== 200 && status !== 404) throw new Error(`The record was not answered: ${JSON.stringify(body)}`)
  return body.record
}
const said = async (host: TestHost, id: string): Promise<string[]> => {
  const { items } = await pageOf(host, `part/${id}/feed`)
  return items.flatMap(({ body, type }: { body?: string; type: string }) => (type === 'comment' ? (body ?? []) : []))
}

/** Turns sync of the laptop off, works there, and turns it on again. */
async function off(work: () => Promise<void>): Promise<void> {
  await inStep()
  expect((await laptop.post('/sync/disable')).status).toBe(200)
  await work()
  expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
  await listen(laptop)
  await inStep()
  // The other machine has it on disk, and then both say that they are equal.
  expect((await laptop.post('/sync/barrier', { on: 'all', timeoutMs: 30_000 })).body.reached).toBe(true)
  await inStep()
}

describe('while sync was off', { timeout: 60_000 }, () => {
  it('what was written is part of what a barrier waits for', async () => {
    await inStep()
    expect((await laptop.post('/sync/disable')).status).toBe(200)
    const many = Array.from({ length: 500 }, (_, index) => ({ title: `Meanwhile ${index}` }))
    expect((await laptop.post('/data/part/createMany', many)).status).toBeLessThan(300)
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await listen(laptop)
    await until('the desk has it', async () => (await laptop.post('/sync/barrier', { on: 'all' })).body.reached)
    expect((await laptop.get('/sync/status')).body.state).not.toBe('preparing')
    await inStep()
    expect((await desk.get('/data/part?top=1&count=true')).body.total).toBe(500)
  })

  it('records that were written, deleted, restored and removed for good are so on both', async () => {
    const [edited, deleted, restored, purged, purgedFromTrash] = await Promise.all(
      ['Edited', 'Deleted', 'Restored', 'Purged', 'Purged late'].map(create),
    )
    await laptop.delete(`/data/part/${restored}`)
    await laptop.delete(`/data/part/${purgedFromTrash}`)
    let made = ''
    await off(async () => {
      await laptop.patch(`/data/part/${edited}`, { title: 'Edited twice', notes: 'A text' })
      await laptop.delete(`/data/part/${deleted}`)
      await laptop.post(`/data/part/${restored}/restore`)
      for (const id of [purged, purgedFromTrash])
        expect((await laptop.delete(`/data/part/${id}?purge=true`)).status).toBe(200)
      made = await create('Made')
    })
    for (const host of [desk, laptop]) {
      const found = await recordOf(host, edited!)
      const where = `${host === desk ? 'desk' : 'laptop'}: ${JSON.stringify((await host.get('/sync/status')).body)}`
      expect(found, where).toMatchObject({ title: 'Edited twice', notes: 'A text' })
      expect(await recordOf(host, restored!)).toMatchObject({ title: 'Restored' })
      expect(await recordOf(host, made)).toMatchObject({ title: 'Made' })
      for (const id of [deleted, purged, purgedFromTrash]) expect(await recordOf(host, id!)).toBeUndefined()
      for (const id of [purged, purgedFromTrash]) expect((await host.post(`/data/part/${id}/restore`)).status).toBe(404)
    }
    expect((await desk.post(`/data/part/${deleted}/restore`)).status).toBe(200)
    await until('it is back', async () => (await recordOf(laptop, deleted!))?.title === 'Deleted')
  })

  it('comments that were written, edited, deleted and reacted to are so on both', async () => {
    const id = await create('Talked about')
    const [kept, edited, deleted] = [
      await addItem(laptop, `part/${id}`, { body: 'Kept' }),
      await addItem(laptop, `part/${id}`, { body: 'Edited' }),
      await addItem(laptop, `part/${id}`, { body: 'Deleted' }),
    ]
    const other = await create('Talked about once')
    const only = await addItem(laptop, `part/${other}`, { body: 'Only' })
    await off(async () => {
      expect((await laptop.put(`/data/part/${id}/feed/${edited.id}`, { body: 'Edited twice' })).status).toBe(200)
      expect((await laptop.delete(`/data/part/${id}/feed/${deleted.id}`)).status).toBe(200)
      expect((await laptop.delete(`/data/part/${other}/feed/${only.id}`)).status).toBe(200)
      const reacted = await laptop.post(`/data/part/${id}/feed/${kept.id}/reactions`, { emoji: '👍' })
      expect(reacted.status, JSON.stringify(reacted.body)).toBeLessThan(300)
      await addItem(laptop, `part/${id}`, { body: 'Made' })
    })
    for (const host of [desk, laptop]) {
      expect((await said(host, id)).toSorted()).toEqual(['Edited twice', 'Kept', 'Made'])
      expect(await said(host, other)).toEqual([])
      const { items } = await pageOf(host, `part/${id}/feed`)
      const reactions = items.find((item: { id: string }) => item.id === kept.id).reactions
      expect(JSON.stringify(reactions)).toContain('👍')
    }
  })

  it('metadata that was made, changed and removed is so on both', async () => {
    await off(async () => {
      const item = structuredClone((await laptop.get('/meta/object/part')).body.item)
      item.label = 'Piece'
      item.fields.title.label = 'Name'
      item.fields.size = { type: 'number' }
      expect((await laptop.put('/meta/object/part', item)).status).toBe(200)
      expect((await laptop.delete('/meta/object/doomed?confirm=true')).status).toBe(200)
      await laptop.defineObject('shelf', { title: { type: 'text' } })
    })
    for (const host of [desk, laptop]) {
      const { item } = (await host.get('/meta/object/part')).body
      expect(item).toMatchObject({ label: 'Piece', fields: { title: { label: 'Name' }, size: { type: 'number' } } })
      expect((await host.get('/meta/object/doomed')).status).toBe(404)
      expect((await host.get('/meta/object/shelf')).status).toBe(200)
    }
    const { conflicts } = (await desk.get('/sync/conflicts')).body
    expect(conflicts).toEqual([])
  })

  it('what the other machine changed meanwhile stays beside it', async () => {
    const id = await create('Both')
    const comment = await addItem(laptop, `part/${id}`, { body: 'Both' })
    await off(async () => {
      await desk.patch(`/data/part/${id}`, { notes: 'From the desk' })
      await laptop.patch(`/data/part/${id}`, { title: 'From the laptop' })
      await addItem(desk, `part/${id}`, { body: 'Desk' })
      await addItem(laptop, `part/${id}`, { body: 'Laptop' })
      const item = structuredClone((await desk.get('/meta/object/part')).body.item)
      item.fields.title.label = 'Desk name'
      expect((await desk.put('/meta/object/part', item)).status).toBe(200)
      const mine = structuredClone((await laptop.get('/meta/object/part')).body.item)
      mine.fields.notes.label = 'Laptop notes'
      expect((await laptop.put('/meta/object/part', mine)).status).toBe(200)
    })
    expect(comment.body).toBe('Both')
    for (const host of [desk, laptop]) {
      expect(await recordOf(host, id)).toMatchObject({ title: 'From the laptop', notes: 'From the desk' })
      expect((await said(host, id)).toSorted()).toEqual(['Both', 'Desk', 'Laptop'])
      const { fields } = (await host.get('/meta/object/part')).body.item
      expect(fields).toMatchObject({ title: { label: 'Desk name' }, notes: { label: 'Laptop notes' } })
    }
  })

  it('records that keep something of a removed field are compared like all others', async () => {
    await desk.defineObject('kept', { title: { type: 'text' }, extra: { type: 'text' } })
    await until('the object is here', async () => (await laptop.get('/meta/object/kept')).status === 200)
    const make = async (title: string): Promise<string> =>
      (await desk.post('/data/kept', { title, extra: 'More' })).body.id
    const [edited, deleted, purged] = [await make('Edited'), await make('Deleted'), await make('Purged')]
    await inStep()
    const item = structuredClone((await desk.get('/meta/object/kept')).body.item)
    const { extra: _extra, ...fields } = item.fields
    const planned = await desk.put('/meta/object/kept', { ...item, fields })
    const { planHash } = planned.body.error.details
    expect((await desk.put(`/meta/object/kept?confirm=${planHash}`, { ...item, fields })).status).toBe(200)
    for (const id of [edited, deleted, purged]) await desk.patch(`/data/kept/${id}`, { title: 'As the desk has it' })
    const titled = async (host: TestHost, id: string) => (await host.get(`/data/kept/${id}`)).body.record?.title
    for (const id of [edited, deleted, purged])
      await until('it is here', async () => (await titled(laptop, id)) === 'As the desk has it')
    await off(async () => {
      expect((await laptop.patch(`/data/kept/${edited}`, { title: 'Written off' })).status).toBe(200)
      expect((await laptop.delete(`/data/kept/${deleted}`)).status).toBe(200)
      expect((await laptop.delete(`/data/kept/${purged}?purge=true`)).status).toBe(200)
    })
    for (const host of [desk, laptop]) {
      expect(await titled(host, edited)).toBe('Written off')
      for (const id of [deleted, purged]) expect((await host.get(`/data/kept/${id}`)).status).toBe(404)
      expect((await host.post(`/data/kept/${purged}/restore`)).status).toBe(404)
    }
    expect((await desk.post(`/data/kept/${deleted}/restore`)).status).toBe(200)
  })

  it('what a definition of the other machine does to all records takes nothing of it away', async () => {
    await desk.defineObject('task', { title: { type: 'text' } })
    await until('the object is here', async () => (await laptop.get('/meta/object/task')).status === 200)
    const records = Array.from({ length: 300 }, (_, index) => ({ title: `Task ${index}` }))
    expect((await laptop.post('/data/task/createMany', { records })).status).toBeLessThan(300)
    const first = (await laptop.get('/data/task?top=1&sort=id')).body.records[0].id
    await off(async () => {
      expect((await laptop.patch(`/data/task/${first}`, { title: 'Written off' })).status).toBe(200)
      const item = structuredClone((await desk.get('/meta/object/task')).body.item)
      item.fields.prio = { type: 'text', defaultValue: 'low' }
      expect((await desk.put('/meta/object/task', item)).status).toBe(200)
      expect((await desk.patch(`/data/task/${first}`, { prio: 'high' })).status).toBe(200)
    })
    for (const host of [desk, laptop]) {
      await until(
        'the field is here',
        async () => (await host.get(`/data/task/${first}`)).body.record.prio !== undefined,
      )
      expect((await host.get(`/data/task/${first}`)).body.record).toMatchObject({ title: 'Written off', prio: 'high' })
    }
  })

  it('what is written in rows that were behind their documents stays', async () => {
    const id = await create('Behind')
    await inStep()
    const { uid } = laptop.host.plugins.service('metadata')!.objectSchema('part')!
    // As a change of the definition does, before it came to the row.
    await laptop.host.database.write('test.behind', (tx) => flagRecords(tx, uid))
    expect((await laptop.post('/sync/disable')).status).toBe(200)
    expect((await laptop.patch(`/data/part/${id}`, { title: 'Written off' })).status).toBe(200)
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await listen(laptop)
    await inStep()
    for (const host of [desk, laptop]) expect(await recordOf(host, id)).toMatchObject({ title: 'Written off' })
  })

  it('files that were deleted are gone on both, but for those a record names by then', async () => {
    await desk.defineObject('paper', { title: { type: 'text' }, plan: { type: 'file' } })
    await until('the object is here', async () => (await laptop.get('/meta/object/paper')).status === 200)
    const [gone, named, left] = [
      await uploadBytes(laptop, Buffer.from('gone')),
      await uploadBytes(laptop, Buffer.from('named')),
      await uploadBytes(laptop, Buffer.from('left')),
    ]
    for (const { fileId } of [gone, named, left])
      await until('the file is known', async () => (await fileTold(desk, fileId)) !== undefined)
    await off(async () => {
      for (const { fileId } of [gone, named]) expect((await laptop.delete(`/storage/${fileId}`)).status).toBe(200)
      const paper = { title: 'Paper', plan: { fileId: named.fileId } }
      expect((await desk.post('/data/paper', paper)).status).toBe(201)
    })
    for (const host of [desk, laptop]) {
      await until('it is gone', async () => (await fileTold(host, gone.fileId)) === undefined)
      for (const { fileId } of [named, left])
        await until('it is there', async () => (await fileTold(host, fileId)) !== undefined)
    }
  })
})
