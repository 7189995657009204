// What schedules have found once: machines that get the same changes in another order, or at a bad moment, end with the
// same rows and the same conflicts.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { beginBackfill } from '#main/plugins/sync/engine/backfill.ts'
import { flagRecords } from '#main/plugins/sync/metadata/store.ts'
import type { ModelMachine } from '../support/sync-model/host-machine.ts'
import { createPool } from '../support/sync-model/host-machine.ts'
import { Network } from '../support/sync-model/host-network.ts'

/** A number of `flow` with which everything arrives in its order. */
const fair = 5

let pool: readonly ModelMachine[] = []
let network = new Network()
let incs = 1_000

beforeAll(async () => {
  pool = await createPool(3)
})

beforeEach(async () => {
  network = new Network()
  for (const machine of pool) {
    await machine.clear()
    await machine.open((incs += 1))
  }
})

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(async () => {
  for (const machine of pool) await machine.stop()
})

const flow = async (from: ModelMachine, to: ModelMachine): Promise<void> => {
  await network.flow(from, to, fair)
  await to.engine.replica.settled()
}
/** Gives only what a machine wrote itself. */
const flowOwn = async (from: ModelMachine, to: ModelMachine): Promise<void> => {
  const last = from.engine.replica.vector().get(from.inc) ?? 0
  const { envelopes, heads } = from.engine.replica.read({ inc: from.inc, from: 1, to: last }, 1_000_000)
  expect(await to.engine.replica.receive(envelopes, heads.at(-1)!)).toMatchObject({ ok: true, stored: last })
  await to.engine.replica.settled()
}
const create = async (machine: ModelMachine, object: 'part' | 'item', data: Record<string, unknown>): Promise<string> =>
  (await machine.data.create(machine.ctx(), { object, data })).id
const update = async (machine: ModelMachine, id: string, data: Record<string, unknown>): Promise<void> => {
  machine.clock.advance(10)
  await machine.data.update(machine.ctx(), { object: 'part', id, data })
}
const remove = (machine: ModelMachine, id: string, purge = false): Promise<unknown> =>
  machine.data.remove(machine.ctx(), { object: 'part', id, purge })
const notesOf = (machine: ModelMachine, id: string): unknown =>
  machine.plugin.read.get(statement<{ notes: unknown }>('SELECT notes FROM o_part WHERE id = ?', [id]))?.notes
/** What all documents come to on each machine, where it differs. */
const digests = (): readonly string[] => [
  ...new Set(pool.map(({ engine }) => Buffer.from(engine.replica.digest()!.buckets).toString('hex'))),
]
const open = (machine: ModelMachine): readonly { kind: string; record: string }[] =>
  machine.plugin.read.all(
    statement<{ kind: string; record: string }>(
      `SELECT kind, record_id AS record FROM sync_conflict WHERE state = 'open' ORDER BY kind, record_id`,
    ),
  )

