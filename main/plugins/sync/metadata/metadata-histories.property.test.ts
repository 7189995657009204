// Random histories of three real machines, delivered in random parts and orders, end with equal items.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { internalContext, localOwner } from '#main/kernel/context.ts'
import { createPipe, createPipedHost, itemsOf } from '../../../../test/support/metadata-pipe.ts'
import type { PipedHost } from '../../../../test/support/metadata-pipe.ts'
import { sized } from '../../../../test/support/test-size.ts'

let hosts: PipedHost[]
let pipe: ReturnType<typeof createPipe>

beforeAll(async () => {
  hosts = [await createPipedHost(1), await createPipedHost(2), await createPipedHost(3)]
  pipe = createPipe(hosts)
})
afterAll(async () => {
  for (const host of hosts) await host.stop()
})

type Item = Record<string, unknown>
type Fields = Record<string, Item>

const ctx = { ...internalContext('history', 'API'), actor: localOwner }
const objects = ['p', 'q']
const fields = ['one', 'two', 'three']
const types = ['text', 'number', 'textarea']

type Step =
  | { do: 'sync'; from: number; to: number; count: number }
  | { do: 'create'; at: number; object: number; type: number }
  | { do: 'drop'; at: number; object: number }
  | { do: 'rename'; at: number; object: number; to: number }
  | { do: 'label'; at: number; object: number; field: number | null; text: string }
  | { do: 'field'; at: number; object: number; field: number; type: number; target: number | null }
  | { do: 'unfield'; at: number; object: number; field: number }
  | { do: 'refield'; at: number; object: number; field: number; to: number }
  | { do: 'move'; at: number; object: number }
  | { do: 'view'; at: number; object: number; column: number; text: string }
  | { do: 'unview'; at: number; object: number }
  | { do: 'role'; at: number; text: string }

const at = fc.nat({ max: 2 })
const object = fc.nat({ max: objects.length - 1 })
const field = fc.nat({ max: fields.length - 1 })
const type = fc.nat({ max: types.length - 1 })
const text = fc.constantFrom('a', 'b', 'c')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('sync' as const), from: at, to: at, count: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), at, object, type }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), at, object }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), at, object, to: object }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('label' as const), at, object, field: fc.option(field), text }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('field' as const), at, object, field, type, target: fc.option(object) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unfield' as const), at, object, field }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refield' as const), at, object, field, to: field }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), at, object }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('view' as const), at, object, column: field, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unview' as const), at, object }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('role' as const), at, text }) },
)

/** Makes the steps of one history; what a machine refuses did not happen. */
function createHistory(prefix: string) {
  const named = (index: number): string => `${prefix}_${objects[index]!}`
  const save = (host: PipedHost, kind: MetadataType, name: string, item: Item) =>
    host.metadata.save(ctx, { type: kind, name, item, authorized: true, confirm: 'true' })
  const remove = (host: PipedHost, kind: MetadataType, name: string) =>
    host.metadata.remove(ctx, { type: kind, name, authorized: true, confirm: 'true', force: true })

  const edit = async (host: PipedHost, index: number, change: (item: Item, all: Fields) => Item) => {
    const stored = host.metadata.get('object', named(index))
    if (stored === undefined) return
    const item = change({ ...stored.item }, { ...(stored.item['fields'] as Fields) })
    await save(host, 'object', String(item['name']), item)
  }

  const run = async (one: Step): Promise<void> => {
    if (one.do === 'sync') return pipe.step(hosts[one.from]!, hosts[one.to]!, one.count)
    const host = hosts[one.at]!
    if (one.do === 'role') return void (await save(host, 'role', `${prefix}_role`, { label: one.text }))
    const name = named(one.object)
    switch (one.do) {
      case 'create':
        if (host.metadata.get('object', name) !== undefined) return
        return void (await save(host, 'object', name, { name, fields: { base: { type: types[one.type]! } } }))
      case 'drop':
        return void (await remove(host, 'object', name))
      case 'rename': {
        const to = `${named(one.to)}n`
        if (host.metadata.get('object', to) !== undefined) return
        return edit(host, one.object, (item) => ({ ...item, name: to, renamedFrom: name }))
      }
      case 'label':
        return edit(host, one.object, (item, all) => {
          if (one.field === null) return { ...item, label: one.text }
          const key = fields[one.field]!
          return all[key] === undefined
            ? item
            : { ...item, fields: { ...all, [key]: { ...all[key], label: one.text } } }
        })
      case 'field':
        return edit(host, one.object, (item, all) => {
          const key = fields[one.field]!
          const made =
            one.target === null ? { type: types[one.type]! } : { type: 'lookup', reference: named(one.target) }
          return { ...item, fields: { ...all, [key]: { ...all[key], ...made } } }
        })
      case 'unfield':
        return edit(host, one.object, (item, all) => {
          delete all[fields[one.field]!]
          return { ...item, fields: all }
        })
      case 'refield':
        return edit(host, one.object, (item, all) => {
          const [from, to] = [fields[one.field]!, `${fields[one.to]!}_r`]
          if (all[from] === undefined || all[to] !== undefined) return item
          const { [from]: moved, ...rest } = all
          return { ...item, fields: { ...rest, [to]: { ...moved, renamedFrom: from } } }
        })
      case 'move':
        return edit(host, one.object, (item, all) => ({
          ...item,
          fields: Object.fromEntries(Object.entries(all).toReversed()),
        }))
      case 'view': {
        if (host.metadata.get('object', name) === undefined) return
        const config = { columns: ['base', fields[one.column]!] }
        return void (await save(host, 'view', `${name}.v`, { object: name, viewKind: 'list', label: one.text, config }))
      }
      case 'unview':
        return void (await remove(host, 'view', `${name}.v`))
    }
  }

  return async (one: Step): Promise<void> => {
    try {
      await run(one)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
    }
  }
}

const shownOf = (host: PipedHost, prefix: string) =>
  itemsOf(host).filter((item) => (item as { here: string }).here.startsWith(`${prefix}_`))

describe('histories of three machines', () => {
  it('end with equal items in whatever parts and order they are delivered', { timeout: 300_000 }, async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40 }), async (steps) => {
        const prefix = `h${(run += 1)}`
        const play = createHistory(prefix)
        for (const one of steps) await play(one)
        await pipe.flush()
        for (const host of hosts) expect(host.documents.dueItems()).toEqual([])
        const [first, ...others] = hosts
        for (const other of others) expect(shownOf(other, prefix)).toEqual(shownOf(first!, prefix))
        const logs = hosts.map(({ log }) => log.length)
        for (const host of hosts) await host.documents.handler.settle()
        expect(hosts.map(({ log }) => log.length)).toEqual(logs)
      }),
      { numRuns: Number(process.env['HISTORIES'] ?? sized(8, 25)), endOnFailure: true },
    )
  })
})
