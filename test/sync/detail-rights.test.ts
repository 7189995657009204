// Details that a person of limited rights writes on a machine of their own: whoever adds one changes its master, whether that
// is here, hidden from them, in the trash or still to come (D-357, D-334). And what a call does to a record counts as one change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { entriesOf } from '#main/plugins/sync/workflows/entries.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { Change, PersonalDevice } from '../support/personal-device.ts'
import { everything, pairPersonalDevice, without } from '../support/personal-device.ts'
import { listen, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let laptop: PersonalDevice

const ann = testUserId(0)
/** The sizes decide whom a rule lets edit. */
const [open, closed] = [5, 50]

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] }, withoutBackups)
  await listen(host)
  await host.post('/sync/enable', { deviceName: 'Desk' })
  const fields = { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } }
  const master = (reference: string) => ({ master: { type: 'master_detail', reference } })
  await host.defineObject('bound', fields, { sharingModel: 'read' })
  await host.defineObject('leaf', { ...fields, ...master('bound') })
  await host.defineObject('secret', fields, { sharingModel: 'private' })
  await host.defineObject('shard', { ...fields, ...master('secret') })
  const actions = ['edit', 'delete', 'restore', 'purge']
  const profile = {
    objects: { '*': { allowRead: true }, bound: without(), secret: without(), leaf: everything, shard: everything },
    rowLevelSecurity: [{ name: 'small', object: 'bound', actions, condition: 'record.size < 10' }],
  }
  const noTexts = { 'leaf.notes': { readable: true, editable: false } }
  await host.saveItem('profile', 'by_row', { label: 'By row', ...profile })
  await host.saveItem('profile', 'no_texts', { label: 'No texts', ...profile, fields: noTexts })
  // Whoever's machine joins may read everything.
  await host.saveItem('profile', 'all', { label: 'All', objects: { '*': { allowRead: true, viewAllRecords: true } } })
  await host.assign(0, { profile: 'all' })
  laptop = await pairPersonalDevice(host, 0)
  await host.assign(0, { profile: 'by_row' })
}, 60_000)

afterAll(() => host?.stop())