describe('changes of peers', () => {
  it('are applied on a machine that is too busy for its slices', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    await create(a, 'part', { title: 'Bolt' })
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 50))
    await flow(a, b)
    expect(b.engine.replica.backlog()).toEqual({ waiting: 0, parked: 0, quarantined: 0 })
  })

  it('list what two began apart of a text whose record comes last', async () => {
    const four = (await createPool(4)) as readonly [ModelMachine, ModelMachine, ModelMachine, ModelMachine]
    try {
      for (const machine of four) await machine.open((incs += 1))
      const [maker, b, c, last] = four
      const id = await create(maker, 'part', { title: 'Bolt' })
      for (const machine of [b, c]) {
        await flow(maker, machine)
        await update(machine, id, { notes: `By ${machine.name}` })
        await flowOwn(machine, last)
      }
      expect(notesOf(last, id)).toBeUndefined()
      await network.settle(four)
      for (const machine of four) expect(open(machine), machine.name).toEqual([{ kind: 'text', record: id }])
      expect(new Set(four.map((machine) => notesOf(machine, id))).size).toBe(1)
    } finally {
      for (const machine of four) await machine.stop()
    }
  })

  it('bring a text that came before its record', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt' })
    await flow(a, b)
    await update(b, id, { notes: 'Text' })
    await flowOwn(b, c)
    expect(notesOf(c, id)).toBeUndefined()
    await network.settle(pool)
    for (const machine of pool) expect(notesOf(machine, id)).toBe('Text')
    expect(c.plugin.read.get(statement('SELECT created_by AS made FROM o_part'))).toEqual({ made: 'user-a' })
  })

  it('leave a record that is gone for good where it is', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text' })
    await flow(a, b)
    await remove(a, id, true)
    await update(b, id, { notes: 'Text and more' })
    await network.settle(pool)
    for (const machine of pool) expect(notesOf(machine, id)).toBeUndefined()
  })

  it.each([
    ['the removal is heard of first', [0, 2], [1, 2]],
    ['the text is heard of first', [1, 2], [0, 2]],
    ['both meet before', [0, 1], [1, 0]],
  ] as const)('list a long text alone that was written beside a removal for good: %s', async (_what, first, then) => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text' })
    await network.settle(pool)
    await update(b, id, { notes: 'Text and more' })
    await remove(a, id, true)
    for (const [from, to] of [first, then]) await flow(pool[from]!, pool[to]!)
    await network.settle(pool)
    const { uid } = a.metadata.objectSchema('part')!.byName.get('notes')!
    for (const { plugin } of pool) {
      const rows = plugin.read.all(statement<{ losers: string }>('SELECT kind, state, losers FROM sync_conflict'))
      expect(rows).toMatchObject([{ kind: 'delete_edit', state: 'open' }])
      expect(JSON.parse(rows[0]!.losers)).toMatchObject([{ value: { [uid]: ' and more' }, device: b.name }])
    }
  })
})

describe('a record that is removed for good where nobody knew that it was restored', () => {
  const placeOn = (machine: ModelMachine, id: string) =>
    machine.feed.gate.feed(machine.ctx('user-a'), { object: 'part', recordId: id })
  const shown = (machine: ModelMachine, id: string): unknown => {
    const sql = `SELECT title, notes, deleted_at AS deleted, (SELECT group_concat(body) FROM feed_item) AS said
      FROM o_part WHERE id = ?`
    return machine.plugin.read.get(statement<Record<string, unknown>>(sql, [id]))
  }
  /** One machine restores what another one removes for good. */
  const parted = async (): Promise<string> => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text' })
    const said = { type: 'comment', body: 'Said', parentId: null, visibility: 'public', data: undefined } as const
    await a.feed.items.create(a.ctx('user-a'), placeOn(a, id), said)
    await remove(a, id)
    await network.settle(pool)
    for (const machine of pool) machine.clock.advance(10)
    await a.data.restore(a.ctx(), { object: 'part', id })
    await remove(b, id, true)
    return id
  }

  it.each([
    ['the removal is heard of first', [1, 2], [0, 2]],
    ['the restore is heard of first', [0, 2], [1, 2]],
    ['both meet before', [1, 0], [0, 1]],
  ] as const)('comes back on all machines: %s', async (_what, first, then) => {
    const id = await parted()
    for (const [from, to] of [first, then]) await flow(pool[from]!, pool[to]!)
    await network.settle(pool)
    for (const machine of pool) {
      expect(shown(machine, id)).toEqual({ title: 'Bolt', notes: 'Text', deleted: null, said: 'Said' })
      expect(open(machine)).toEqual([])
      expect(await machine.engine.checkRows()).toBe(0)
    }
    expect(digests()).toHaveLength(1)
  })

  it('comes back once where two restored it, and after a restart', async () => {
    const id = await parted()
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    await c.data.restore(c.ctx(), { object: 'part', id })
    for (const machine of [a, c]) await flow(b, machine)
    await a.close(false)
    await a.open((incs += 1))
    await network.settle(pool)
    for (const machine of pool) {
      expect(shown(machine, id)).toEqual({ title: 'Bolt', notes: 'Text', deleted: null, said: 'Said' })
      expect(open(machine)).toEqual([])
    }
    expect(digests()).toHaveLength(1)
  })

  it('is back for all to decide where somebody who knew of the restore removed it for good at once (D-415)', async () => {
    const id = await parted()
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    await flow(a, c)
    await remove(c, id, true)
    for (const machine of pool) machine.clock.advance(100)
    await flow(b, a)
    await network.settle(pool)
    for (const machine of pool) {
      expect(shown(machine, id)).toMatchObject({ title: 'Bolt', notes: 'Text', deleted: null })
      expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
    }
    for (const machine of pool) machine.clock.advance(200)
    await remove(b, id)
    await network.settle(pool)
    await b.data.restore(b.ctx(), { object: 'part', id })
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([])
    expect(digests()).toHaveLength(1)
  })

  it('is listed while whoever restored it is away', async () => {
    const id = await parted()
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    await flow(b, c)
    for (const machine of [b, c]) {
      await flow(a, machine)
      expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
    }
  })
})

