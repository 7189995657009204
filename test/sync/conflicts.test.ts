// Conflicts between two machines, decided over HTTP on one of them: what the record is then, on both, and who may decide.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { putProblem, removeProblem } from '#main/plugins/sync/store/problem-store.ts'
import { noteProblemOpened } from '#main/plugins/sync/store/problem-store.ts'
import type { Answer } from '../support/create-test-host.ts'
import { shareObject } from '../support/shared-object.ts'
import type { SyncMachine } from '../support/sync-machine.ts'
import { carry, createSyncMachine, createTestWorkspace, exchange } from '../support/sync-machine.ts'
import { sized } from '../support/test-size.ts'

const machines: SyncMachine[] = []

afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.stop()
})

const fields = {
  title: { type: 'text' },
  size: { type: 'number' },
  labels: { type: 'tags' },
  notes: { type: 'markdown' },
  code: { type: 'text', unique: true },
}

/** Machines that know the same object. */
async function several(...names: readonly string[]): Promise<SyncMachine[]> {
  const workspace = createTestWorkspace()
  const made: SyncMachine[] = []
  for (const name of names) made.push(await createSyncMachine(workspace, name))
  machines.push(...made)
  await made[0]!.host.defineObject('part', fields)
  await shareObject(made[0]!, made.slice(1))
  return made
}
const two = async () => (await several('a', 'b')) as [SyncMachine, SyncMachine]
const three = async () => (await several('a', 'b', 'c')) as [SyncMachine, SyncMachine, SyncMachine]

