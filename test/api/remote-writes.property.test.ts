// A random history of local writes on one host, replayed on another one through the door for peers' changes, gives the same
// tables but for versions, the same answers of searches, and the same again when everything is replayed twice.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { replay, rowsOf } from '../support/remote-replay.ts'

const objects = ['firm', 'deal', 'line', 'memo'] as const
type ObjectName = (typeof objects)[number]

let near: TestHost
let far: TestHost

async function define(host: TestHost): Promise<void> {
  await host.defineObject('firm', {
    name: { type: 'text' },
    above: { type: 'tree' },
    deals: { type: 'summary', summaryOperations: { object: 'deal', function: 'count' } },
    turnover: { type: 'summary', summaryOperations: { object: 'deal', function: 'sum', field: 'total' } },
    label: { type: 'formula', expression: 'record.name + " " + string(record.deals)', returnType: 'text' },
  })
  await host.defineObject('deal', {
    number: { type: 'autonumber', autonumberFormat: 'D-{000}' },
    name: { type: 'text' },
    firm: { type: 'lookup', reference: 'firm' },
    others: { type: 'lookup', reference: 'firm', multiple: true },
    tags: { type: 'tags' },
    about: { type: 'record' },
    total: { type: 'summary', summaryOperations: { object: 'line', function: 'sum', field: 'price' } },
    most: { type: 'summary', summaryOperations: { object: 'line', function: 'max', field: 'price' } },
    paid: {
      type: 'summary',
      summaryOperations: { object: 'line', function: 'count', filter: { paid: true } },
    },
    half: { type: 'formula', expression: 'record.total / 2.0', returnType: 'number' },
  })
  await host.defineObject('line', {
    deal: { type: 'master_detail', reference: 'deal' },
    price: { type: 'number', scale: 2 },
    paid: { type: 'toggle' },
  })
  await host.defineObject(
    'memo',
    { text: { type: 'html' }, deal: { type: 'lookup', reference: 'deal' } },
    {
      enable: { trash: false },
      search: { fields: ['text'] },
    },
  )
}

beforeAll(async () => {
  near = await createTestHost()
  far = await createTestHost()
  await define(near)
  await define(far)
})

afterAll(async () => {
  await near.stop()
  await far.stop()
})

const words = ['alpha', 'beta', 'gamma delta', 'Ärger', 'o"quote\'d', '']
const word = fc.constantFrom(...words)
/** Which of the records there are, by a share of them. */
const pick = fc.nat(10_000)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })

interface Values {
  readonly name: string
  readonly to: number | null
  readonly also: readonly number[]
  readonly price: number | null
  readonly paid: boolean
}

const values: fc.Arbitrary<Values> = fc.record({
  name: word,
  to: maybe(pick),
  also: fc.uniqueArray(pick, { maxLength: 3 }),
  price: maybe(fc.integer({ min: -500, max: 500 }).map((cents) => cents / 100)),
  paid: fc.boolean(),
})

const object = fc.constantFrom(...objects)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('create' as const), object, values, at: pick }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('update' as const), object, values, at: pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), object, values, at: pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('restore' as const), object, values, at: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), object, values, at: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('batch' as const), object, values, at: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clone' as const), object, values, at: pick }) },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const idOf = (name: ObjectName, at: number | null, state: 'live' | 'deleted' | 'any' = 'live'): string | null => {
  const found = rowsOf(near, name).filter(
    (row) => state === 'any' || (row['deleted_at'] === null) === (state === 'live'),
  )
  return at === null || found.length === 0 ? null : String(found[at % found.length]!['id'])
}

function bodyOf(name: ObjectName, { name: text, to, also, price, paid }: Values): Record<string, unknown> {
  switch (name) {
    case 'firm':
      return { name: text, above: idOf('firm', to) }
    case 'deal': {
      const firms = [...new Set(also.flatMap((at) => idOf('firm', at) ?? []))]
      const line = idOf('line', to)
      return {
        name: text,
        firm: idOf('firm', to),
        others: firms,
        tags: text.trim() === '' ? [] : [text],
        about: line === null ? null : { object: 'line', id: line },
      }
    }
    case 'line':
      return { deal: idOf('deal', to ?? 0), price, paid }
    case 'memo':
      return { text: `<p>${text}</p>`, deal: idOf('deal', to) }
  }
}

/** Writes on the near host; refusals are part of a history. */
async function perform({ kind, object: name, values: given, at }: Step): Promise<void> {
  const any = kind === 'restore' ? 'deleted' : kind === 'purge' ? 'any' : 'live'
  const id = idOf(name, at, any)
  if (kind === 'create') await near.post(`/data/${name}`, bodyOf(name, given))
  else if (kind === 'batch') {
    const records = [given, { ...given, price: 1 }, { ...given, paid: true }].map((one) => ({
      data: bodyOf(name, one),
    }))
    await near.post(`/data/${name}/batch`, { operation: 'create', records })
  } else if (id === null) return
  else if (kind === 'update') await near.patch(`/data/${name}/${id}`, bodyOf(name, given))
  else if (kind === 'clone') await near.post(`/data/${name}/${id}/clone`, {})
  else if (kind === 'restore') await near.post(`/data/${name}/${id}/restore`)
  else await near.delete(`/data/${name}/${id}${kind === 'purge' ? '?purge=true' : ''}`)
}

async function found(host: TestHost, name: ObjectName, text: string): Promise<string[]> {
  const { body } = await host.get(`/data/${name}?search=${encodeURIComponent(text)}&sort=id&top=500`)
  return (body.records as { id: string }[]).map(({ id }) => id)
}

async function expectSame(): Promise<void> {
  for (const name of objects) {
    expect(rowsOf(far, name), name).toEqual(rowsOf(near, name))
    if (name === 'line') continue
    for (const text of ['alpha', 'beta', 'delta', 'Ärger', 'quote'])
      expect(await found(far, name, text), `${name} ${text}`).toEqual(await found(near, name, text))
  }
}

it('a history of writes comes out the same on another machine', { timeout: 240_000 }, async () => {
  let writes = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      for (const one of steps) {
        near.takeEvents()
        await perform(one)
        const events = near.takeEvents()
        const outcomes = await replay(near, far, events)
        writes += outcomes.filter(({ changed }) => changed).length
        for (const outcome of outcomes) expect(outcome.refused).toEqual([])
        // The same once more is nothing, unless it goes back and forth within one call.
        const last = new Map(events.map((event) => [`${event.object}/${event.recordId}`, event]))
        if (last.size !== events.length) continue
        const again = await replay(near, far, events)
        expect(again.map(({ changed }) => changed)).not.toContain(true)
      }
      await expectSame()
    }),
    { numRuns: 16 },
  )
  expect(writes).toBeGreaterThan(100)
})