describe('a record that one brought back while another one deleted it', () => {
  it('has the later of an edit and a restore as the other side, and ends by any deletion (D-415)', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt' })
    await network.settle(pool)
    await remove(c, id)
    await flow(c, a)
    const later = async (work: () => Promise<unknown>): Promise<void> => {
      for (const machine of pool) machine.clock.advance(100)
      await work()
    }
    const restore = (machine: ModelMachine) => later(() => machine.data.restore(machine.ctx(), { object: 'part', id }))
    await later(() => update(b, id, { title: 'Screw' }))
    await restore(a)
    await restore(c)
    await later(() => remove(c, id))
    await network.settle(pool)
    const sql = "SELECT losers FROM sync_conflict WHERE kind = 'delete_edit' AND state = 'open'"
    for (const { plugin } of pool)
      expect(plugin.read.all(statement<{ losers: string }>(sql))).toMatchObject([
        { losers: expect.stringContaining(`"device":"${a.name}"`) },
      ])
    await restore(a)
    await later(() => remove(a, id))
    await restore(b)
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
    await later(() => remove(c, id))
    expect(open(c)).toEqual([])
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([])
  })
})

describe('what was written while nothing was recorded', () => {
  /** Many records later than the one at hand: comparing reaches it last. */
  const many = async (machine: ModelMachine): Promise<void> => {
    await Promise.all(Array.from({ length: 600 }, (_, index) => create(machine, 'part', { title: `Part ${index}` })))
  }
  /** One machine does something while the sync of another is off, which does something too; then they meet. */
  const meet = async (
    off: () => Promise<unknown>,
    elsewhere: () => Promise<unknown>,
    once: () => Promise<unknown> = async () => undefined,
  ): Promise<void> => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    await network.settle([a, b])
    await b.close(true)
    await off()
    await many(b)
    await elsewhere()
    await b.plugin.write('test.again', (tx) => beginBackfill(tx, 0, 0))
    await b.open((incs += 1))
    await Promise.all([flow(a, b), once()])
    expect(b.engine.state()).toBe('preparing')
    await expect.poll(() => b.engine.state(), { timeout: 10_000 }).toBe('on')
    await network.settle([a, b])
  }
  /** A record that one machine changes meanwhile. */
  const met = async (does: (machine: ModelMachine, id: string) => Promise<unknown>): Promise<string> => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text', code: 'c1' })
    await meet(
      () => does(b, id),
      () => update(a, id, { title: 'From elsewhere' }),
    )
    return id
  }
  const rowOf = (machine: ModelMachine, id: string) =>
    machine.plugin.read.get(
      statement<Record<string, unknown>>(
        'SELECT title, notes, code, deleted_at IS NOT NULL AS gone FROM o_part WHERE id = ?',
        [id],
      ),
    )

  it('is listed where the record was removed for good and others went on', async () => {
    const id = await met((machine, record) => remove(machine, record, true))
    for (const machine of pool.slice(0, 2)) {
      expect(rowOf(machine, id)).toBeUndefined()
      expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
    }
  })

  it('is listed where the record was deleted and others went on', async () => {
    const id = await met((machine, record) => remove(machine, record))
    for (const machine of pool.slice(0, 2)) {
      expect(rowOf(machine, id)).toEqual({ title: 'From elsewhere', notes: 'Text', code: 'c1', gone: 1 })
      expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
    }
  })

  it('is listed where both wrote the same field, and the others stay', async () => {
    const id = await met((machine, record) => update(machine, record, { title: 'From here', code: 'c2' }))
    const [a, b] = pool as [ModelMachine, ModelMachine]
    expect(rowOf(a, id)).toEqual({ title: 'From here', notes: 'Text', code: 'c2', gone: 0 })
    expect(rowOf(b, id)).toEqual(rowOf(a, id))
    for (const machine of [a, b]) expect(open(machine)).toEqual([{ kind: 'field', record: id }])
  })

  it.each(['all', 'one object'])('is nothing of a row that is behind its documents: %s', async (which) => {
    const [a] = pool as [ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text' })
    const uid = a.uidOf('part')
    await a.plugin.write('test.behind', (tx) => {
      tx.run(statement("UPDATE o_part SET title = 'Behind', notes = 'Behind' WHERE id = ?", [id]))
      flagRecords(tx, uid)
      if (which === 'one object') a.engine.mend(tx, { object: uid })
    })
    if (which === 'all') await a.engine.prepare()
    await expect.poll(() => a.engine.state()).toBe('on')
    expect(rowOf(a, id)).toMatchObject({ title: 'Bolt', notes: 'Text' })
  })

  it('stays where the record has something that is not defined here, and where rows are checked meanwhile', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const [later, purged] = [await create(a, 'part', { title: 'Bolt' }), await create(a, 'part', { title: 'Nut' })]
    const whole = await create(a, 'part', { title: 'Nail' })
    await a.plugin.write('test.unknown', (tx) => {
      for (const record of [later, purged])
        a.engine.docs.edit(tx, a.ctx(), { kind: 'record', object: a.uidOf('part'), record }, (place) =>
          place.set({ ['f'.repeat(32)]: 'Of a newer version' }),
        )
    })
    await meet(
      async () => {
        for (const id of [later, whole]) await update(b, id, { title: 'From here' })
        await remove(b, purged, true)
      },
      async () => undefined,
      () => b.engine.checkRows(),
    )
    for (const machine of [a, b]) {
      for (const id of [later, whole]) expect(rowOf(machine, id)).toMatchObject({ title: 'From here' })
      expect(rowOf(machine, purged)).toBeUndefined()
    }
  })

  it('of a comment stays in its feed beside what others wrote', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt' })
    const placeOn = (machine: ModelMachine) =>
      machine.feed.gate.feed(machine.ctx('user-a'), { object: 'part', recordId: id })
    const said = { type: 'comment', body: 'First', parentId: null, visibility: 'public', data: undefined } as const
    const item = await a.feed.items.create(a.ctx('user-a'), placeOn(a), said)
    const say = async (machine: ModelMachine, body: string): Promise<void> => {
      machine.clock.advance(10)
      await machine.feed.items.change(machine.ctx('user-a'), placeOn(machine), item.id, { body })
    }
    await meet(
      () => say(b, 'Said here'),
      () => say(a, 'Said elsewhere'),
    )
    for (const { plugin } of [a, b]) {
      const sql = "SELECT state FROM sync_doc WHERE name LIKE 'f/%' AND instr(name, ?) > 0"
      const states = plugin.read.all(statement<{ state: Uint8Array }>(sql, [id])).map(({ state }) => Buffer.from(state))
      for (const body of ['Said here', 'Said elsewhere'])
        expect(
          states.some((state) => state.includes(body)),
          body,
        ).toBe(true)
    }
  })
})

