// The door for changes from other machines (sync.md 5, 7, 10): rows come out as a local write makes them, nothing refuses
// them, nothing is started by them, and what is wrong with them is told.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIds } from '#main/kernel/ids.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import type { RecordHooks } from '#main/plugins/data/api.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { applyTo, inWrite, remoteActor, remoteContext, rowOf, rowsOf } from '../support/remote-replay.ts'

const ids = createIds(systemClock)
const uuid = (): string => ids.uuid()
const by = remoteActor.id
const at = '2026-03-01T10:00:00.000Z'
const created = { at, by }

let far: TestHost
let hooked = 0

const hooks: RecordHooks = {
  listens: (object) => object === 'deal',
  before(_ctx, { items }) {
    hooked += 1
    return Promise.resolve(items.map(() => ({ ok: true, patch: {} })))
  },
  after() {
    hooked += 1
    return Promise.resolve()
  },
}

/** Counts the hooks that run on the host it is loaded in. */
const watching = definePlugin({
  id: 'test_hooks',
  version: '1.0.0',
  requires: ['data'],
  register: (plugin) => plugin.service('data').setHooks(hooks),
})

const trigger = {
  name: 'log',
  events: ['create', 'update', 'delete', 'undelete'],
  actions: [{ type: 'create_record', config: { object: 'entry', data: { text: '{{ event.operation }}' } } }],
}

async function define(host: TestHost): Promise<void> {
  await host.patch('/settings', { timezone: 'Europe/Berlin', currency: 'EUR' })
  await host.defineObject('entry', { text: { type: 'text' } })
  await host.defineObject(
    'deal',
    {
      name: { type: 'text', required: true },
      code: { type: 'text', unique: true },
      amount: { type: 'number', scale: 2 },
      twice: { type: 'formula', expression: 'record.amount * 2', returnType: 'number' },
      stage: { type: 'select', options: ['new', 'won'], required: true },
      people: { type: 'user', multiple: true },
      friend: { type: 'lookup', reference: 'deal' },
      page: { type: 'html' },
      select: { type: 'text' },
      token: { type: 'secret' },
      login: { type: 'password' },
      lines: { type: 'summary', summaryOperations: { object: 'line', function: 'count' } },
      total: { type: 'summary', summaryOperations: { object: 'line', function: 'sum', field: 'price' } },
    },
    {
      triggers: [trigger],
      indexes: [{ fields: ['name', 'amount'], unique: true, where: { stage: 'won' } }],
      validations: [
        { name: 'small', type: 'script', condition: 'record.amount > 1000', field: 'amount', message: 'Too much.' },
        { name: 'round', type: 'script', severity: 'warning', condition: 'record.amount == 13', message: 'Unlucky.' },
        { name: 'pair', type: 'unique', fields: ['name', 'select'], message: 'Twice.' },
        { name: 'flow', type: 'state_machine', field: 'stage', initial: 'new', transitions: { won: [] } },
      ],
    },
  )
  await host.defineObject('line', {
    deal: { type: 'master_detail', reference: 'deal' },
    price: { type: 'number', scale: 2 },
  })
}

beforeAll(async () => {
  const others = [...corePlugins, ...optionalPlugins].filter(({ id }) => id !== 'scripts')
  far = await createTestHost({ plugins: [...others, watching] })
  await define(far)
})

afterAll(async () => {
  await far.stop()
})

beforeEach(() => {
  far.takeEvents()
})

const version = async (host: TestHost, path: string): Promise<string> =>
  (await host.get(`/data/${path}`)).body.record.updated_at
const searched = async (host: TestHost, word: string): Promise<string[]> =>
  (await host.get(`/data/deal?search=${word}`)).body.records.map(({ id }: { id: string }) => id)

/** Waits until every consumer has handled what was written: triggers have run. */
async function settled(host: TestHost): Promise<void> {
  const { read } = host.host.database
  for (let tries = 0; tries < 500; tries += 1) {
    if (read.get<{ n: number }>(statement('SELECT count(*) AS n FROM _outbox'))!.n === 0) return
    await pause(10)
  }
  throw new Error('The outbox does not empty.')
}

