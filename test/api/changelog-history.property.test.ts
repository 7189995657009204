// Random histories of a record: the changelog, undone from its end, gives every earlier state; what was rolled back left
// nothing.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { newRecord, pageOf } from '../support/feed-calls.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost
let people: string[] = []

const names = ['title', 'notes', 'amount', 'flags', 'open', 'more', 'due', 'keeper', 'price'] as const

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { settings: { rateLimits: { read: null, write: null } } })
  await host.defineObject('person', { name: { type: 'text' } })
  await host.defineObject('thing', {
    title: { type: 'text' },
    notes: { type: 'textarea' },
    amount: { type: 'number' },
    flags: { type: 'multiselect', options: ['a', 'b', 'c'] },
    open: { type: 'boolean' },
    more: { type: 'json' },
    due: { type: 'datetime' },
    keeper: { type: 'lookup', reference: 'person' },
    price: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
    twice: { type: 'formula', expression: 'record.amount * 2' },
  })
  people = [await newRecord(host, 'person', { name: 'Ann' }), await newRecord(host, 'person', { name: 'Ben' })]
})
afterAll(() => host.stop())

type Values = Record<string, unknown>
type Step =
  | { kind: 'patch'; values: Values }
  | { kind: 'failing'; values: Values }
  | { kind: 'dry'; values: Values }
  | { kind: 'delete' }
  | { kind: 'restore' }

const text = fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }))
const values: fc.Arbitrary<Values> = fc.record(
  {
    title: text,
    notes: text,
    amount: fc.oneof(fc.constant(null), fc.integer({ min: -1e6, max: 1e6 })),
    flags: fc.subarray(['a', 'b', 'c']),
    open: fc.oneof(fc.constant(null), fc.boolean()),
    more: fc.oneof(fc.constant(null), fc.dictionary(fc.constantFrom('a', 'b"'), fc.integer())),
    due: fc.oneof(fc.constant(null), fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-05-05T05:05:05.005Z')),
    keeper: fc.constantFrom(null, 0, 1),
    price: fc.oneof(fc.constant(null), fc.record({ value: fc.integer(), currency: fc.constantFrom('EUR', 'USD') })),
  },
  { requiredKeys: [] },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('patch' as const), values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failing' as const), values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dry' as const), values }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'delete' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restore' as const }) },
)

const written = ({ keeper, ...rest }: Values): Values =>
  typeof keeper === 'number' ? { ...rest, keeper: people[keeper] } : keeper === null ? { ...rest, keeper } : rest

/** A state: the values, and whether the record lies in the trash. */
interface State {
  readonly values: Values
  readonly deleted: boolean
}

const pick = (record: Values): Values => Object.fromEntries(names.map((name) => [name, record[name] ?? null]))

async function stateOf(id: string): Promise<State> {
  const query = { filter: { id }, deleted: 'include' }
  const { records } = (await host.post('/data/thing/query', query)).body as { records: Values[] }
  const isLive = (await host.get(`/data/thing/${id}`)).status === 200
  return { values: pick(records[0]!), deleted: !isLive }
}

async function apply(id: string, one: Step): Promise<void> {
  switch (one.kind) {
    case 'patch':
      await host.patch(`/data/thing/${id}`, written(one.values))
      return
    case 'failing':
      await host.post('/data/thing/batch', {
        operation: 'update',
        records: [
          { id, data: written(one.values) },
          { id: people[0], data: {} },
        ],
      })
      return
    case 'dry':
      await host.post('/data/thing/batch', {
        operation: 'update',
        records: [{ id, data: written(one.values) }],
        options: { validateOnly: true },
      })
      return
    case 'delete':
      await host.delete(`/data/thing/${id}`)
      return
    case 'restore':
      await host.post(`/data/thing/${id}/restore`)
  }
}

interface Entry {
  action: string
  changes: { field: string; oldValue: unknown; newValue: unknown }[]
}

/** All entries, newest first, in pages of three. */
async function entriesOf(id: string): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor = ''
  for (;;) {
    const page = await pageOf(host, `thing/${id}/changelog?limit=3${cursor}`)
    entries.push(...page.entries)
    if (!page.hasMore) {
      expect(page.total).toBe(entries.length)
      return entries
    }
    cursor = `&cursor=${page.nextCursor}`
  }
}

/** The state before an entry; fails when the entry does not lead to the state after it. */
function undo(after: State, { action, changes }: Entry): State {
  const before = { ...after.values }
  for (const { field, oldValue, newValue } of changes) {
    expect(after.values[field]).toEqual(newValue)
    before[field] = oldValue
  }
  if (action === 'delete') expect(after.deleted).toBe(true)
  if (action === 'restore') expect(after.deleted).toBe(false)
  return { values: before, deleted: action === 'restore' || (action !== 'delete' && after.deleted) }
}

describe('the changelog', () => {
  it(
    'undone from its end gives every earlier state',
    async () => {
      await fc.assert(
        fc.asyncProperty(values, fc.array(step, { maxLength: 12 }), async (first, steps) => {
          const id = await newRecord(host, 'thing', written(first))
          const states = [await stateOf(id)]
          for (const one of steps) {
            await apply(id, one)
            const state = await stateOf(id)
            if (JSON.stringify(state) !== JSON.stringify(states.at(-1))) states.push(state)
          }
          const entries = await entriesOf(id)
          expect(entries).toHaveLength(states.length)
          let state = states.at(-1)!
          for (const [at, entry] of entries.slice(0, -1).entries()) {
            state = undo(state, entry)
            expect(state).toEqual(states[states.length - 2 - at])
          }
          const empty = undo(state, entries.at(-1)!)
          expect(Object.values(empty.values).every((value) => value === null || JSON.stringify(value) === '[]')).toBe(
            true,
          )
        }),
        { numRuns: sized(20, 100, 400) },
      )
    },
    sized(120_000, 600_000),
  )
})