describe('conflicts', () => {
  it('are none where a record was deleted before sync was turned on', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    await a.clear()
    const id = await create(a, 'part', { title: 'Bolt' })
    await remove(a, id)
    await a.open((incs += 1))
    await a.engine.prepare()
    await expect.poll(() => a.engine.state()).toBe('on')
    await network.settle([a, b])
    expect(open(b)).toEqual([])
  })

  it('of fields end when the record is gone for good', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt' })
    await network.settle(pool)
    await update(a, id, { title: 'One' })
    await update(b, id, { title: 'Other' })
    await network.settle([a, b])
    expect(open(a)).toEqual([{ kind: 'field', record: id }])
    await remove(a, id, true)
    await update(c, id, { size: 3 })
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
  })

  it('come back when a record is restored and deleted again before the edit is known', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt' })
    await network.settle(pool)
    await update(a, id, { title: 'Edited' })
    await remove(b, id)
    b.clock.advance(10)
    await b.data.restore(b.ctx(), { object: 'part', id })
    b.clock.advance(10)
    await remove(b, id)
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([{ kind: 'delete_edit', record: id }])
  })

  it('of a unique value end everywhere when its owner is deleted', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const owner = await create(a, 'part', { code: 'c1' })
    b.clock.advance(10)
    const late = await create(b, 'part', { code: 'c1' })
    await network.settle([a, b])
    for (const machine of [a, b]) expect(open(machine)).toEqual([{ kind: 'unique', record: late }])
    await remove(a, owner)
    await network.settle([a, b, c])
    for (const machine of pool) expect(open(machine)).toEqual([])
  })

  it('of a unique value name its owner whoever came first', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    for (const machine of pool) {
      for (const one of pool) one.clock.advance(10)
      await create(machine, 'part', { code: 'c1' })
    }
    await flow(c, b)
    await flow(b, a)
    await flow(c, a)
    await network.settle(pool)
    const sides = (machine: ModelMachine): unknown =>
      machine.plugin.read.all(statement('SELECT winner, losers FROM sync_conflict ORDER BY id'))
    expect(open(a)).toHaveLength(2)
    for (const machine of [b, c]) expect(sides(machine)).toEqual(sides(a))
  })

  it('are none for a detail that came before its master', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const master = await create(a, 'part', { title: 'Master' })
    await flow(a, b)
    const detail = await create(b, 'item', { title: 'Detail', part: master })
    await flowOwn(b, c)
    expect(open(c)).toEqual([{ kind: 'orphan', record: detail }])
    await network.settle(pool)
    for (const machine of pool) expect(open(machine)).toEqual([])
  })
})

