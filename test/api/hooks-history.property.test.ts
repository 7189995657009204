// Random hooks over random writes against a plain reading of D-98: order, conditions, patches, refusals, what is left.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('thing', { n: { type: 'number' }, mark: { type: 'text' } })
})
afterAll(() => host.stop())

type Event = 'Insert' | 'Update' | 'Delete'

interface Hook {
  readonly priority: number
  readonly events: readonly Event[]
  /** `add` adds to n, `mark` sets the mark, `fail` refuses, `break` throws. */
  readonly does: 'add' | 'mark' | 'fail' | 'break'
  readonly by: number
  /** Runs when n is at least this; null: always. */
  readonly from: number | null
  readonly onError: 'abort' | 'log'
}

interface Write {
  readonly does: 'create' | 'update' | 'delete'
  readonly n: number
  readonly target: number
}

const hook = fc.record<Hook>({
  priority: fc.integer({ min: 1, max: 5 }),
  events: fc.uniqueArray(fc.constantFrom<Event>('Insert', 'Update', 'Delete'), { minLength: 1 }),
  does: fc.constantFrom('add', 'mark', 'fail', 'break'),
  by: fc.integer({ min: 1, max: 9 }),
  from: fc.option(fc.integer({ min: 0, max: 30 })),
  onError: fc.constantFrom('abort', 'log'),
})
const write = fc.record<Write>({
  does: fc.constantFrom('create', 'create', 'update', 'update', 'delete'),
  n: fc.integer({ min: 0, max: 40 }),
  target: fc.nat({ max: 9 }),
})

interface Thing {
  n: number
  mark: string | null
}

const bodies = (by: number): Readonly<Record<Hook['does'], string>> => ({
  add: `return { n: input.record.n + ${by} }`,
  mark: `return { mark: (input.record.mark ?? '') + '${by}' }`,
  fail: `fail('no', 'n')`,
  break: 'nothing.here',
})

/** What the hooks make of a record; null when they refuse it. */
function judge(hooks: readonly Hook[], event: Event, record: Thing): Thing | null {
  const result = { ...record }
  for (const one of hooks) {
    if (!one.events.includes(event) || (one.from !== null && result.n < one.from)) continue
    if (one.does === 'add') result.n += one.by
    else if (one.does === 'mark') result.mark = `${result.mark ?? ''}${one.by}`
    else if (one.onError === 'abort') return null
  }
  return result
}

it('random hooks leave the records a plain reading of their rules leaves', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(hook, { maxLength: 4 }),
      fc.array(write, { minLength: 1, maxLength: 8 }),
      async (given, writes) => {
        const names = given.map((_, at) => `thing.h${at}`)
        for (const [at, one] of given.entries()) {
          const saved = await host.put(`/meta/hook/${names[at]}`, {
            name: names[at],
            object: 'thing',
            events: one.events.map((event) => `before${event}`),
            priority: one.priority,
            onError: one.onError,
            body: bodies(one.by)[one.does],
            ...(one.from === null ? {} : { condition: `record.n >= ${one.from}` }),
          })
          expect(saved.status).toBe(200)
        }
        // Equal priorities run in the order of their names.
        const ordered = given
          .map((one, at) => ({ one, at }))
          .toSorted((a, b) => a.one.priority - b.one.priority || a.at - b.at)
        const hooks = ordered.map(({ one }) => one)
        const model = new Map<string, Thing>()
        for (const { does, n, target } of writes) {
          const ids = [...model.keys()]
          const id = ids[target % Math.max(1, ids.length)]
          if (does === 'create') {
            const expected = judge(hooks, 'Insert', { n, mark: null })
            const { status, body } = await host.post('/data/thing', { n })
            expect(status).toBe(expected === null ? 400 : 201)
            if (expected !== null) model.set(body.id, expected)
          } else if (id !== undefined && does === 'update') {
            const before = model.get(id)!
            const expected = judge(hooks, 'Update', { ...before, n })
            const { status } = await host.patch(`/data/thing/${id}`, { n })
            expect(status).toBe(expected === null ? 400 : 200)
            if (expected !== null) model.set(id, expected)
          } else if (id !== undefined) {
            const expected = judge(hooks, 'Delete', model.get(id)!)
            expect((await host.delete(`/data/thing/${id}`)).status).toBe(expected === null ? 400 : 200)
            if (expected !== null) model.delete(id)
          }
        }
        const { records } = (await host.get('/data/thing?top=1000')).body
        const stored = new Map(records.map((one: Thing & { id: string }) => [one.id, { n: one.n, mark: one.mark }]))
        expect(stored).toEqual(model)
        for (const name of names) await host.delete(`/meta/hook/${name}`)
        for (const id of model.keys()) await host.delete(`/data/thing/${id}`)
      },
    ),
    { numRuns: sized(12, 100, 400) },
  )
})
