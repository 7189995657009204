// Two machines and their engines, joined by hand: records, long texts, deletions, conflicts, what exists before sync is
// turned on, and what has to wait.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { DocKindHandler } from '#main/plugins/sync/engine/docs.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { shareObject } from '../support/shared-object.ts'
import type { SyncMachine, TestWorkspace } from '../support/sync-machine.ts'
import { carry, createSyncMachine, createTestWorkspace, exchange } from '../support/sync-machine.ts'

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
  double: { type: 'formula', expression: 'record.size * 2' },
}

/** Two machines that know the same object. */
async function two(): Promise<[SyncMachine, SyncMachine]> {
  const workspace = createTestWorkspace()
  const a = await createSyncMachine(workspace, 'a')
  const b = await createSyncMachine(workspace, 'b')
  machines.push(a, b)
  await a.host.defineObject('part', fields)
  await share(a, b)
  return [a, b]
}

/** Gives `to` the objects of `from` under the same uids. */
async function share(from: SyncMachine, to: SyncMachine): Promise<void> {
  for (const schema of from.metadata.objectSchemas()) {
    if (to.metadata.objectSchema(schema.name) !== undefined) continue
    await shareObject(from, [to], schema.name)
  }
}

const create = async (machine: SyncMachine, data: Record<string, unknown>): Promise<string> => {
  const answer = await machine.host.post('/data/part', data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
const patch = async (machine: SyncMachine, id: string, data: Record<string, unknown>): Promise<void> => {
  const answer = await machine.host.patch(`/data/part/${id}`, data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const read = async (machine: SyncMachine, id: string): Promise<Record<string, unknown> | undefined> =>
  (await machine.host.get(`/data/part/${id}`)).body.record

/** All rows but for the version, as both machines should have them. */
function dump(machine: SyncMachine): unknown[] {
  return machine.plugin.read.all(statement('SELECT * FROM o_part ORDER BY id')).map((row) => {
    const { rowid: _row, updated_at: _at, updated_by: _by, ...rest } = row as Record<string, unknown>
    return rest
  })
}

function expectEqual(a: SyncMachine, b: SyncMachine): void {
  expect(dump(b)).toEqual(dump(a))
  const [one, other] = [a.engine.replica.digest(), b.engine.replica.digest()]
  expect(one).not.toBeNull()
  expect(other?.vector).toEqual(one?.vector)
  expect(Buffer.from(other!.buckets).equals(one!.buckets)).toBe(true)
}

const conflicts = (
  machine: SyncMachine,
): { kind: string; field: string; winner: string; losers: string; state: string }[] =>
  machine.plugin.read.all(statement('SELECT kind, field, winner, losers, state FROM sync_conflict'))

describe('two machines', () => {
  it('end with the same records', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt', size: 4, labels: ['x', 'y'], notes: 'First\n\nSecond' })
    await exchange(a, b)
    expect(await read(b, id)).toMatchObject({
      title: 'Bolt',
      size: 4,
      double: 8,
      labels: ['x', 'y'],
      notes: 'First\n\nSecond',
    })
    await patch(b, id, { size: 5, notes: 'First\n\nThird' })
    await exchange(a, b)
    expect(await read(a, id)).toMatchObject({ size: 5, double: 10, notes: 'First\n\nThird' })
    expectEqual(a, b)
    expect(conflicts(a)).toEqual([])
  })

  it('store a new record with its long texts once', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt', notes: 'Steel' })
    b.host.takeEvents()
    await exchange(a, b)
    const events = b.host.takeEvents().filter(({ recordId }) => recordId === id)
    expect(events.filter(({ type }) => type.startsWith('record.')).map(({ type }) => type)).toEqual(['record.created'])
    expect((await read(b, id))!['notes']).toBe('Steel')
    expectEqual(a, b)
  })

  it('keep both edits of different fields, members and places of a text', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt', labels: ['x'], notes: 'one two three' })
    await exchange(a, b)
    await patch(a, id, { title: 'Screw', labels: ['x', 'a'], notes: 'ONE two three' })
    await patch(b, id, { size: 9, labels: ['x', 'b'], notes: 'one two THREE' })
    await exchange(a, b)
    const both = await read(a, id)
    expect(both).toMatchObject({ title: 'Screw', size: 9, notes: 'ONE two THREE' })
    expect(new Set(both!['labels'] as string[])).toEqual(new Set(['x', 'a', 'b']))
    expectEqual(a, b)
    expect(conflicts(a)).toEqual([])
  })

  it('let the later edit win and list the other', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    await patch(a, id, { title: 'Earlier' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await patch(b, id, { title: 'Later' })
    await exchange(a, b)
    expect((await read(a, id))!['title']).toBe('Later')
    expectEqual(a, b)
    for (const machine of [a, b]) {
      const [conflict, ...rest] = conflicts(machine)
      expect(rest).toEqual([])
      expect(conflict).toMatchObject({ kind: 'field', state: 'open' })
      expect(JSON.parse(conflict!.winner)).toMatchObject({ value: 'Later', device: 'b' })
      expect(JSON.parse(conflict!.losers)).toMatchObject([{ value: 'Earlier', device: 'a' }])
    }
    await patch(a, id, { title: 'Settled' })
    await exchange(a, b)
    expect((await read(b, id))!['title']).toBe('Settled')
    expect(conflicts(b)).toMatchObject([{ state: 'resolved' }])
  })

  it('keep an edit that was made while the record was deleted elsewhere', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    await patch(b, id, { title: 'Edited' })
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await exchange(a, b)
    expect((await a.host.get(`/data/part/${id}`)).status).toBe(404)
    expect((await b.host.get(`/data/part/${id}`)).status).toBe(404)
    expectEqual(a, b)
    expect(conflicts(a)).toMatchObject([{ kind: 'delete_edit', state: 'open' }])
    expect((await b.host.post(`/data/part/${id}/restore`)).status).toBe(200)
    await exchange(a, b)
    expect((await read(a, id))!['title']).toBe('Edited')
    expect(conflicts(a)).toMatchObject([{ state: 'resolved' }])
    expectEqual(a, b)
  })

  it('flag a unique value that both gave away', async () => {
    const [a, b] = await two()
    const first = await create(a, { code: 'A-1' })
    await create(b, { code: 'A-1' })
    await exchange(a, b)
    expectEqual(a, b)
    for (const machine of [a, b]) {
      expect(conflicts(machine)).toMatchObject([{ kind: 'unique', state: 'open' }])
      expect(JSON.parse(conflicts(machine)[0]!.winner)).toMatchObject({ record: first })
    }
  })

  it('keep both texts where an empty one was filled on both', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    await patch(a, id, { notes: 'From a. ' })
    await patch(b, id, { notes: 'From b. ' })
    await exchange(a, b)
    const { notes } = (await read(a, id)) as { notes: string }
    expect(notes).toContain('From a.')
    expect(notes).toContain('From b.')
    expectEqual(a, b)
    for (const machine of [a, b]) expect(conflicts(machine)).toMatchObject([{ kind: 'text', state: 'open' }])
    await patch(b, id, { notes: 'Neither' })
    await exchange(a, b)
    for (const machine of [a, b]) expect(conflicts(machine)).toMatchObject([{ state: 'resolved' }])
  })

  it('raise the version, so that a client notices what came from elsewhere', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    const seen = (await read(a, id))!['updated_at']
    await patch(b, id, { title: 'Elsewhere' })
    await exchange(a, b)
    const late = await a.host.patch(`/data/part/${id}`, { title: 'Blind', expectedVersion: seen })
    expect(late.body.error?.code ?? late.status).toBe('CONCURRENT_UPDATE')
  })

  it('purge', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    expect((await a.host.delete(`/data/part/${id}?purge=true`)).status).toBe(200)
    await exchange(a, b)
    expect(dump(b)).toEqual([])
    expectEqual(a, b)
  })
})