describe('a call of which a part is here, of a machine whose clock was ahead', () => {
  /** Gives one machine the text of a call that writes a text and its record, and no more. */
  const half = async (from: ModelMachine, to: ModelMachine, id: string): Promise<void> => {
    const before = from.engine.replica.vector().get(from.inc) ?? 0
    await update(from, id, { title: 'Screw', notes: 'x'.repeat(600_000) })
    const last = from.engine.replica.vector().get(from.inc)!
    from.engine.replica.beforeSending(last)
    const { envelopes, heads } = from.engine.replica.read({ inc: from.inc, from: before + 1, to: last }, 1)
    expect([before + envelopes.length, last]).toEqual([before + 1, before + 2])
    expect(await to.engine.replica.receive(envelopes, heads.at(-1)!)).toMatchObject({ ok: true })
    await to.engine.replica.settled()
  }
  const day = 86_400_000

  it('waits for its rest under a later number, and under an earlier one does not', async () => {
    const [a, b] = pool as [ModelMachine, ModelMachine]
    a.clock.advance(day)
    const [first, second] = [await create(a, 'part', { title: 'Bolt' }), await create(a, 'part', { title: 'Nut' })]
    await network.settle([a, b])
    const image = a.image()
    await half(a, b, first)
    expect(b.engine.replica.backlog().waiting).toBe(1)
    // The rest is lost, and the clock is put right.
    await a.close(false)
    await a.restore(image)
    a.clock.advance(-day)
    await a.open((incs += 1))
    await create(a, 'part', { title: 'Nail' })
    await network.settle([a, b])
    for (const machine of [a, b]) {
      expect(machine.engine.replica.backlog()).toEqual({ waiting: 0, parked: 0, quarantined: 0 })
      expect(notesOf(machine, first)).toHaveLength(600_000)
    }
    await half(a, b, second)
    expect(b.engine.replica.backlog().waiting).toBe(1)
    expect(notesOf(b, second)).toBeNull()
    await network.settle([a, b])
    expect(notesOf(b, second)).toHaveLength(600_000)
    expect(b.engine.replica.backlog().waiting).toBe(0)
  })
})