/** A deal that only peers know of. */
async function remoteDeal(values: Record<string, unknown> = {}): Promise<string> {
  const id = uuid()
  await applyTo(far, { object: 'deal', id, values: { name: id, stage: 'new', ...values }, created })
  return id
}

describe('a change', () => {
  it('done again changes nothing and raises nothing', async () => {
    const id = await remoteDeal({ amount: 4 })
    const change = { object: 'deal', id, values: { amount: 5, page: '<b>x</b>' }, deleted: null, owner: by }
    expect((await applyTo(far, change)).changed).toBe(true)
    const before = await version(far, `deal/${id}`)
    far.takeEvents()
    expect((await applyTo(far, change)).changed).toBe(false)
    expect((await applyTo(far, { ...change, values: { ...change.values, name: id } })).changed).toBe(false)
    expect(far.takeEvents()).toEqual([])
    expect(await version(far, `deal/${id}`)).toBe(before)
  })

  it('raises the version strictly, and a local write that did not see it is refused', async () => {
    const id = await remoteDeal({ amount: 1 })
    let last = await version(far, `deal/${id}`)
    for (let amount = 2; amount < 8; amount += 1) {
      await inWrite(far, (tx, data) => {
        data.applyRemote(tx, remoteContext(), { object: 'deal', id, values: { amount } })
        data.applyRemote(tx, remoteContext(), { object: 'deal', id, values: { amount: amount + 0.5 } })
      })
      const next = await version(far, `deal/${id}`)
      expect(next > last).toBe(true)
      const stale = await far.patch(`/data/deal/${id}`, { name: 'mine', expectedVersion: last })
      expect([stale.status, stale.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
      last = next
    }
    const current = await far.patch(`/data/deal/${id}`, { name: 'mine', expectedVersion: last })
    expect(current.status, JSON.stringify(current.body)).toBe(200)
  })

  it('names its author, its source and what changed, and starts neither triggers nor hooks', async () => {
    await settled(far)
    const calls = hooked
    const entries = rowsOf(far, 'entry').length
    const id = await remoteDeal({ amount: 1 })
    await applyTo(far, { object: 'deal', id, values: { amount: 2 } })
    await applyTo(far, { object: 'deal', id, values: {}, deleted: { at, by } })
    await applyTo(far, { object: 'deal', id, values: { select: 's' }, deleted: null })
    await applyTo(far, { object: 'deal', id, values: {}, purged: true })
    const events = far.takeEvents().filter(({ recordId }) => recordId === id)
    expect(events.map(({ type }) => type)).toEqual([
      'record.created',
      'record.updated',
      'record.deleted',
      'record.restored',
      'record.deleted',
      'record.purged',
    ])
    for (const event of events) {
      expect(event).toMatchObject({ source: 'sync', actor: remoteActor, object: 'deal', runAutomations: false })
    }
    expect(events[1]!.payload).toMatchObject({
      record: { id, amount: 2, twice: 4, updated_by: by },
      changes: { amount: { old: 1, new: 2 }, twice: { old: 2, new: 4 } },
    })
    expect(events[3]!.payload).toMatchObject({ record: { id }, changes: { select: { old: null, new: 's' } } })
    expect(events[5]!.payload).toEqual({ record: { id } })
    await settled(far)
    expect(rowsOf(far, 'entry')).toHaveLength(entries)
    expect(hooked).toBe(calls)
    const { body } = await far.post('/data/deal', { name: 'local', stage: 'new' })
    expect(hooked).toBe(calls + 2)
    await settled(far)
    expect(rowsOf(far, 'entry')).toHaveLength(entries + 1)
    await far.delete(`/data/deal/${body.id}?purge=true`)
  })

  it('keeps the source and its triggers quiet whatever the context says', async () => {
    const id = uuid()
    const { source: _source, runAutomations: _run, ...rest } = remoteContext()
    await inWrite(far, (tx, data) =>
      data.applyRemote(tx, { ...rest, source: 'API' }, { object: 'deal', id, values: { name: 'x' }, created }),
    )
    const [event] = far.takeEvents().filter(({ recordId }) => recordId === id)
    expect(event).toMatchObject({ type: 'record.created', source: 'sync', runAutomations: false })
  })

  it('of an object or an id that is none is refused by name', async () => {
    await expect(applyTo(far, { object: 'nothing', id: uuid(), values: {} })).rejects.toMatchObject({
      code: 'resource_not_found',
    })
    await expect(applyTo(far, { object: 'deal', id: 'x', values: {} })).rejects.toMatchObject({
      code: 'validation_error',
    })
  })

  it('with dates and people that are none takes the present and its author', async () => {
    const id = uuid()
    const wrong = { at: 'never', by: 'a b"c' }
    await applyTo(far, { object: 'deal', id, values: { name: 'x' }, created: wrong, owner: '', deleted: wrong })
    const row = rowOf(far, 'deal', id)!
    expect(row).toMatchObject({ created_by: by, owner: by, deleted_by: by })
    expect(Date.parse(String(row['created_at']))).toBeGreaterThan(Date.now() - 60_000)
    expect(Date.parse(String(row['deleted_at']))).toBeGreaterThan(Date.now() - 60_000)
  })
})

describe('what follows from a change', () => {
  it('is computed: formulas, search rows, summaries of parents that come before or after', async () => {
    const [early, late] = [uuid(), await remoteDeal({ amount: 1.5 })]
    const lines = [uuid(), uuid(), uuid()]
    await applyTo(far, { object: 'line', id: lines[0]!, values: { deal: early, price: 2.5 }, created })
    await applyTo(far, { object: 'line', id: lines[1]!, values: { deal: late, price: 4 }, created })
    await applyTo(far, { object: 'deal', id: early, values: { name: 'Quokka', stage: 'new', amount: 3 }, created })
    await applyTo(far, { object: 'line', id: lines[2]!, values: { deal: early, price: 1 }, created })
    expect(rowOf(far, 'deal', early)).toMatchObject({ lines: 2, total: 3.5, twice: 6 })
    expect(rowOf(far, 'deal', late)).toMatchObject({ lines: 1, total: 4, twice: 3 })
    await applyTo(far, { object: 'line', id: lines[2]!, values: { deal: late } })
    expect(rowOf(far, 'deal', early)).toMatchObject({ lines: 1, total: 2.5 })
    expect(rowOf(far, 'deal', late)).toMatchObject({ lines: 2, total: 5 })
    expect(await searched(far, 'quokka')).toEqual([early])
    await applyTo(far, { object: 'deal', id: early, values: { name: 'Numbat' } })
    expect(await searched(far, 'quokka')).toEqual([])
    expect(await searched(far, 'numbat')).toEqual([early])
  })

  it('holds over trash, restore and purge', async () => {
    const deal = await remoteDeal({ name: 'Bilby' })
    const line = uuid()
    await applyTo(far, { object: 'line', id: line, values: { deal, price: 2 }, created })
    await applyTo(far, { object: 'line', id: line, values: {}, deleted: { at, by } })
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 0, total: 0 })
    expect(rowOf(far, 'line', line)).toMatchObject({ deleted_at: at, deleted_by: by, deal })
    await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: { at, by } })
    expect(await searched(far, 'bilby')).toEqual([])
    expect((await far.get(`/data/deal/${deal}`)).status).toBe(404)
    // Edits made elsewhere meanwhile are kept, in the trash.
    far.takeEvents()
    const kept = await applyTo(far, { object: 'deal', id: deal, values: { name: 'Potoroo', amount: 7 } })
    expect(kept).toMatchObject({ changed: true, duplicates: [], broken: [] })
    expect(far.takeEvents().map(({ type }) => type)).toEqual(['record.updated'])
    expect(rowOf(far, 'deal', deal)).toMatchObject({ name: 'Potoroo', twice: 14, deleted_at: at })
    expect(await searched(far, 'potoroo')).toEqual([])
    await applyTo(far, { object: 'line', id: line, values: {}, deleted: null })
    await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: null })
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 1, total: 2, deleted_at: null, deleted_by: null })
    expect(await searched(far, 'potoroo')).toEqual([deal])
    await applyTo(far, { object: 'line', id: line, values: {}, purged: true })
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 0, total: 0 })
    await applyTo(far, { object: 'deal', id: deal, values: {}, purged: true })
    expect(rowOf(far, 'deal', deal)).toBeUndefined()
    expect(await searched(far, 'potoroo')).toEqual([])
    expect((await applyTo(far, { object: 'deal', id: deal, values: {}, purged: true })).changed).toBe(false)
  })

  it('takes values and a deletion of one change together, and one that arrives deleted', async () => {
    const deal = await remoteDeal({ amount: 1 })
    far.takeEvents()
    await applyTo(far, { object: 'deal', id: deal, values: { amount: 2 }, deleted: { at, by } })
    expect(far.takeEvents().map(({ type }) => type)).toEqual(['record.updated', 'record.deleted'])
    expect(rowOf(far, 'deal', deal)).toMatchObject({ amount: 2, twice: 4, deleted_at: at })
    const other = { at: '2026-03-02T00:00:00.000Z', by: 'system' }
    expect((await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: other })).changed).toBe(true)
    expect(rowOf(far, 'deal', deal)).toMatchObject({ deleted_at: other.at, deleted_by: 'system' })
    const gone = uuid()
    await applyTo(far, { object: 'deal', id: gone, values: { name: 'Quoll' }, created, deleted: { at, by } })
    expect(rowOf(far, 'deal', gone)).toMatchObject({ name: 'Quoll', deleted_at: at })
    expect(await searched(far, 'quoll')).toEqual([])
  })

  it('is settled once for a group', async () => {
    const deal = await remoteDeal()
    far.takeEvents()
    await inWrite(far, (tx, data) =>
      data.applyGroup(tx, remoteContext(), () => {
        for (let price = 1; price <= 5; price += 1)
          data.applyRemote(tx, remoteContext(), { object: 'line', id: uuid(), values: { deal, price }, created })
      }),
    )
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 5, total: 15 })
    expect(far.takeEvents().filter(({ object }) => object === 'deal')).toHaveLength(1)
  })

  it('is counted once in a group whose parent comes behind its children, new or back', async () => {
    const [deal, line] = [uuid(), uuid()]
    const group = (rest: { deleted?: null; created?: typeof created }) =>
      inWrite(far, (tx, data) =>
        data.applyGroup(tx, remoteContext(), () => {
          data.applyRemote(tx, remoteContext(), { object: 'line', id: line, values: { deal, price: 2 }, ...rest })
          const values = { name: 'Antechinus', stage: 'new' }
          data.applyRemote(tx, remoteContext(), { object: 'deal', id: deal, values, ...rest })
        }),
      )
    await group({ created })
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 1, total: 2 })
    for (const [object, id] of [
      ['line', line],
      ['deal', deal],
    ] as const)
      await applyTo(far, { object, id, values: {}, deleted: { at, by } })
    await group({ deleted: null })
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 1, total: 2 })
  })

  it('lets a local restore bring back what peers deleted together, and nothing else', async () => {
    const deal = await remoteDeal()
    const [together, alone, sooner] = [uuid(), uuid(), uuid()]
    for (const id of [together, alone, sooner])
      await applyTo(far, { object: 'line', id, values: { deal, price: 1 }, created })
    const deleted = { at, by }
    await applyTo(far, { object: 'line', id: sooner, values: {}, deleted })
    await inWrite(far, (tx, data) =>
      data.applyGroup(tx, remoteContext(), () => {
        const remove = (object: string, id: string) =>
          data.applyRemote(tx, remoteContext(), { object, id, values: {}, deleted })
        for (const id of [alone, together]) remove('line', id)
        remove('deal', deal)
        // Brought back within the same group: it is none of those that went.
        data.applyRemote(tx, remoteContext(), { object: 'line', id: alone, values: {}, deleted: null })
      }),
    )
    await applyTo(far, { object: 'line', id: alone, values: {}, deleted })
    expect((await far.post(`/data/deal/${deal}/restore`)).status).toBe(200)
    const marks = [together, alone, sooner].map((id) => rowOf(far, 'line', id)!['deleted_at'])
    expect(marks).toEqual([null, at, at])
    expect(rowOf(far, 'deal', deal)).toMatchObject({ lines: 1, total: 1 })
  })

  it('lets a local restore undo no deletion that peers undid before', async () => {
    const { id: deal } = (await far.post('/data/deal', { name: 'Dibbler', stage: 'new' })).body
    const { id: line } = (await far.post('/data/line', { deal, price: 1 })).body
    await far.delete(`/data/deal/${deal}`)
    await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: null })
    await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: { at, by } })
    expect((await far.post(`/data/deal/${deal}/restore`)).status).toBe(200)
    expect(rowOf(far, 'line', line)!['deleted_at']).not.toBeNull()
  })
})