const create = async (machine: SyncMachine, data: Record<string, unknown>): Promise<string> => {
  const answer = await machine.host.post('/data/part', data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
const patch = async (machine: SyncMachine, id: string, data: Record<string, unknown>): Promise<void> => {
  const answer = await machine.host.patch(`/data/part/${id}`, data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const read = async ({ host }: SyncMachine, id: string) => (await host.get(`/data/part/${id}`)).body.record
const list = async ({ host }: SyncMachine, query = ''): Promise<Answer['body']> =>
  (await host.get(`/sync/conflicts${query}`)).body
const only = async (machine: SyncMachine, query = '') => {
  const { conflicts, total } = await list(machine, query)
  expect(conflicts).toHaveLength(1)
  expect(total).toBe(1)
  return conflicts[0]
}
const resolve = ({ host }: SyncMachine, id: string, body: object): Promise<Answer> =>
  host.post(`/sync/conflicts/${id}/resolve`, body)

/** The code of what was decided on what stood there before something that was written meanwhile. */
async function overtaken({ plugin }: SyncMachine, write: () => Promise<Answer>, decide: () => Promise<Answer>) {
  let isHeld = true
  const held = plugin.writeStepwise('test.hold', function* () {
    while (isHeld) yield
  })
  const written = write()
  await pause(40)
  const decided = decide()
  await pause(40)
  isHeld = false
  await held
  expect((await written).status).toBe(200)
  return (await decided).body.error?.code as unknown
}

/** A record with one field written on both machines at once; b wrote last. */
async function clash(field: 'title' | 'size' | 'labels', base: unknown, first: unknown, second: unknown) {
  const [a, b] = await two()
  const id = await create(a, { [field]: base })
  await exchange(a, b)
  await patch(a, id, { [field]: first })
  await patch(b, id, { [field]: second })
  await exchange(a, b)
  return { a, b, id }
}

/** Nobody has anything to decide any more, and both machines hold the same. */
async function expectPeace(a: SyncMachine, b: SyncMachine, id: string): Promise<void> {
  await exchange(a, b)
  expect([(await list(a)).total, (await list(b)).total]).toEqual([0, 0])
  const [one, other] = [await read(a, id), await read(b, id)]
  expect({ ...other, updated_at: '', updated_by: '' }).toEqual({ ...one, updated_at: '', updated_by: '' })
  const digests = [a, b].map(({ engine }) => engine.replica.digest())
  expect(Buffer.from(digests[0]!.buckets).equals(digests[1]!.buckets)).toBe(true)
}

describe('a field that was written on two machines', () => {
  it('is listed the same on both, with who wrote what and where', async () => {
    const { a, b, id } = await clash('title', 'One', 'Two', 'Three')
    const conflict = await only(a)
    expect(conflict).toMatchObject({
      kind: 'field',
      object: 'part',
      recordId: id,
      field: 'title',
      winner: {
        value: 'Three',
        device: { id: 'b', name: 'Machine b' },
        actor: { id: 'user of b', name: 'Name of user of b' },
      },
      losers: [{ value: 'Two', device: { id: 'a', name: 'Machine a' } }],
      state: 'open',
    })
    expect((await only(b)).id).toBe(conflict.id)
    const one = (await a.host.get(`/sync/conflicts/${conflict.id}`)).body
    expect(one.conflict).toEqual(conflict)
    expect(one.record).toEqual(await read(a, id))
    expect(await read(a, id)).toMatchObject({ title: 'Three' })
  })

  it.each([
    ['winner', { choice: 'winner' }, 'Three'],
    ['loser', { choice: 'loser', loser: 0 }, 'Two'],
    ['value', { choice: 'value', value: 'Four' }, 'Four'],
    ['value', { choice: 'value', value: null }, null],
  ])('is decided by %s on one machine and gone on both', async (_name, decision, title) => {
    const { a, b, id } = await clash('title', 'One', 'Two', 'Three')
    const { id: conflict } = await only(a)
    const answer = await resolve(a, conflict, decision)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body).toMatchObject({
      conflict: { id: conflict, state: 'resolved', resolution: decision.choice },
      record: { id, title },
    })
    await expectPeace(a, b, id)
    expect(await read(b, id)).toMatchObject({ title })
    const { entries } = (await a.host.get(`/data/part/${id}/changelog`)).body.data
    // Its own edit and what it received come first; what stands there may be what was decided for.
    expect(entries).toHaveLength(4)
    expect(entries[0]).toMatchObject({
      action: 'update',
      source: 'sync',
      actor: { id: (await read(a, id))!.created_by },
      changes: [{ field: 'title', oldValue: 'Three', newValue: title }],
    })
    expect(await read(a, id)).toMatchObject({ title })
    expect(await only(b, '?state=resolved')).toMatchObject({ id: conflict, resolution: 'elsewhere' })
  })

  it('is decided member by member in a list', async () => {
    const { a, b, id } = await clash('labels', ['x'], ['x', 'y'], ['x', 'z'])
    // Both additions stay: there is nothing to decide.
    expect((await list(a)).total).toBe(0)
    expect((await read(b, id)).labels.toSorted()).toEqual(['x', 'y', 'z'])
  })

  it('is settled by an ordinary edit of the field, and not by one of another field', async () => {
    const { a, b, id } = await clash('title', 'One', 'Two', 'Three')
    await patch(a, id, { size: 3 })
    expect((await list(a)).total).toBe(1)
    // Nor is it written over by somebody who decided before it came.
    const { id: conflict } = await only(a)
    const edit = () => a.host.patch(`/data/part/${id}`, { title: 'Five' })
    expect(await overtaken(a, edit, () => resolve(a, conflict, { choice: 'loser' }))).toBe('conflict')
    expect(await read(a, id)).toMatchObject({ title: 'Five' })
    expect(await only(a, '?state=resolved')).toMatchObject({ resolution: 'edit' })
    await expectPeace(a, b, id)
  })

  it.each<[string, (held: string[]) => string[]]>([
    ['another member', (held) => [...held, 'q']],
    ...sized<[string, (held: string[]) => string[]][]>(
      [],
      [
        ['another member before them', (held) => ['q', ...held]],
        ['another order', (held) => held.toReversed()],
        ['one of them', () => ['y']],
        ['none', () => []],
      ],
    ),
  ])('about a member is settled on both by an ordinary edit of the list: %s', async (_name, edited) => {
    const { a, b, id } = await clash('labels', ['x', 'y'], ['y'], ['y', 'x'])
    expect(await only(b)).toMatchObject({ kind: 'field', field: 'labels' })
    const labels = edited((await read(a, id)).labels)
    await patch(a, id, { labels })
    expect(await only(a, '?state=resolved')).toMatchObject({ resolution: 'edit' })
    await expectPeace(a, b, id)
    expect((await read(b, id)).labels).toEqual(labels)
  })

  it('cannot be decided twice, or on another version of the record than was seen', async () => {
    const { a, id } = await clash('title', 'One', 'Two', 'Three')
    const { id: conflict } = await only(a)
    const seen = (await read(a, id)).updated_at
    await patch(a, id, { size: 9 })
    const stale = await resolve(a, conflict, { choice: 'loser', expectedVersion: seen })
    expect([stale.status, stale.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    expect((await list(a)).total).toBe(1)
    const now = (await read(a, id)).updated_at
    expect((await resolve(a, conflict, { choice: 'winner', expectedVersion: now })).status).toBe(200)
    const again = await resolve(a, conflict, { choice: 'loser' })
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
  })

  it('cannot be decided on other sides than were seen, which are told', async () => {
    const [a, b, c] = await three()
    const id = await create(a, { title: 'One' })
    await exchange(a, b, c)
    for (const [machine, title] of [
      [a, 'Two'],
      [b, 'Three'],
      [c, 'Four'],
    ] as const)
      await patch(machine, id, { title })
    await exchange(a, b)
    const { id: conflict, sides } = await only(a)
    const decision = { choice: 'loser', loser: 0, sides }
    await exchange(a, b, c)
    const present = await only(a)
    expect(present.losers).toHaveLength(2)
    const stale = await resolve(a, conflict, decision)
    expect([stale.status, stale.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    expect(stale.body.error.details).toEqual({ currentVersion: present.sides, currentItem: present })
    expect(await only(a)).toEqual(present)
    expect(await read(a, id)).toMatchObject({ title: present.winner.value })
    const now = await resolve(a, conflict, { ...decision, sides: present.sides })
    expect(now.body, JSON.stringify(now.body)).toMatchObject({ record: { title: present.losers[0].value } })
    await exchange(a, b, c)
    await expectPeace(a, c, id)
  })

  it('is the same in row and document, whenever an edit of the other machine is merged', async () => {
    const [a, b] = await two()
    const ids: string[] = []
    for (let made = 0; made < 16; made += 1) ids.push(await create(a, { title: 'One' }))
    await exchange(a, b)
    for (const id of ids) await patch(a, id, { title: 'Two' })
    for (const id of ids) await patch(b, id, { title: 'Three' })
    await exchange(a, b)
    const { conflicts } = await list(a)
    for (const [waits, { id, recordId }] of conflicts.entries()) {
      await patch(b, recordId, { title: 'Four' })
      const merged = carry(b, a)
      const decided = pause(waits / 4).then(async () => resolve(a, id, { choice: 'winner' }))
      expect([200, 409]).toContain((await Promise.all([decided, merged]))[0].status)
    }
    await exchange(a, b)
    const titles = async (machine: SyncMachine) => Promise.all(ids.map(async (id) => (await read(machine, id)).title))
    expect(await titles(a)).toEqual(await titles(b))
  })

  it('has the sides of its former place beside those of its present one', async () => {
    const [a, b, c] = await three()
    const id = await create(a, { notes: 'Old' })
    await exchange(a, b, c)
    await patch(c, id, { notes: 'Former' })
    const item = { name: 'part', fields: { ...fields, notes: { type: 'text' } } }
    for (const { host } of [a, b, c]) expect((await host.put('/meta/object/part?confirm=true', item)).status).toBe(200)
    await patch(a, id, { notes: 'From a' })
    await patch(b, id, { notes: 'From b' })
    await exchange(a, b, c)
    for (const machine of [a, b, c]) {
      const { winner, losers } = await only(machine)
      const sides = [winner, ...losers].map(({ value }: { value: unknown }) => value)
      expect(sides.toSorted()).toEqual(['Former', 'From a', 'From b'])
    }
    const { id: conflict, losers } = await only(b)
    const loser = losers.findIndex(({ value }: { value: unknown }) => value === 'Former')
    expect((await resolve(b, conflict, { choice: 'loser', loser })).status).toBe(200)
    await exchange(a, b, c)
    await expectPeace(a, c, id)
    expect(await read(a, id)).toMatchObject({ notes: 'Former' })
  })

  it('is opened again, decided the other way, and stays decided', async () => {
    const { a, b, id } = await clash('title', 'One', 'Two', 'Three')
    const { id: conflict } = await only(a)
    await resolve(a, conflict, { choice: 'winner' })
    await exchange(a, b)
    const opened = await a.host.post(`/sync/conflicts/${conflict}/reopen`, {})
    expect(opened.body.conflict).toMatchObject({ id: conflict, state: 'open', losers: [{ value: 'Two' }] })
    const twice = await a.host.post(`/sync/conflicts/${conflict}/reopen`, {})
    expect([twice.status, twice.body.error.code]).toEqual([409, 'invalid_state_transition'])
    await exchange(a, b)
    expect((await list(a)).total).toBe(1)
    expect((await resolve(a, conflict, { choice: 'loser' })).body.record).toMatchObject({ title: 'Two' })
    await expectPeace(a, b, id)
  })

  it('ends by what stands there where its record is in the trash', async () => {
    const { a, b, id } = await clash('title', 'One', 'Two', 'Three')
    // Nor is another one listed where two gave it to somebody: no field is there to decide.
    const name = { kind: 'record', object: a.metadata.objectSchema('part')!.uid, record: id } as const
    for (const { plugin, engine, inc } of [a, b])
      await plugin.write('test.owner', (tx) =>
        engine.docs.edit(tx, internalContext('test'), name, (place) => place.set({ _owner: `user ${inc}` })),
      )
    await exchange(a, b)
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await exchange(a, b)
    const answer = await resolve(a, (await only(a)).id, { choice: 'winner' })
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ record: null, conflict: { resolution: 'winner' } })
    await exchange(a, b)
    expect([(await list(a)).total, (await list(b)).total]).toEqual([0, 0])
    expect((await b.host.post(`/data/part/${id}/restore`)).body.record).toMatchObject({ title: 'Three' })
    await expectPeace(a, b, id)
  })

  it('refuses choices that do not fit, by name', async () => {
    const { a } = await clash('title', 'One', 'Two', 'Three')
    const { id: conflict } = await only(a)
    const refused = async (body: object) => (await resolve(a, conflict, body)).body.error.details.fieldErrors[0]
    expect(await refused({ choice: 'merge' })).toMatchObject({ field: 'choice', code: 'invalid_option' })
    expect(await refused({ choice: 'loser', loser: 7 })).toMatchObject({ field: 'loser', code: 'invalid_option' })
    expect(await refused({ choice: 'value' })).toMatchObject({ field: 'value', code: 'required' })
    const missing = await resolve(a, 'f'.repeat(32), { choice: 'winner' })
    expect([missing.status, missing.body.error.code]).toEqual([404, 'sync_conflict_not_found'])
    expect((await list(a)).total).toBe(1)
  })
})

describe('a record that was deleted while it was edited elsewhere', () => {
  const deleteAgainstEdit = async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'One' })
    await exchange(a, b)
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await patch(b, id, { title: 'Edited' })
    await exchange(a, b)
    const conflict = await only(a)
    expect(conflict).toMatchObject({
      kind: 'delete_edit',
      winner: { value: null },
      losers: [{ value: { title: 'Edited' } }],
    })
    expect(conflict.field).toBeUndefined()
    return { a, b, id, conflict: conflict.id as string }
  }

  it('comes back with the edit', async () => {
    const { a, b, id, conflict } = await deleteAgainstEdit()
    const answer = await resolve(a, conflict, { choice: 'restore' })
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({
      record: { id, title: 'Edited' },
      conflict: { resolution: 'restore' },
    })
    await expectPeace(a, b, id)
  })

  it.each<['restore' | 'delete', 'restore' | 'delete']>([
    ['restore', 'restore'],
    ['restore', 'delete'],
    ['delete', 'restore'],
    ...sized<['restore' | 'delete', 'restore' | 'delete'][]>([], [['delete', 'delete']]),
  ])('is listed again where both ways were chosen at once, %s last, and ends by %s', async (last, way) => {
    const { a, b, id, conflict } = await deleteAgainstEdit()
    const isThere = last === 'restore'
    const [restored, deleted] = [
      [a, 'restore'],
      [b, 'delete'],
    ] as const
    for (const [machine, choice] of isThere ? [deleted, restored] : [restored, deleted])
      expect((await resolve(machine, conflict, { choice })).status).toBe(200)
    await exchange(a, b)
    const sides = [
      { value: {}, device: { id: 'a' } },
      { value: null, device: { id: 'b' } },
    ]
    const [winner, loser] = isThere ? sides : sides.toReversed()
    for (const machine of [a, b]) {
      expect((await machine.host.get(`/data/part/${id}`)).status).toBe(isThere ? 200 : 404)
      expect(await only(machine)).toMatchObject({ kind: 'delete_edit', winner, losers: [loser], base: {} })
    }
    const answer = await resolve(b, (await only(b)).id, { choice: way })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    await exchange(a, b)
    for (const machine of [a, b]) {
      expect((await list(machine)).total).toBe(0)
      expect((await machine.host.get(`/data/part/${id}`)).status).toBe(way === 'restore' ? 200 : 404)
    }
  })

  it('stays deleted on both', async () => {
    const { a, b, id, conflict } = await deleteAgainstEdit()
    const answer = await resolve(a, conflict, { choice: 'delete' })
    expect(answer.body).toMatchObject({ record: null, conflict: { resolution: 'delete' } })
    await exchange(a, b)
    expect([(await list(a)).total, (await list(b)).total]).toEqual([0, 0])
    expect((await b.host.get(`/data/part/${id}`)).status).toBe(404)
  })
})

describe('a value that two records have', () => {
  const twice = async () => {
    const [a, b] = await two()
    const owner = await create(a, { code: 'K1', title: 'Mine' })
    const other = await create(b, { code: 'K1', title: 'Other', size: 4 })
    await exchange(a, b)
    const conflict = await only(a)
    expect(conflict).toMatchObject({ kind: 'unique', field: 'code', recordId: other, winner: { record: owner } })
    return { a, b, owner, other, conflict: conflict.id as string }
  }

  it('is changed in the later one', async () => {
    const { a, b, other, conflict } = await twice()
    expect((await resolve(a, conflict, { choice: 'value', value: 'K1' })).status).toBe(409)
    const answer = await resolve(a, conflict, { choice: 'value', value: 'K2' })
    expect(answer.body).toMatchObject({ record: { code: 'K2' } })
    await expectPeace(a, b, other)
  })

  it('makes one record of two', async () => {
    const { a, b, owner, other, conflict } = await twice()
    for (const id of [owner, other]) {
      const written = () => a.host.patch(`/data/part/${id}`, { notes: 'Meanwhile' })
      expect(await overtaken(a, written, () => resolve(a, conflict, { choice: 'merge' }))).toBe('CONCURRENT_UPDATE')
    }
    const answer = await resolve(a, conflict, { choice: 'merge' })
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({
      record: { id: owner, code: 'K1', title: 'Mine', size: 4 },
      conflict: { resolution: 'merge' },
    })
    await expectPeace(a, b, owner)
    expect((await b.host.get(`/data/part/${other}`)).status).toBe(404)
  })
})

describe('many conflicts', () => {
  const many = async () => {
    const [a, b] = await two()
    const ids: string[] = []
    for (const name of ['p', 'q', 'r']) ids.push(await create(a, { title: name }))
    await exchange(a, b)
    for (const id of ids) await patch(a, id, { title: 'from a' })
    for (const id of ids) await patch(b, id, { title: 'from b' })
    await exchange(a, b)
    return { a, b, ids }
  }

  it.each([
    ['newest', 'from b'],
    ...sized(
      [],
      [
        ['mine', 'from a'],
        ['theirs', 'from b'],
      ],
    ),
  ])('are decided at once for %s', async (choice, title) => {
    const { a, b, ids } = await many()
    const { conflicts } = await list(a)
    const answer = await a.host.post('/sync/conflicts/resolve', {
      ids: [...conflicts.map(({ id }: { id: string }) => id), 'nothing'],
      choice,
    })
    expect(answer.body.resolved).toHaveLength(3)
    expect(answer.body.failed).toMatchObject([{ id: 'nothing', error: { code: 'sync_conflict_not_found' } }])
    await expectPeace(a, b, ids[0]!)
    for (const id of ids) expect(await read(b, id)).toMatchObject({ title })
  })

  it('are decided on the sides that were seen: what has others by now stays open', async () => {
    const [a, b] = await two()
    const ids = [await create(a, { title: 'p' }), await create(a, { title: 'q' })]
    await exchange(a, b)
    for (const machine of [a, b]) for (const id of ids) await patch(machine, id, { title: `At once ${machine.inc}` })
    await carry(b, a)
    const { conflicts } = await list(a)
    await patch(b, ids[0]!, { title: 'Later' })
    await carry(b, a)
    const sides = Object.fromEntries(conflicts.map((one: { id: string; sides: string }) => [one.id, one.sides]))
    const answer = await a.host.post('/sync/conflicts/resolve', { ids: Object.keys(sides), choice: 'newest', sides })
    expect(answer.body.resolved).toHaveLength(1)
    const present = await only(a)
    expect(present).toMatchObject({ recordId: ids[0], winner: { value: 'Later' } })
    const details = { currentVersion: present.sides, currentItem: present }
    expect(answer.body.failed).toMatchObject([{ id: present.id, error: { code: 'CONCURRENT_UPDATE', details } }])
  })

  it('come page by page and by record', async () => {
    const { a, ids } = await many()
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 5; pages++) {
      const page = await list(a, `?limit=2${cursor}`)
      expect(page.total).toBe(3)
      seen.push(...page.conflicts.map((one: { recordId: string }) => one.recordId))
      if (!page.hasMore) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect((await only(a, `?object=part&recordId=${ids[1]!}&kind=field`)).recordId).toBe(ids[1])
    expect((await list(a, '?kind=text')).total).toBe(0)
    expect((await list(a, '?object=unknown')).conflicts).toEqual([])
    for (const path of ['/sync/conflicts', '/sync/problems'])
      expect((await a.host.get(`${path}?cursor=`)).body, path).toEqual((await a.host.get(path)).body)
    for (const query of ['?limit=0', '?limit=201', '?cursor=x']) {
      expect((await a.host.get(`/sync/conflicts${query}`)).status, query).toBe(400)
    }
  })
})

it('is listed again when both machines chose another text at once', async () => {
  const [a, b] = await two()
  const id = await create(a, { title: 'x', notes: '' })
  await exchange(a, b)
  await patch(a, id, { notes: 'text of a' })
  await patch(b, id, { notes: 'text of b' })
  await exchange(a, b)
  expect((await resolve(a, (await only(a)).id, { choice: 'winner' })).status).toBe(200)
  expect((await resolve(b, (await only(b)).id, { choice: 'loser' })).status).toBe(200)
  await exchange(a, b)
  for (const machine of [a, b]) {
    const { kind, winner, losers } = await only(machine, '?state=open')
    expect([kind, winner.value, losers.map((side: { value: unknown }) => side.value).toSorted()]).toEqual([
      ...['text', '', ['text of a', 'text of b']],
    ])
  }
  const { id: conflict, losers } = await only(b, '?state=open')
  const loser = losers.findIndex((side: { value: unknown }) => side.value === 'text of b')
  expect((await resolve(b, conflict, { choice: 'loser', loser })).status).toBe(200)
  await expectPeace(a, b, id)
  expect(await read(a, id)).toMatchObject({ notes: 'text of b' })
})

it('tells of conflicts and forgets them with their record', async () => {
  const { a, id } = await clash('title', 'One', 'Two', 'Three')
  const types = () => a.host.takeEvents().map(({ type }) => type)
  expect(types()).toContain('sync.conflict.opened')
  expect((await a.host.delete(`/data/part/${id}?purge=true`)).status).toBe(200)
  expect(types()).toContain('sync.conflict.resolved')
  expect(a.plugin.read.all(statement('SELECT id FROM sync_conflict'))).toEqual([])
})

describe('what lies aside', () => {
  const aside = async () => {
    const [a, b] = await two()
    await create(b, { title: 'Far' })
    await exchange(a, b)
    await a.plugin.write('test.aside', (tx) => {
      const rest = {
        reason: 'forbidden' as const,
        detail: 'Not allowed.',
        doc: 'm/x/y',
        since: '2026-01-31T08:15:30.123Z',
      }
      putProblem(tx, { inc: b.inc, seq: 1, kind: 'quarantine', ...rest })
      noteProblemOpened(tx)
    })
    return { a, b }
  }

  it('is listed with the machine it came from', async () => {
    const { a, b } = await aside()
    expect((await a.host.get('/sync/problems')).body).toEqual({
      problems: [
        {
          inc: b.inc,
          seq: 1,
          device: { id: 'b', name: 'Machine b' },
          kind: 'quarantine',
          reason: 'forbidden',
          detail: 'Not allowed.',
          since: '2026-01-31T08:15:30.123Z',
        },
      ],
      waiting: [],
      total: 1,
      hasMore: false,
    })
    expect((await a.host.get('/sync/problems?kind=parked')).body).toMatchObject({ problems: [], total: 0 })
  })

  it('is tried again', async () => {
    const { a, b } = await aside()
    expect((await a.host.post(`/sync/problems/${b.inc}/1/retry`)).body).toEqual({ success: true })
    expect((await a.host.get('/sync/problems')).body.total).toBe(0)
    expect((await a.host.post(`/sync/problems/${b.inc}/1/retry`)).status).toBe(404)
  })

  it('is written to a file before it is given up', async () => {
    const { a, b } = await aside()
    const answer = await a.host.post(`/sync/problems/${b.inc}/1/discard`)
    expect(answer.body).toEqual({ success: true, file: `sync-${b.inc}-1.json` })
    const file = join(a.host.dataDir, 'exports', answer.body.file as string)
    expect(existsSync(file)).toBe(true)
    const told = JSON.parse(readFileSync(file, 'utf8')) as { body: string; reason: string }
    expect(told.reason).toBe('forbidden')
    expect(Buffer.from(told.body, 'base64').length).toBeGreaterThan(20)
    expect((await a.host.get('/sync/problems')).body.total).toBe(0)
    expect(a.engine.replica.backlog()).toMatchObject({ quarantined: 0 })
    expect(a.host.takeEvents().map(({ type }) => type)).toContain('sync.problem.closed')
    await a.plugin.write('test.tidy', (tx) => removeProblem(tx, b.inc, 1))
  })
})
