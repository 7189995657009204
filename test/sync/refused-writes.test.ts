// What the machine of a person writes beyond their rights: the others refuse it, and whoever wrote it learns of it on the
// machine it was written on, with the reason and the ways out, whatever restarts meanwhile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RefusingHosts } from '../support/refusing-hosts.ts'
import { startRefusingHosts } from '../support/refusing-hosts.ts'
import { until } from '../support/synced-hosts.ts'

let hosts: RefusingHosts

beforeAll(async () => {
  hosts = await startRefusingHosts()
}, 120_000)

afterAll(async () => hosts?.stop())

const statusOf = async () => (await hosts.laptop.get('/sync/status')).body
const recordOf = async (host: 'desk' | 'laptop', id: string) => (await hosts[host].get(`/data/part/${id}`)).body.record

async function write(id: string, data: object): Promise<void> {
  expect((await hosts.laptop.patch(`/data/part/${id}`, data)).status).toBe(200)
}

async function decide(id: string, choice: 'winner' | 'keep' | 'retry'): Promise<void> {
  const answer = await hosts.decide(id, choice)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const nothingRefused = (): Promise<unknown> =>
  until('nothing is refused any more', async () => (await hosts.refused()).length === 0)

describe('an edit its author has no right to', { timeout: 120_000 }, () => {
  it('is listed where it was written, and counts in the status', async () => {
    const id = await hosts.shared()
    await hosts.may('reader')
    await write(id, { title: 'Nut' })
    const refusal = await hosts.refusal(id)
    expect(refusal).toMatchObject({
      kind: 'refused',
      object: 'part',
      recordId: id,
      winner: { value: { title: 'Bolt' }, device: { name: 'Desk' } },
      losers: [{ value: { title: 'Nut' }, device: { name: 'Laptop' } }],
      refusal: { code: 'edit', fields: ['title'], choices: ['winner', 'retry'] },
      state: 'open',
    })
    const status = await statusOf()
    expect(status).toMatchObject({ state: 'attention', reason: 'not_accepted', counts: { refused: 1, conflicts: 0 } })
    expect((await recordOf('desk', id)).title).toBe('Bolt')
    expect((await recordOf('laptop', id)).title).toBe('Nut')
    // The record says so too.
    expect((await hosts.laptop.get(`/sync/records/part/${id}`)).body.conflicts).toBe(1)
    await decide(refusal.id, 'winner')
    expect((await recordOf('laptop', id)).title).toBe('Bolt')
    await nothingRefused()
    await hosts.agree()
    expect((await hosts.desk.get('/sync/problems')).body.problems).toEqual([])
    const items = (await hosts.laptop.get(`/data/part/${id}/changelog`)).body
    expect(JSON.stringify(items)).toContain('Nut')
  })

  it('stays listed when either machine is started again', async () => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('reader')
    await hosts.part()
    await write(id, { title: 'Nut' })
    await hosts.laptop.restart()
    await hosts.join()
    await hosts.refusal(id)
    await hosts.laptop.restart()
    expect(await hosts.refused(id)).toHaveLength(1)
    expect((await statusOf()).counts.refused).toBe(1)
    const [{ id: conflict }] = await hosts.refused(id)
    await decide(conflict, 'winner')
    await nothingRefused()
    await hosts.agree()
  })

  it('arrives by itself once the right is there, with what was written after it', async () => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('no_size')
    await write(id, { size: 7 })
    const refusal = await hosts.refusal(id)
    expect(refusal.refusal).toMatchObject({ code: 'fields', fields: ['size'] })
    // A text that is written alone is a document of its own.
    await write(id, { notes: 'Brass.' })
    await until('the text arrives', async () => (await recordOf('desk', id)).notes === 'Brass.')
    // What builds on it is refused along with it, and all that was saved together with that.
    await write(id, { title: 'Nut', notes: 'Brass, polished.' })
    await hosts.refusal(id, ({ refusal: { fields } }) => fields.includes('title') && fields.includes('notes'))
    expect(await recordOf('desk', id)).toMatchObject({ title: 'Bolt', notes: 'Brass.' })
    expect((await statusOf()).state).toBe('attention')
    await hosts.may('all')
    await until('it has arrived', async () => (await recordOf('desk', id)).size === 7)
    await nothingRefused()
    expect(await recordOf('desk', id)).toMatchObject({ title: 'Nut', size: 7, notes: 'Brass, polished.' })
    await hosts.agree()
  })

  it('is tried again when asked for, and says that it was', async () => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('hidden_size')
    await write(id, { size: 9 })
    const { id: conflict } = await hosts.refusal(id)
    await decide(conflict, 'retry')
    const again = await hosts.refusal(id, ({ refusal }) => refusal.triedAt !== undefined)
    expect(again.refusal).toMatchObject({ code: 'fields' })
    expect(again.refusal.askedAt).toBeUndefined()
    await hosts.may('all')
    await decide(conflict, 'retry')
    await until('it has arrived', async () => (await recordOf('desk', id)).size === 9)
    await nothingRefused()
    await hosts.agree()
  })

  it('of lists and texts gives way to what the others have by now', async () => {
    await hosts.may('all')
    const id = await hosts.shared({ title: 'Bolt', tags: ['a'], notes: 'One two three.' })
    await hosts.may('reader')
    await hosts.part()
    await write(id, { tags: ['a', 'b'], notes: 'One 2 three.' })
    await hosts.desk.patch(`/data/part/${id}`, { title: 'Bolt, M4', notes: 'One two three. Four.' })
    await hosts.join()
    const { id: conflict, winner } = await hosts.refusal(id, ({ refusal: { fields } }) => fields.length > 1)
    expect(winner.value).toMatchObject({ tags: ['a'] })
    await decide(conflict, 'winner')
    await nothingRefused()
    await hosts.agree()
    for (const host of ['desk', 'laptop'] as const)
      expect(await recordOf(host, id)).toMatchObject({
        title: 'Bolt, M4',
        tags: ['a'],
        notes: 'One two three. Four.',
      })
  })

  it('goes when whoever wrote it writes what the others have', async () => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('reader')
    await write(id, { title: 'Nut' })
    await hosts.refusal(id)
    await write(id, { title: 'Bolt' })
    await nothingRefused()
    expect((await hosts.desk.get('/sync/problems')).body.problems).toEqual([])
    await hosts.agree()
  })
})