describe('a value of a type its field had before', () => {
  it('is converted where a change of the type would, and told where nothing is left or it may do harm', async () => {
    await far.defineObject('kept', {
      count: { type: 'number' },
      note: { type: 'text' },
      done: { type: 'boolean' },
      day: { type: 'date' },
      link: { type: 'url' },
    })
    const id = uuid()
    const fits = { count: '12', note: 7, done: 'true', day: '2026-03-01T23:30:00.000Z', link: 'https://example.org/' }
    expect((await applyTo(far, { object: 'kept', id, values: fits, convert: true })).refused).toEqual([])
    expect((await far.get(`/data/kept/${id}`)).body.record).toMatchObject({
      ...{ count: 12, note: '7', done: true, day: '2026-03-02', link: 'https://example.org/' },
    })
    const values = { count: 'a dozen', note: { a: 1 }, done: 'perhaps', day: 'soon', link: 'javascript:alert(1)' }
    const { refused } = await applyTo(far, { object: 'kept', id, values, convert: true })
    expect(refused.map(({ field, value }) => [field, value])).toEqual(Object.entries(values))
    const none = { count: null, note: null, done: null, day: null, link: null }
    expect((await far.get(`/data/kept/${id}`)).body.record).toMatchObject(none)
  })
})

describe('what is wrong with a record', () => {
  it('is told: unique values and tuples', async () => {
    const first = await remoteDeal({ code: 'A-1', amount: 5, name: 'same', stage: 'won', select: 'x' })
    const id = uuid()
    const values = { code: 'A-1', amount: 5, name: 'same', stage: 'won', select: 'x' }
    const outcome = await applyTo(far, { object: 'deal', id, values, created })
    expect(outcome.duplicates).toEqual([
      { fields: ['code'], record: first },
      { fields: ['name', 'amount'], record: first },
      { fields: ['name', 'select'], record: first },
    ])
    expect((await applyTo(far, { object: 'deal', id, values: { page: '<p>x</p>' } })).duplicates).toEqual([
      { fields: ['name', 'amount'], record: first },
    ])
    expect((await applyTo(far, { object: 'deal', id, values: { stage: 'new' } })).duplicates).toEqual([])
    await applyTo(far, { object: 'deal', id: first, values: {}, deleted: { at, by } })
    expect((await applyTo(far, { object: 'deal', id, values: { code: 'A-2' } })).duplicates).toEqual([])
    expect((await applyTo(far, { object: 'deal', id, values: { code: 'A-1' } })).duplicates).toEqual([])
    expect((await applyTo(far, { object: 'deal', id: first, values: {}, deleted: null })).duplicates).toEqual([
      { fields: ['code'], record: id },
      { fields: ['name', 'select'], record: id },
    ])
    // A local write still is refused.
    const local = await far.post('/data/deal', { name: 'other', stage: 'new', code: 'A-1' })
    expect(local.status).toBe(409)
  })

  it('is told: broken rules of any severity, but no state machine', async () => {
    const id = uuid()
    const far1 = await applyTo(far, { object: 'deal', id, values: { name: 'r', amount: 2000, stage: 'won' }, created })
    expect(far1.broken).toEqual([{ rule: 'small', severity: 'error', message: 'Too much.', field: 'amount' }])
    const unlucky = await applyTo(far, { object: 'deal', id, values: { amount: 13, stage: 'new' } })
    expect(unlucky.broken).toEqual([{ rule: 'round', severity: 'warning', message: 'Unlucky.' }])
    expect((await applyTo(far, { object: 'deal', id, values: { amount: 14 } })).broken).toEqual([])
  })

  it('is told: masters that are missing or in the trash', async () => {
    const [missing, id] = [uuid(), uuid()]
    const orphan = { field: 'deal', object: 'deal', id: missing }
    expect((await applyTo(far, { object: 'line', id, values: { deal: missing }, created })).orphans).toEqual([orphan])
    expect(rowOf(far, 'line', id)).toMatchObject({ deal: missing })
    expect((await applyTo(far, { object: 'line', id, values: { price: 1 } })).orphans).toEqual([])
    await applyTo(far, { object: 'deal', id: missing, values: { name: 'late' }, created, deleted: { at, by } })
    await applyTo(far, { object: 'line', id, values: {}, deleted: { at, by } })
    expect((await applyTo(far, { object: 'line', id, values: {}, deleted: null })).orphans).toEqual([orphan])
    await applyTo(far, { object: 'deal', id: missing, values: {}, deleted: null })
    expect(rowOf(far, 'deal', missing)).toMatchObject({ lines: 1, total: 1 })
  })

  it('is told: details that a deletion did not know', async () => {
    const deal = await remoteDeal()
    const [known, unknown] = [uuid(), uuid()]
    for (const id of [known, unknown]) await applyTo(far, { object: 'line', id, values: { deal }, created })
    await applyTo(far, { object: 'line', id: known, values: {}, deleted: { at, by } })
    const left = [{ object: 'line', id: unknown, field: 'deal' }]
    expect(await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: { at, by } })).toMatchObject({
      stranded: left,
    })
    expect(rowOf(far, 'line', unknown)).toMatchObject({ deal, deleted_at: null })
    expect((await applyTo(far, { object: 'deal', id: deal, values: {}, deleted: null })).stranded).toEqual([])
    expect((await applyTo(far, { object: 'deal', id: deal, values: {}, purged: true })).stranded).toEqual(left)
  })

  it('stops nothing: two machines may close a ring of parents whose figures never settle', async () => {
    await far.defineObject('node', {
      above: { type: 'tree' },
      own: { type: 'number', scale: 0 },
      below: { type: 'summary', summaryOperations: { object: 'node', function: 'sum', field: 'sum' } },
      sum: { type: 'formula', expression: 'record.own + record.below', returnType: 'number' },
    })
    const [a, b] = [uuid(), uuid()]
    await applyTo(far, { object: 'node', id: a, values: { own: 1 }, created })
    await applyTo(far, { object: 'node', id: b, values: { own: 1, above: a }, created })
    expect((await applyTo(far, { object: 'node', id: a, values: { above: b } })).changed).toBe(true)
    expect(rowOf(far, 'node', a)).toMatchObject({ above: b })
    expect((await applyTo(far, { object: 'node', id: a, values: { above: null } })).changed).toBe(true)
    expect(rowOf(far, 'node', a)).toMatchObject({ above: null, below: 1, sum: 2 })
    expect(rowOf(far, 'node', b)).toMatchObject({ above: a, below: 0, sum: 1 })
  })
})