async function make(object: string, size: number, values: object = {}): Promise<string> {
  const { status, body } = await host.post(`/data/${object}`, { title: 'Bolt', size, ...values })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/** A new record as the laptop writes it. */
function written(object: string, id: string, values: Readonly<Record<string, Json>>): Change {
  const doc = laptop.recordDoc(object, id)
  const byUid = Object.entries(values).map(([field, value]) => [laptop.uidOf(object, field), value])
  const marks = { _created: { at: new Date().toISOString(), by: ann }, _owner: ann }
  return [doc, laptop.entries(doc, { ...marks, ...Object.fromEntries(byUid) })]
}

function typed(object: string, id: string): Change {
  const doc = laptop.textDoc(object, id)
  return [doc, laptop.updateOf(doc, (loaded) => loaded.getText('t').insert(0, 'Typed'))]
}

/** Sends a new detail of a master; answers its id and why it lies aside. */
async function detail(object: string, master: string): Promise<{ id: string; aside: string | undefined }> {
  const id = laptop.newId()
  return { id, aside: await laptop.send(...written(object, id, { title: 'Leaf', master })) }
}

/** Has the desk look again at what lies aside; what lies nowhere any more is no fault. */
async function retry(seq: number): Promise<void> {
  await host.post(`/sync/problems/${laptop.device.inc}/${seq}/retry`)
}

const why = (seq?: number): string | undefined => laptop.problemOf(seq)?.detail

describe('a detail on a machine of a person of limited rights', () => {
  it('waits while its master is not here, and is judged by the master once it is', async () => {
    for (const size of [open, closed]) {
      const master = laptop.newId()
      const { id, aside } = await detail('leaf', master)
      expect(aside).toBe('newer_schema')
      expect(laptop.stateOf(laptop.recordDoc('leaf', id))).toBeUndefined()
      const { seq } = laptop.device
      const waiting = seq()
      await make('bound', size, { id: master })
      await retry(waiting)
      expect(why(waiting)).toEqual(size === open ? undefined : expect.stringContaining('belongs to'))
      expect(laptop.rowOf('leaf', id) === undefined).toBe(size === closed)
    }
  })

  it('does not wait for a master that was removed for good', async () => {
    const master = await make('bound', closed)
    expect((await host.delete(`/data/bound/${master}?purge=true`)).status).toBe(200)
    const { id, aside } = await detail('leaf', master)
    expect(aside).toBeUndefined()
    expect(laptop.stateOf(laptop.recordDoc('leaf', id))).toBeDefined()
  })

  it('is refused where its master is hidden from the person', async () => {
    const { id } = await detail('shard', await make('secret', open))
    expect(why()).toContain('belongs to')
    expect(laptop.rowOf('shard', id)).toBeUndefined()
  })

  it('is judged by a master in the trash as by any other', async () => {
    for (const size of [open, closed]) {
      const master = await make('bound', size)
      expect((await host.delete(`/data/bound/${master}`)).status).toBe(200)
      await detail('leaf', master)
      expect(why()).toEqual(size === open ? undefined : expect.stringContaining('belongs to'))
    }
  })
})

/** A comment as the laptop writes it. */
function said(object: string, record: string): Change {
  const doc = formatDocName({ kind: 'feed', object: laptop.schemaOf(object).uid, record, segment: 0 })
  const item = laptop.newId()
  const fixed = { type: 'comment', actor: { type: 'user', id: ann }, source: 'API', parentId: null }
  const body = { [`${item}#body`]: { text: 'Hers', mentions: [] }, [`${item}#visibility`]: 'public' }
  return [doc, laptop.entries(doc, { [item]: { ...fixed, createdAt: new Date().toISOString() }, ...body })]
}

/** An approval of a record that the laptop asks for, and its id. */
function asked(object: string, record: string): { readonly id: string; readonly change: Change } {
  const doc = formatDocName({ kind: 'workflow', object: laptop.schemaOf(object).uid, record })
  const id = laptop.newId()
  const approval = {
    ...{ id, workflow: null, transition: null, submitterId: ann, comment: null, organizationId: null },
    definition: {
      ...{ approvers: [{ type: 'user' as const, value: ann }], behavior: 'first_response' as const },
      ...{ lockRecord: true, requireRejectReason: false },
    },
    ...{ createdAt: new Date().toISOString(), approvers: [ann], acts: [], end: null },
  }
  return { id, change: [doc, laptop.entries(doc, entriesOf({ approvals: [approval], changes: [] }))] }
}

describe('what is written of a record that is not here', () => {
  it('waits for it, and is judged by it as that of any other', async () => {
    for (const size of [open, closed]) {
      const id = laptop.newId()
      const approval = asked('bound', id)
      for (const change of [typed('bound', id), said('bound', id), approval.change]) await laptop.sendCall([change])
      const last = laptop.device.seq()
      const places = [last - 2, last - 1, last]
      const reasons = () => places.map((seq) => laptop.problemOf(seq)?.reason)
      expect(reasons()).toEqual(['newer_schema', 'newer_schema', 'newer_schema'])
      await make('bound', size, { id })
      for (const seq of places) await retry(seq)
      // Whoever may read it may speak of it; an approval holds it, so it is asked for by who may edit it.
      const verdict = size === open ? undefined : 'forbidden'
      expect(reasons()).toEqual([verdict, undefined, verdict])
      const answer = await host.get(`/approvals/requests/${approval.id}`)
      expect(answer.status, JSON.stringify(answer.body)).toBe(size === open ? 200 : 404)
    }
  })
})

describe('what a call does to one record', () => {
  it('waits together and is tried together: of a record that is refused nothing stays behind', async () => {
    for (const size of [open, closed]) {
      const [master, id] = [laptop.newId(), laptop.newId()]
      await laptop.sendCall([typed('leaf', id), written('leaf', id, { title: 'Leaf', master })])
      const last = laptop.device.seq()
      const reasons = () => [last - 1, last].map((seq) => laptop.problemOf(seq)?.reason)
      expect(reasons()).toEqual(['newer_schema', 'newer_schema'])
      await make('bound', size, { id: master })
      await retry(last - 1)
      expect(reasons()).toEqual(size === open ? [undefined, undefined] : ['forbidden', 'forbidden'])
      expect(laptop.rowOf('leaf', id)?.['notes']).toBe(size === open ? 'Typed' : undefined)
      expect(laptop.stateOf(laptop.textDoc('leaf', id)) === undefined).toBe(size === closed)
    }
  })

  it('may empty the texts of a record it removes for good, and no others', async () => {
    await host.assign(0, { profile: 'no_texts' })
    const master = await make('bound', open)
    for (const isPurged of [true, false]) {
      const id = await make('leaf', open, { notes: 'Steel.', master })
      const [doc, text] = [laptop.recordDoc('leaf', id), laptop.textDoc('leaf', id)]
      const emptied = laptop.updateOf(text, (loaded) => loaded.getText('t').delete(0, 6))
      const mark = { at: new Date().toISOString(), by: ann, seen: {} }
      await laptop.sendCall([
        [text, emptied],
        [doc, laptop.entries(doc, isPurged ? { _purge: mark } : { [laptop.uidOf('leaf', 'title')]: 'Nut' })],
      ])
      const last = laptop.device.seq()
      const codes = [last - 1, last].map((seq) => laptop.problemOf(seq)?.reason)
      expect(codes).toEqual(isPurged ? [undefined, undefined] : ['forbidden', 'forbidden'])
      expect(laptop.rowOf('leaf', id)?.['title']).toBe(isPurged ? undefined : 'Bolt')
    }
    await host.assign(0, { profile: 'by_row' })
  })
})