describe('numbers', () => {
  it('are given by one machine; the others have provisional ones until it has seen the record', async () => {
    const [a, b] = await two()
    await a.host.defineObject('bill', {
      name: { type: 'text' },
      no: { type: 'autonumber', autonumberFormat: 'B-{000}' },
    })
    await share(a, b)
    const make = async (machine: SyncMachine): Promise<{ id: string; no: string }> => {
      const { id, record } = (await machine.host.post('/data/bill', { name: 'x' })).body
      return { id, no: record.no }
    }
    expect((await make(a)).no).toBe('B-001')
    const provisional = await make(b)
    expect(provisional.no).toMatch(/^#~b-1$/)
    await exchange(a, b)
    for (const machine of [a, b])
      expect((await machine.host.get(`/data/bill/${provisional.id}`)).body.record.no).toBe('B-002')
    expect((await make(a)).no).toBe('B-003')
  })
})

describe('a record below another one', () => {
  it('goes with it, and stays as an orphan when it was made meanwhile', async () => {
    const [a, b] = await two()
    await a.host.defineObject('line', {
      part: { type: 'master_detail', reference: 'part', required: true },
      n: { type: 'number' },
    })
    await share(a, b)
    const id = await create(a, { title: 'Bolt' })
    const line = async (machine: SyncMachine, n: number): Promise<string> =>
      (await machine.host.post('/data/line', { part: id, n })).body.id
    const old = await line(a, 1)
    await exchange(a, b)
    const late = await line(b, 2)
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await exchange(a, b)
    for (const machine of [a, b]) {
      expect((await machine.host.get(`/data/line/${old}`)).status).toBe(404)
      expect((await machine.host.get(`/data/line/${late}`)).status).toBe(200)
      expect(conflicts(machine)).toMatchObject([{ kind: 'orphan', state: 'open' }])
    }
    expect((await b.host.post(`/data/part/${id}/restore`)).status).toBe(200)
    await exchange(a, b)
    for (const machine of [a, b]) {
      expect((await machine.host.get(`/data/line/${old}`)).status).toBe(200)
    }
    expectEqual(a, b)
  })
})

describe('a peer that is no administrator', () => {
  it('changes records, and neither metadata nor the list of devices', async () => {
    const workspace = createTestWorkspace()
    const a = await createSyncMachine(workspace, 'a')
    const b = await createSyncMachine(workspace, 'b', { role: 'member' })
    machines.push(a, b)
    await a.host.defineObject('part', fields)
    await share(a, b)
    const id = await create(b, { title: 'Bolt' })
    await b.plugin.write('test.forbidden', (tx) =>
      b.engine.docs.edit(tx, internalContext('x'), { kind: 'workspace', part: 'roster' }, (place) =>
        place.set({ 'device.b': { role: 'admin' } }),
      ),
    )
    await exchange(a, b)
    expect((await read(a, id))!['title']).toBe('Bolt')
    expect(a.engine.replica.backlog()).toMatchObject({ waiting: 0, parked: 0, quarantined: 1 })
  })
})

describe('what exists when sync is turned on', () => {
  it('becomes documents in the background', async () => {
    const workspace = createTestWorkspace()
    const a = await createSyncMachine(workspace, 'a')
    machines.push(a)
    await a.engine.stop()
    await a.host.defineObject('part', fields)
    const records = Array.from({ length: 500 }, (_, index) => ({
      title: `Part ${index}`,
      notes: `Text ${index}`,
      size: index,
    }))
    expect((await a.host.post('/data/part/createMany', { records })).status).toBeLessThan(300)
    const id = await create(a, { title: 'Gone' })
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await a.plugin.write('test.clear', (tx) => {
      for (const table of ['sync_env', 'sync_doc', 'sync_inc', 'sync_head']) tx.run(statement(`DELETE FROM ${table}`))
    })
    await a.reopen()
    await a.engine.prepare()
    while (a.engine.state() === 'preparing') await new Promise((resolve) => setTimeout(resolve, 20))
    const b = await createSyncMachine(workspace, 'b')
    machines.push(b)
    await share(a, b)
    await exchange(a, b)
    expect(dump(b)).toHaveLength(501)
    expectEqual(a, b)
  })
})

describe('what cannot be applied yet', () => {
  it('waits for the object it belongs to', async () => {
    const workspace = createTestWorkspace()
    const a = await createSyncMachine(workspace, 'a')
    const b = await createSyncMachine(workspace, 'b')
    machines.push(a, b)
    await a.host.defineObject('part', fields)
    const id = await create(a, { title: 'Bolt', notes: 'Text' })
    await exchange(a, b)
    // The documents are equal, and the machine knows that this is not all.
    expect(b.engine.replica.digest()?.buckets).toEqual(a.engine.replica.digest()?.buckets)
    expect(b.engine.replica.unprojected()).toEqual({ waiting: 2, isTrying: false })
    expect(a.engine.replica.unprojected()).toEqual({ waiting: 0, isTrying: false })
    await share(a, b)
    await expect.poll(async () => (await read(b, id))?.['notes']).toBe('Text')
    await b.engine.replica.settled()
    expect(b.engine.replica.unprojected()).toEqual({ waiting: 0, isTrying: false })
    expectEqual(a, b)
  })

  it('waits no longer than until the object is made: what follows is projected once', async () => {
    const workspace = createTestWorkspace()
    const object = { kind: 'metadata', type: 'object', uid: 'part' } as const
    const a = await createSyncMachine(workspace, 'a', { handlers: () => [{ kind: 'metadata', project: () => 'done' }] })
    const waiting: number[] = []
    const b: SyncMachine = await createSyncMachine(workspace, 'b', {
      handlers: (_docs, { read: reads }) => [
        {
          kind: 'metadata',
          project: () => 'done',
          async settle() {
            const sql = 'SELECT count(*) AS n FROM sync_doc WHERE flags <> 0'
            waiting.push(reads.get(statement<{ n: number }>(sql))!.n)
            await share(a, b)
          },
        },
      ],
    })
    machines.push(a, b)
    await a.plugin.write('test.object', (tx) =>
      a.engine.docs.edit(tx, internalContext('test'), object, (place) => place.set({ _name: 'part' })),
    )
    await a.host.defineObject('part', fields)
    for (let call = 0; call < 5; call += 1) {
      const records = Array.from({ length: 400 }, (_, size) => ({ size }))
      expect((await a.host.post('/data/part/createMany', { records })).status).toBeLessThan(300)
    }
    await exchange(a, b)
    expect(dump(b)).toHaveLength(2_000)
    expect(waiting.length).toBeGreaterThan(1)
    // A call is applied whole, so that a slice takes one or two of them.
    expect(Math.max(...waiting)).toBeLessThan(1_500)
  })

  it('waits for what it builds on, while the rest goes on', async () => {
    const workspace = createTestWorkspace()
    const [a, b, c] = [
      await createSyncMachine(workspace, 'a'),
      await createSyncMachine(workspace, 'b'),
      await createSyncMachine(workspace, 'c'),
    ]
    machines.push(a, b, c)
    await a.host.defineObject('part', fields)
    await share(a, b)
    await share(a, c)
    const id = await create(a, { title: 'Bolt' })
    await exchange(a, b)
    await patch(b, id, { title: 'Screw' })
    const other = await create(b, { title: 'Other' })
    // C gets what B wrote without what A wrote.
    const source = b.engine.replica
    const { envelopes, heads } = source.read({ inc: b.inc, from: 1, to: source.vector().get(b.inc)! }, 1e6)
    expect(await c.engine.replica.receive(envelopes, heads.at(-1)!)).toMatchObject({ ok: true })
    await c.engine.replica.settled()
    expect((await read(c, other))!['title']).toBe('Other')
    expect(await read(c, id)).toBeUndefined()
    expect(c.engine.replica.backlog()).toMatchObject({ waiting: 0, parked: 1 })
    expect(c.engine.replica.digest()).toBeNull()
    await carry(a, c)
    expect((await read(c, id))!['title']).toBe('Screw')
    expect(c.engine.replica.backlog()).toMatchObject({ waiting: 0, parked: 0 })
    await exchange(a, b, c)
    expectEqual(a, c)
  })
})

describe('a call of which only a part has left its machine', () => {
  const changes = 300

  /** Two machines, of which the second has the first run of one call that changed 300 records. */
  async function half(): Promise<{ a: SyncMachine; b: SyncMachine; workspace: TestWorkspace; seen: number }> {
    const workspace = createTestWorkspace()
    const a = await createSyncMachine(workspace, 'a')
    const b = await createSyncMachine(workspace, 'b')
    machines.push(a, b)
    await a.host.defineObject('part', fields)
    await share(a, b)
    const sizes = Array.from({ length: changes }, (_, size) => ({ size }))
    expect((await a.host.post('/data/part/createMany', { records: sizes })).status).toBeLessThan(300)
    await exchange(a, b)
    const before = a.engine.replica.vector().get(a.inc)!
    const ids = (await a.host.get(`/data/part?limit=${changes}`)).body.records.map(({ id }: { id: string }) => id)
    const records = ids.map((id: string) => ({ id, data: { title: 'Changed' } }))
    const { status, body } = await a.host.post('/data/part/updateMany', { records, options: { atomic: true } })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    const { envelopes, heads } = a.engine.replica.read({ inc: a.inc, from: before + 1, to: before + changes }, 1e9)
    expect(envelopes).toHaveLength(changes)
    const head = heads.find(({ seq }) => seq < before + changes)!
    const first = envelopes.filter(({ seq }) => seq <= head.seq)
    expect(await b.engine.replica.receive(first, head)).toMatchObject({ ok: true })
    await b.engine.replica.settled()
    expect(b.engine.replica.backlog().waiting).toBe(first.length)
    expect(changedOn(b)).toBe(0)
    return { a, b, workspace, seen: head.seq }
  }

  const changedOn = ({ plugin }: SyncMachine): number =>
    plugin.read.get(statement<{ n: number }>("SELECT count(*) AS n FROM o_part WHERE title = 'Changed'"))!.n

  it('is applied as far as it is there once the machine is unpaired', async () => {
    const { a, b, workspace, seen } = await half()
    workspace.unpair('a', { [a.inc]: seen + 1 })
    b.engine.retryRefused()
    await b.engine.replica.settled()
    // More of it counts, and may come from somebody else.
    expect(b.engine.replica.backlog().waiting).toBeGreaterThan(0)
    workspace.unpair('a', { [a.inc]: seen })
    b.engine.retryRefused()
    await b.engine.replica.settled()
    expect(b.engine.replica.backlog()).toEqual({ waiting: 0, parked: 0, quarantined: 0 })
    expect(changedOn(b)).toBeGreaterThan(0)
    expect(b.engine.replica.digest()).not.toBeNull()
  })

  it('is applied as far as it is there once the machine writes under another number, and the rest when it comes', async () => {
    const { a, b } = await half()
    await a.reopen()
    const id = await create(a, { title: 'Behind it' })
    const range = { inc: a.inc, from: 1, to: a.engine.replica.vector().get(a.inc)! }
    const { envelopes, heads } = a.engine.replica.read(range, 1e9)
    expect(await b.engine.replica.receive(envelopes, heads.at(-1)!)).toMatchObject({ ok: true })
    await b.engine.replica.settled()
    expect(b.engine.replica.backlog()).toEqual({ waiting: 0, parked: 0, quarantined: 0 })
    expect((await read(b, id))!['title']).toBe('Behind it')
    const some = changedOn(b)
    expect(some).toBeGreaterThan(0)
    expect(some).toBeLessThan(changes)
    await exchange(a, b)
    expect(changedOn(b)).toBe(changes)
    expectEqual(a, b)
  })
})

describe('a write that fails while changes are applied', () => {
  it('is tried again by itself', { timeout: 30_000 }, async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt' })
    const full = `CREATE TRIGGER no_room BEFORE UPDATE OF applied_seq ON sync_inc
      WHEN NEW.applied_seq > OLD.applied_seq BEGIN SELECT RAISE(ABORT, 'no room'); END`
    await b.plugin.write('test.full', (tx) => tx.run(statement(full)))
    await exchange(a, b)
    expect(await read(b, id)).toBeUndefined()
    await b.plugin.write('test.room', (tx) => tx.run(statement('DROP TRIGGER no_room')))
    await expect.poll(() => read(b, id), { timeout: 15_000 }).toMatchObject({ title: 'Bolt' })
    expectEqual(a, b)
  })
})

