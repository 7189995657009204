// What people of limited rights write on a machine of their own: each write arrives signed and well made, and is applied
// exactly where the same person could have made it here over the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { readRegister } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import type { PersonalDevice } from '../support/personal-device.ts'
import { everything, pairPersonalDevice, without } from '../support/personal-device.ts'
import { listen, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { sized } from '../support/test-size.ts'

let host: PeopledHost
let laptop: PersonalDevice

const ann = 0
const mayRead = { '*': { allowRead: true } }

/** What a person may do, by the name of the profile that says it. */
const profiles: Readonly<Record<string, Record<string, unknown>>> = {
  all: { objects: { ...mayRead, part: everything } },
  reader: { objects: mayRead },
  no_create: { objects: { ...mayRead, part: without('allowCreate') } },
  no_edit: { objects: { ...mayRead, part: without('allowEdit', 'allowTransfer') } },
  no_delete: { objects: { ...mayRead, part: without('allowDelete', 'allowPurge') } },
  no_restore: { objects: { ...mayRead, part: without('allowRestore') } },
  no_transfer: { objects: { ...mayRead, part: without('allowTransfer') } },
  no_field: {
    objects: { ...mayRead, part: everything },
    fields: { 'part.title': { readable: true, editable: false }, 'part.notes': { readable: true, editable: false } },
  },
  other_field: {
    objects: { ...mayRead, part: everything },
    fields: { 'part.size': { readable: true, editable: false } },
  },
}

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}] }, withoutBackups)
  for (const [name, item] of Object.entries(profiles)) await host.saveItem('profile', name, { label: name, ...item })
  await listen(host)
  await host.post('/sync/enable', { deviceName: 'Desk' })
  const fields = {
    title: { type: 'text' },
    size: { type: 'number' },
    stage: { type: 'text', defaultValue: 'new' },
    notes: { type: 'markdown' },
  }
  await host.defineObject('part', fields)
  // Everybody sees these, and changes what a rule says.
  await host.defineObject('bound', fields, { sharingModel: 'read' })
  await host.saveItem('profile', 'by_row', {
    label: 'By row',
    objects: { ...mayRead, bound: without() },
    rowLevelSecurity: [
      {
        name: 'small',
        object: 'bound',
        actions: ['edit', 'delete', 'restore', 'purge'],
        condition: 'record.size < 10',
      },
    ],
  })
  await host.assign(ann, { profile: 'all' })
  laptop = await pairPersonalDevice(host, ann)
}, 60_000)

afterAll(() => host?.stop())

const markOf = (by: string): Json => ({ at: new Date().toISOString(), by, seen: {} })

/** A record of the owner; its size decides by which rule it is covered. */
async function record(object: string, size: number): Promise<string> {
  const { status, body } = await host.post(`/data/${object}`, { title: 'Bolt', notes: 'Text', size })
  expect(status).toBe(201)
  return body.id
}

interface Act {
  /** The same over the API. */
  ask(object: string, id: string): Promise<{ readonly status: number }>
  /** The document and what changes in it. */
  write(object: string, id: string, author: string): readonly [doc: string, update: Uint8Array]
  readonly prepare?: (object: string, id: string) => Promise<unknown>
  readonly isNew?: boolean
}

const setField = (field: string, value: Json): Act => ({
  ask: (object, id) => host.as(ann).patch(`/data/${object}/${id}`, { [field]: value }),
  write: (object, id) => [
    laptop.recordDoc(object, id),
    laptop.entries(laptop.recordDoc(object, id), { [laptop.uidOf(object, field)]: value }),
  ],
})
const createWith = (field: string, value: Json): Act => ({
  isNew: true,
  ask: (object, id) => host.as(ann).post(`/data/${object}`, { id, [field]: value }),
  write(object, id, author) {
    const doc = laptop.recordDoc(object, id)
    const values = { _created: { at: new Date().toISOString(), by: author }, _owner: author }
    const stage = { [laptop.uidOf(object, 'stage')]: 'new' }
    return [doc, laptop.entries(doc, { ...values, ...stage, [laptop.uidOf(object, field)]: value })]
  },
})
const setMark = (key: '_del' | '_purge', method: 'delete' | 'purge'): Act => ({
  ask: (object, id) => host.as(ann).delete(`/data/${object}/${id}${method === 'purge' ? '?purge=true' : ''}`),
  write: (object, id, author) => [
    laptop.recordDoc(object, id),
    laptop.entries(laptop.recordDoc(object, id), { [key]: markOf(author) }),
  ],
})