describe('a record its author may not make', { timeout: 120_000 }, () => {
  it('is one refusal, and is kept here or taken away', async () => {
    await hosts.may('no_create')
    const { body } = await hosts.laptop.post('/data/part', { title: 'Own', size: 3, notes: 'Text' })
    const refusal = await hosts.refusal(body.id)
    expect(refusal).toMatchObject({
      winner: { value: null },
      losers: [{ value: { title: 'Own', size: 3, notes: 'Text' } }],
      refusal: { code: 'create', choices: ['winner', 'retry', 'keep'] },
    })
    expect(await hosts.refused()).toHaveLength(1)
    await decide(refusal.id, 'keep')
    expect(await hosts.refused()).toEqual([])
    expect((await statusOf()).counts).toMatchObject({ refused: 0, keptHere: 1 })
    expect((await statusOf()).state).not.toBe('up_to_date')
    expect((await recordOf('laptop', body.id)).title).toBe('Own')
    expect((await hosts.laptop.post(`/sync/conflicts/${refusal.id}/reopen`)).status).toBe(200)
    await decide(refusal.id, 'winner')
    expect((await hosts.laptop.get(`/data/part/${body.id}`)).status).toBe(404)
    await hosts.agree()
    expect((await statusOf()).counts).toMatchObject({ refused: 0, keptHere: 0 })
  })

  it('arrives once the right is there, also of many at once', async () => {
    await hosts.may('no_create')
    const ids: string[] = []
    const made = await hosts.laptop.post('/data/part/createMany', {
      records: Array.from({ length: 30 }, (_, index) => ({ title: `Own ${index}`, notes: 'Text' })),
    })
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
    await until('each is listed', async () => (await statusOf()).counts.refused === 30)
    ids.push(...(await hosts.refused()).map(({ recordId }) => recordId))
    expect(new Set(ids).size).toBe(30)
    await hosts.may('all')
    await until('they are there', async () => {
      const found = await Promise.all(ids.map(async (id) => (await hosts.desk.get(`/data/part/${id}`)).status))
      return found.every((status) => status === 200)
    })
    await nothingRefused()
    await hosts.agree()
  })
})

describe('a record its author may not delete', { timeout: 120_000 }, () => {
  it.each(['delete', 'purge'] as const)('comes back when it is taken back: %s', async (how) => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('no_delete')
    expect((await hosts.laptop.delete(`/data/part/${id}${how === 'purge' ? '?purge=true' : ''}`)).status).toBe(200)
    const refusal = await hosts.refusal(id)
    expect(refusal.refusal).toMatchObject({ code: how, choices: ['winner', 'retry'] })
    expect(await recordOf('desk', id)).toMatchObject({ title: 'Bolt', size: 1, notes: 'Steel.' })
    await decide(refusal.id, 'winner')
    expect(await recordOf('laptop', id)).toMatchObject({ title: 'Bolt', size: 1, notes: 'Steel.' })
    await nothingRefused()
    await hosts.agree()
  })
})

describe('a definition that only an administrator may change', { timeout: 120_000 }, () => {
  it('is listed by its name, and taken back', async () => {
    await hosts.may('all')
    const { item } = (await hosts.laptop.get('/meta/object/part')).body
    const changed = { ...item, label: 'My parts' }
    const saved = await hosts.laptop.put('/meta/object/part', { type: 'object', name: 'part', item: changed })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    const refusal = await until('it is listed', async () => (await hosts.refused())[0])
    expect(refusal).toMatchObject({
      item: { type: 'object', name: 'part' },
      refusal: { code: 'admin', choices: ['winner', 'retry'] },
    })
    await decide(refusal.id, 'winner')
    await until('the label is back', async () => {
      const found = (await hosts.laptop.get('/meta/object/part')).body.item
      return found.label === item.label
    })
    await nothingRefused()
    await hosts.agree()
  })
})

describe('very many writes without a right', { timeout: 120_000 }, () => {
  it('do not end the connection, so that everything else goes on', async () => {
    await hosts.may('all')
    const ids: string[] = []
    for (let index = 0; index < 25; index += 1) ids.push(await hosts.shared({ title: `Bolt ${index}` }))
    await hosts.may('reader')
    for (const id of ids) await write(id, { title: 'Nut' })
    await until('all are listed', async () => (await statusOf()).counts.refused === 25)
    const [peer] = (await hosts.laptop.get('/sync/peers')).body.peers
    expect(peer.state).toBe('connected')
    const open = (await hosts.laptop.get('/sync/conflicts?limit=200')).body.conflicts
    const answer = await hosts.laptop.post('/sync/conflicts/resolve', {
      ids: open.map(({ id }: { id: string }) => id),
      choice: 'theirs',
    })
    expect(answer.body).toMatchObject({ failed: [] })
    for (const id of ids)
      expect(await recordOf('laptop', id)).toMatchObject({ title: (await recordOf('desk', id)).title })
    await nothingRefused()
    await hosts.agree()
  })
})
