// What both sides of a conflict began from: the same on every machine, whatever order the changes came in, and never
// guessed.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { shareObject } from '../support/shared-object.ts'
import type { SyncMachine } from '../support/sync-machine.ts'
import { carry, createSyncMachine, createTestWorkspace, exchange } from '../support/sync-machine.ts'
import { sized } from '../support/test-size.ts'

const fields = {
  title: { type: 'text' },
  size: { type: 'number' },
  labels: { type: 'tags' },
  stock: { type: 'number', merge: 'sum' },
  notes: { type: 'markdown' },
}

const machines: SyncMachine[] = []
let a: SyncMachine
let b: SyncMachine
let c: SyncMachine

beforeAll(async () => {
  const workspace = createTestWorkspace()
  for (const name of ['a', 'b', 'c']) machines.push(await createSyncMachine(workspace, name))
  ;[a, b, c] = machines as [SyncMachine, SyncMachine, SyncMachine]
  await a.host.defineObject('part', fields)
  await shareObject(a, [b, c])
}, 60_000)

afterAll(async () => {
  for (const machine of machines.splice(0)) await machine.stop()
})

const create = async (data: Record<string, unknown>): Promise<string> => {
  const { status, body } = await a.host.post('/data/part', data)
  expect(status).toBe(201)
  await exchange(...machines)
  return body.id
}
const patch = async (machine: SyncMachine, id: string, data: Record<string, unknown>): Promise<void> => {
  const { status, body } = await machine.host.patch(`/data/part/${id}`, data)
  expect(status, JSON.stringify(body)).toBe(200)
}
/** The open conflicts of a record as a machine lists them. */
const conflictsOf = async (machine: SyncMachine, id: string) =>
  (await machine.host.get(`/sync/conflicts?recordId=${id}&limit=200`)).body.conflicts
/** What stood before the only conflict of a record, on every machine. */
const bases = async (id: string): Promise<unknown[]> => {
  const found: unknown[] = []
  for (const machine of machines) {
    const conflicts = await conflictsOf(machine, id)
    expect(conflicts).toHaveLength(1)
    expect(conflicts[0]).not.toHaveProperty('baseUnknown')
    expect(conflicts[0]).toHaveProperty('base')
    found.push(conflicts[0].base)
  }
  return found
}