const acts: Readonly<Record<string, Act>> = {
  'create with a title': createWith('title', 'New'),
  'create with a size': createWith('size', 3),
  'edit the title': setField('title', 'Nut'),
  'edit the size': setField('size', 7),
  'edit the text': {
    ask: (object, id) => host.as(ann).patch(`/data/${object}/${id}`, { notes: 'Text, longer' }),
    write: (object, id) => [
      laptop.textDoc(object, id),
      laptop.updateOf(laptop.textDoc(object, id), (loaded) => loaded.getText('t').insert(4, ', longer')),
    ],
  },
  delete: setMark('_del', 'delete'),
  purge: setMark('_purge', 'purge'),
  restore: {
    prepare: (object, id) => host.delete(`/data/${object}/${id}`),
    ask: (object, id) => host.as(ann).post(`/data/${object}/${id}/restore`),
    write: (object, id) => [laptop.recordDoc(object, id), laptop.entries(laptop.recordDoc(object, id), { _del: null })],
  },
  transfer: {
    ask: (object, id) => host.as(ann).patch(`/data/${object}/${id}`, { owner: testUserId(1) }),
    write: (object, id) => [
      laptop.recordDoc(object, id),
      laptop.entries(laptop.recordDoc(object, id), { _owner: testUserId(1) }),
    ],
  },
}

/** Whether the API lets it be done, and whether it was applied when it came from the device. */
async function both(act: Act, object: string, size: number, author: string): Promise<{ api: boolean; sync: boolean }> {
  const twin = act.isNew === true ? laptop.newId() : await record(object, size)
  const id = act.isNew === true ? laptop.newId() : await record(object, size)
  await act.prepare?.(object, twin)
  await act.prepare?.(object, id)
  const api = (await act.ask(object, twin)).status < 300
  const [doc, update] = act.write(object, id, author)
  const before = [laptop.stateOf(doc), laptop.rowOf(object, id)]
  const refusal = await laptop.send(doc, update, author)
  if (refusal !== undefined) {
    expect(refusal).toBe('forbidden')
    expect([laptop.stateOf(doc), laptop.rowOf(object, id)]).toEqual(before)
  } else expect(laptop.rowOf(object, id)).not.toEqual(before[1])
  return { api, sync: refusal === undefined }
}

/** The account here, and a name the host does not know: the person of an account on the other machine. */
const authors = [testUserId(ann), '00000000-0000-7000-8000-0000000000ff']