describe('what can never be applied', () => {
  it('lies aside after it was merged once', async () => {
    const workspace = createTestWorkspace()
    let merged = 0
    const failing: DocKindHandler = {
      kind: 'file',
      project() {
        merged += 1
        throw new DocError('invalid', 'It has no place here.')
      },
    }
    const a = await createSyncMachine(workspace, 'a')
    const b = await createSyncMachine(workspace, 'b', { handlers: () => [failing] })
    machines.push(a, b)
    const name = { kind: 'file', file: '01990000-0000-7000-8000-000000000001' } as const
    await a.plugin.write('test', (tx) =>
      a.engine.docs.edit(tx, internalContext('test'), name, (place) => place.set({ title: 'Plan' })),
    )
    await exchange(a, b)
    expect(b.engine.replica.backlog()).toMatchObject({ parked: 0, quarantined: 1 })
    expect(merged).toBe(1)
  })
})

describe('a document that differs although the logs are equal', () => {
  /** Asks once for what a document lacks, and merges it; answers whether it was the last part. */
  const repair = async (from: SyncMachine, to: SyncMachine, doc: string, vector?: Uint8Array): Promise<boolean> => {
    const [source, target] = [from.engine.replica, to.engine.replica]
    const { update, isLast } = source.difference(doc, vector ?? target.stateVector(doc))
    expect(update.length).toBeLessThan(3 * 1024 * 1024)
    expect(await target.repair(doc, update, { peer: 'a', isLast })).toBe(true)
    return isLast
  }
  const textDoc = (machine: SyncMachine, id: string): string => {
    const schema = machine.metadata.objectSchema('part')!
    return `t/${schema.uid}/${id}/${schema.byName.get('notes')!.uid}`
  }
  const rowOf = (machine: SyncMachine, doc: string) =>
    machine.plugin.read.get(
      statement<{ state: Uint8Array; crc: number; lhash: Uint8Array }>(
        'SELECT state, crc, lhash FROM sync_doc WHERE name = ?',
        [doc],
      ),
    )!

  it('comes in parts where it is large, and is shown once it is whole', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt', notes: 'Before' })
    await exchange(a, b)
    const doc = textDoc(a, id)
    const { state, crc, lhash } = rowOf(b, doc)
    const text = `€${'€€'.repeat(420_000)}`
    await patch(a, id, { notes: text })
    await exchange(a, b)
    await b.plugin.write('test.lose', (tx) => {
      const sql = 'UPDATE sync_doc SET state = ?, crc = ?, lhash = ? WHERE name = ?'
      tx.run(statement(sql, [state, crc, lhash, doc]))
      tx.run(statement('UPDATE o_part SET notes = ?', ['Before']))
    })
    await b.reopen()
    let parts = 1
    for (; !(await repair(a, b, doc)); parts += 1) {
      expect((await read(b, id))!['notes']).toBe('Before')
      expect(b.engine.replica.unprojected().waiting).toBe(1)
    }
    expect(parts).toBeGreaterThan(1)
    expect((await read(b, id))!['notes']).toBe(text)
    expect(b.engine.replica.unprojected().waiting).toBe(0)
    await exchange(a, b)
    expectEqual(a, b)
  })

  it('that cannot be noted ends nothing', async () => {
    const a = await createSyncMachine(createTestWorkspace(), 'a')
    await a.stop()
    const lost = vi.fn<(reason: unknown) => void>()
    process.once('unhandledRejection', lost)
    a.engine.replica.noteFork('r/a/01900000-0000-7000-8000-000000000000', 'peer')
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', lost)
    expect(lost).not.toHaveBeenCalled()
  })

  it('takes the place of one that is damaged', async () => {
    const [a, b] = await two()
    const id = await create(a, { title: 'Bolt', notes: 'Text' })
    await exchange(a, b)
    const doc = textDoc(a, id)
    await b.plugin.write('test.damage', (tx) =>
      tx.run(statement('UPDATE sync_doc SET state = ? WHERE name = ?', [new Uint8Array([1, 2, 3]), doc])),
    )
    expect(() => b.engine.replica.stateVector(doc)).toThrow('damaged')
    expect(await repair(a, b, doc, new Uint8Array([0]))).toBe(true)
    expect(b.engine.replica.stateVector(doc)).toEqual(a.engine.replica.stateVector(doc))
    expect((await read(b, id))!['notes']).toBe('Text')
    await patch(b, id, { notes: 'Text of both' })
    await exchange(a, b)
    expect((await read(a, id))!['notes']).toBe('Text of both')
    expectEqual(a, b)
  })
})