describe('what stood before a conflict', () => {
  it('is the last value both had seen, however often one of them wrote since', async () => {
    const id = await create({ title: 'first' })
    await patch(a, id, { title: 'second' })
    await exchange(...machines)
    await patch(a, id, { title: 'a1' })
    await patch(a, id, { title: 'a2' })
    await patch(b, id, { title: 'b1' })
    await exchange(...machines)
    expect(await bases(id)).toEqual(['second', 'second', 'second'])
  })

  it('is nothing where nothing stood there', async () => {
    const id = await create({ title: 'first' })
    await patch(a, id, { size: 1 })
    await patch(b, id, { size: 2 })
    await exchange(...machines)
    expect(await bases(id)).toEqual([null, null, null])
  })

  it('is older than what only some of three sides had seen', async () => {
    const id = await create({ title: 'first' })
    await patch(c, id, { title: 'c1' })
    await patch(a, id, { title: 'second' })
    await exchange(a, b)
    await patch(a, id, { title: 'a1' })
    await patch(b, id, { title: 'b1' })
    await exchange(a, b)
    expect((await conflictsOf(a, id))[0].base).toBe('second')
    await exchange(...machines)
    expect(await bases(id)).toEqual(['first', 'first', 'first'])
  })

  it('is the list without what one added and the other took away', async () => {
    const id = await create({ labels: ['red', 'blue'] })
    await patch(a, id, { labels: ['blue'] })
    await exchange(a, b)
    await patch(a, id, { labels: ['blue', 'red'] })
    await patch(a, id, { labels: ['blue'] })
    await patch(b, id, { labels: ['blue', 'red'] })
    await exchange(...machines)
    expect(await bases(id)).toEqual([['blue'], ['blue'], ['blue']])
  })

  it('is the whole list and the whole sum where somebody added to them and somebody else deleted the record', async () => {
    const id = await create({ title: 'first', labels: ['red'], stock: 10 })
    await patch(b, id, { stock: 13 })
    await exchange(...machines)
    await patch(b, id, { labels: ['red', 'blue'], stock: 18 })
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await exchange(...machines)
    for (const machine of machines)
      expect(await conflictsOf(machine, id)).toMatchObject([
        { losers: [{ value: { labels: ['red', 'blue'], stock: 18 } }], base: { labels: ['red'], stock: 13 } },
      ])
  })

  it('is what a deletion had seen of the fields that were edited meanwhile', async () => {
    const id = await create({ title: 'first', size: 1 })
    await patch(b, id, { title: 'b1' })
    await patch(b, id, { title: 'b2', size: 2 })
    expect((await a.host.delete(`/data/part/${id}`)).status).toBe(200)
    await exchange(...machines)
    const before = { title: 'first', size: 1 }
    expect(await bases(id)).toEqual([before, before, before])
  })

  it('is an empty text where two machines began one', async () => {
    const id = await create({ title: 'first' })
    await patch(a, id, { notes: 'from a' })
    await patch(b, id, { notes: 'from b' })
    await exchange(...machines)
    expect(await bases(id)).toEqual(['', '', ''])
  })

  it('of another conflict of the field is not the one of the conflict before', async () => {
    const id = await create({ title: 'first' })
    for (const round of ['1', '2']) {
      await patch(a, id, { title: `a${round}` })
      await patch(b, id, { title: `b${round}` })
      await exchange(...machines)
      expect(await bases(id)).toEqual(Array(3).fill(round === '1' ? 'first' : 'settled'))
      await patch(c, id, { title: 'settled' })
      await exchange(...machines)
      for (const machine of machines) expect(await conflictsOf(machine, id)).toEqual([])
    }
  })

  it('is said to be unknown where the document came without its log', async () => {
    const { body } = await a.host.post('/data/part', { title: 'first' })
    const id: string = body.id
    await carry(a, b)
    await patch(a, id, { title: 'a1' })
    await patch(b, id, { title: 'b1' })
    await exchange(a, b)
    const name = { kind: 'record' as const, object: a.metadata.objectSchema('part')!.uid, record: id }
    const doc = formatDocName(name)
    const { update, isLast } = a.engine.replica.difference(doc, Y.encodeStateVector(new Y.Doc()))
    expect(await c.engine.replica.repair(doc, update, { peer: 'a', isLast })).toBe(true)
    const [conflict] = await conflictsOf(c, id)
    expect(conflict).toMatchObject({ kind: 'field', baseUnknown: true })
    expect(conflict).not.toHaveProperty('base')
    expect((await conflictsOf(a, id))[0].base).toBe('first')
    await exchange(...machines)
  })
})

/** A write of the model: what it saw. */
interface Write {
  readonly value: string
  readonly saw: readonly number[]
}

describe('schedules of three machines', () => {
  it('agree with a model that knows who saw what', { timeout: 120_000 }, async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), at: fc.nat(2) }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('carry' as const), at: fc.nat(2), to: fc.nat(2) }),
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const writes: Write[] = [{ value: 'first', saw: [] }]
        const known = machines.map(() => new Set([0]))
        const id = await create({ title: 'first' })
        const live = (at: number): number[] => {
          const seen = new Set([...known[at]!].flatMap((one) => writes[one]!.saw))
          return [...known[at]!].filter((one) => !seen.has(one))
        }
        for (const one of steps) {
          if (one.kind === 'write') {
            const value = `v${writes.length}`
            const saw = live(one.at)
            known[one.at]!.add(writes.push({ value, saw }) - 1)
            await patch(machines[one.at]!, id, { title: value })
          } else if (one.at !== one.to) {
            await carry(machines[one.at]!, machines[one.to]!)
            for (const write of known[one.at]!) known[one.to]!.add(write)
          }
        }
        await exchange(...machines)
        for (const each of known) for (const index of writes.keys()) each.add(index)
        const sides = live(0)
        const before = (index: number): Set<number> =>
          new Set(writes[index]!.saw.flatMap((one) => [one, ...before(one)]))
        const common = sides.map(before).reduce((all, one) => all.intersection(one))
        const expected = writes[Math.max(...common)]?.value ?? null
        for (const machine of machines) {
          const [conflict] = await conflictsOf(machine, id)
          if (sides.length < 2) expect(conflict).toBeUndefined()
          else expect([conflict.base, conflict.losers.length]).toEqual([expected, sides.length - 1])
        }
      }),
      { numRuns: sized(6, 80, 500) },
    )
  })
})