describe('a machine of a person of limited rights', () => {
  for (const profile of sized(['reader', 'no_create', 'no_edit', 'no_field'], Object.keys(profiles))) {
    it(`writes what the profile "${profile}" lets the person write, and nothing else`, async () => {
      await host.assign(ann, { profile })
      const found: Record<string, unknown> = {}
      const expected: Record<string, unknown> = {}
      for (const [name, act] of Object.entries(acts)) {
        for (const [index, author] of authors.entries()) {
          const { api, sync } = await both(act, 'part', 5, author)
          found[`${name} ${index}`] = sync
          expected[`${name} ${index}`] = api
        }
      }
      expect(found).toEqual(expected)
      if (profile === 'all') expect(Object.values(found)).not.toContain(false)
      else expect(Object.values(found)).toContain(false)
    })
  }

  it('writes the records a rule covers, and no others', async () => {
    await host.assign(ann, { profile: 'by_row' })
    for (const size of [5, 50]) {
      for (const name of ['edit the title', 'edit the text', 'delete', 'purge', 'restore']) {
        const { api, sync } = await both(acts[name]!, 'bound', size, authors[0]!)
        expect({ name, size, sync }).toEqual({ name, size, sync: api })
        expect(api).toBe(size === 5)
      }
    }
  })

  it('speaks for nobody else, and changes nothing of who made a record', async () => {
    await host.assign(ann, { profile: 'all' })
    const id = await record('part', 1)
    const doc = laptop.recordDoc('part', id)
    const title = laptop.uidOf('part', 'title')
    expect(await laptop.send(doc, laptop.entries(doc, { [title]: 'Forced' }), testUserId(1))).toBe('forbidden')
    await host.assign(ann, { profile: 'no_transfer' })
    expect(await laptop.send(doc, laptop.entries(doc, { _created: markOf(testUserId(1)) }), testUserId(ann))).toBe(
      'forbidden',
    )
    const register = () => {
      const loaded = new Y.Doc()
      Y.applyUpdate(loaded, laptop.stateOf(doc)!)
      return readRegister(loaded)
    }
    expect(register().get(title)!.winner[1]).toBe('Bolt')
  })

  it('writes to a removed field where it may edit the record, and that is there when the field is back (D-336)', async () => {
    const title = { type: 'text' }
    await host.defineObject('gauge', { title, extra: { type: 'number' } })
    await host.saveItem('profile', 'gauges', { label: 'Gauges', objects: { ...mayRead, gauge: everything } })
    const { id } = (await host.post('/data/gauge', { title: 'Dial', extra: 1 })).body
    const doc = laptop.recordDoc('gauge', id)
    const extra = laptop.uidOf('gauge', 'extra')
    const without = { name: 'gauge', fields: { title } }
    expect((await host.put('/meta/object/gauge?confirm=true', without)).status).toBe(200)
    const write = async (value: number) => laptop.send(doc, laptop.entries(doc, { [extra]: value }), testUserId(ann))
    await host.assign(ann, { profile: 'reader' })
    expect(await write(6)).toBe('forbidden')
    await host.assign(ann, { profile: 'gauges' })
    expect(await write(7)).toBeUndefined()
    const [backup] = (await host.get('/meta/object/gauge/backups')).body.data
    expect((await host.post(`/meta/object/gauge/backups/${backup.id}/restore`)).status).toBe(200)
    await expect.poll(() => laptop.rowOf('gauge', id)?.['extra']).toBe(7)
  })

  it('comments where it may read, and changes no comment of somebody else', async () => {
    await host.assign(ann, { profile: 'reader' })
    const id = await record('part', 1)
    const said = await addItem(host, `part/${id}`, { body: 'Mine' })
    const doc = formatDocName({ kind: 'feed', object: laptop.schemaOf('part').uid, record: id, segment: 0 })
    const theirs = `${said.id}#body`
    const edit = { [theirs]: { text: 'Forced', mentions: [] } }
    expect(await laptop.send(doc, laptop.entries(doc, edit), testUserId(ann))).toBe('forbidden')
    const item = laptop.newId()
    const fixed = {
      type: 'comment',
      actor: { type: 'user', id: testUserId(ann) },
      source: 'API',
      parentId: null,
      createdAt: new Date().toISOString(),
    }
    const own = { [item]: fixed, [`${item}#body`]: { text: 'Hers', mentions: [] }, [`${item}#visibility`]: 'public' }
    expect(await laptop.send(doc, laptop.entries(doc, own), testUserId(ann))).toBeUndefined()
    const { items } = await pageOf(host, `part/${id}/feed`)
    const bodies = items.flatMap(({ body }: { body?: string }) => body ?? [])
    expect(bodies.toSorted()).toEqual(['Hers', 'Mine'])
  })

  it('brings back what was removed for good where it may make and restore all of it, and in its own words (D-412)', async () => {
    for (const profile of ['all', 'no_create', 'no_restore', 'no_field']) {
      await host.assign(ann, { profile })
      const id = await record('part', 1)
      const doc = laptop.recordDoc('part', id)
      expect((await host.delete(`/data/part/${id}?purge=true`)).status).toBe(200)
      const values = { [laptop.uidOf('part', 'title')]: 'Back', [laptop.uidOf('part', 'size')]: 7 }
      const made = { _created: { at: new Date().toISOString(), by: testUserId(ann) }, _owner: testUserId(ann) }
      const back = laptop.entries(doc, { ...made, ...values, _del: null, _purge: null })
      expect([profile, await laptop.send(doc, back)]).toEqual([profile, profile === 'all' ? undefined : 'forbidden'])
      expect(laptop.rowOf('part', id)?.['title']).toBe(profile === 'all' ? 'Back' : undefined)
      const feed = formatDocName({ kind: 'feed', object: laptop.schemaOf('part').uid, record: id, segment: 0 })
      const actor = { type: 'user', id: testUserId(1) }
      const forged = { type: 'comment', actor, source: 'API', parentId: null, createdAt: new Date().toISOString() }
      expect(await laptop.send(feed, laptop.entries(feed, { [laptop.newId()]: forged }))).toBe('forbidden')
    }
  })

  it('cannot make this machine offer to take back what it never wrote, nor end a refusal itself', async () => {
    await host.assign(ann, { profile: 'reader' })
    const id = await record('part', 1)
    const doc = laptop.recordDoc('part', id)
    const { device: desk } = (await host.get('/sync/status')).body
    const said = { code: 'edit', message: 'No.', closed: [], at: new Date().toISOString(), isPart: false }
    const held = { [doc]: { [laptop.uidOf('part', 'title')]: 'Forced' }, 'w/roster': { issuer: laptop.device.device } }
    for (const entry of [
      [laptop.device.inc, 1],
      [desk.inc, 1],
    ]) {
      const claim = `x/${laptop.device.device}/${desk.id}/${doc}`
      expect(
        await laptop.send(
          claim,
          laptop.entries(claim, { refused: { ...said, entries: [entry], held } }),
          testUserId(ann),
        ),
      ).toBe(undefined)
    }
    expect((await host.get('/sync/conflicts?kind=refused')).body.conflicts).toEqual([])
    expect(
      await laptop.send(doc, laptop.entries(doc, { [laptop.uidOf('part', 'title')]: 'Forced' }), testUserId(ann)),
    ).toBe('forbidden')
    const told = `x/${desk.id}/${laptop.device.device}/${doc}`
    expect(await laptop.send(told, laptop.entries(told, { refused: null }), testUserId(ann))).toBe('forbidden')
    const others = `x/${desk.id}/${desk.id}/${doc}`
    expect(await laptop.send(others, laptop.entries(others, { again: 'now' }), testUserId(ann))).toBe('forbidden')
  })

  it('has what was refused applied once the rights are there and somebody tries again', async () => {
    await host.assign(ann, { profile: 'reader' })
    const id = await record('part', 1)
    const doc = laptop.recordDoc('part', id)
    expect(
      await laptop.send(doc, laptop.entries(doc, { [laptop.uidOf('part', 'title')]: 'Later' }), testUserId(ann)),
    ).toBe('forbidden')
    const { problems } = (await host.get('/sync/problems?limit=200')).body
    const listed = problems.find(({ seq }: { seq: number }) => seq === laptop.device.seq())
    expect(listed).toMatchObject({ kind: 'quarantine', reason: 'forbidden' })
    await host.assign(ann, { profile: 'all' })
    expect((await host.post(`/sync/problems/${laptop.device.inc}/${laptop.device.seq()}/retry`)).status).toBe(200)
    expect(laptop.rowOf('part', id)!['title']).toBe('Later')
  })
})