describe('a machine that stops', () => {
  it('leaves its log so that a copy of it can pass it on', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const id = await create(a, 'part', { title: 'Bolt', notes: 'Text' })
    await a.close(true)
    const image = a.image()
    await b.close(true)
    await b.restore(image)
    const verdict = await b.open((incs += 1))
    expect(verdict).toMatchObject({ keep: false, reason: 'other_device' })
    await network.settle([b, c])
    expect(notesOf(c, id)).toBe('Text')
    await a.open((incs += 1))
  })

  it('without an end, as in a crash, leaves changes that a copy makes its own', async () => {
    const [a, b, c] = pool as [ModelMachine, ModelMachine, ModelMachine]
    const first = await create(a, 'part', { title: 'Bolt', notes: 'Signed' })
    await a.close(true)
    await a.open(a.inc)
    const { inc } = a
    const second = await create(a, 'part', { title: 'Nut', notes: 'Unsigned' })
    await update(a, first, { title: 'Screw' })
    const last = a.engine.replica.vector().get(inc)!
    await a.close(false)
    const image = a.image()
    await b.close(true)
    await b.restore(image)
    await b.open((incs += 1))
    // Of the log of the other machine only what it signed is left; the rest is in the log of this one.
    const signed = b.engine.replica.vector().get(inc)!
    expect(signed).toBeLessThan(last)
    expect(b.engine.replica.vector().get(b.inc)).toBe(last - signed)
    expect(b.engine.replica.read({ inc, from: 1, to: last }, 1e6).envelopes).toHaveLength(signed)
    await network.settle([b, c])
    const titles = (machine: ModelMachine) =>
      machine.plugin.read.all(statement('SELECT id, title, notes FROM o_part ORDER BY title'))
    expect(titles(c)).toEqual([
      { id: second, title: 'Nut', notes: 'Unsigned' },
      { id: first, title: 'Screw', notes: 'Signed' },
    ])
    // The machine that crashed comes back and has signed its log by then: it is the same once more.
    await a.open((incs += 1))
    await network.settle(pool)
    for (const machine of pool) {
      expect(machine.engine.replica.vector().get(inc)).toBe(last)
      expect(titles(machine)).toEqual(titles(c))
      expect(open(machine)).toEqual([])
      expect(machine.engine.replica.digest()?.buckets).toEqual(a.engine.replica.digest()?.buckets)
    }
    // Opened once more, nothing is written again.
    const own = b.engine.replica.vector().get(b.inc)
    const before = b.inc
    await b.close(true)
    await b.open((incs += 1))
    expect(b.engine.replica.vector().get(before)).toBe(own)
  })
})
