// Renaming fields there and back leaves every item as it was, and what is renamed no longer needs the old name.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MetadataItem } from '../api.ts'
import { createItemCache } from '../service/item-cache.ts'
import type { ItemCache } from '../service/item-cache.ts'
import { dependenciesOf } from './dependencies.ts'
import { visitReferences } from './item-references.ts'
import { withRenames } from './renames.ts'
import type { Renames } from './renames.ts'

const item = (type: MetadataItem['type'], name: string, body: Record<string, unknown>): MetadataItem => ({
  type,
  name,
  uid: `${type}-${name}`,
  item: { name, ...body },
  state: 'active',
  version: 1,
  packageId: null,
  namespace: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  published: true,
})

const names = ['alpha', 'beta', 'gamma', 'delta']

/** Items over an object whose fields are the given names, or over the same with other names. */
const cacheOf = (fields: readonly string[]): ItemCache =>
  createItemCache(
    {
      items: [
        item('object', 'thing', { fields: Object.fromEntries(fields.map((field) => [field, { type: 'text' }])) }),
        item('object', 'part', { fields: { of: { type: 'lookup', reference: 'thing' }, note: { type: 'text' } } }),
      ],
    },
    { error: () => undefined } as never,
  )

const field = fc.constantFrom(...names)
const path = fc.oneof(field, fc.constantFrom('created_at', 'note', 'of'))
const expression = fc
  .tuple(field, field)
  .chain(([a, b]) =>
    fc.constantFrom(
      `record.${a} == previous.${b}`,
      `changed("${a}") && "${b}" != record["${a}"]`,
      `has(record.${a}) ? record.${b} + "record.${a}" : null`,
      `[record.${a}].exists(x, x == record.${b})`,
    ),
  )
const condition = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.dictionary(path, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
    fc.record({ $or: fc.array(tie('filter'), { maxLength: 2 }) }),
    fc.tuple(path, fc.constantFrom('=', 'in', 'between'), fc.jsonValue({ maxDepth: 1 })),
    fc.record({ field: path, operator: fc.constant('eq'), value: fc.string() }),
  ),
})).filter

const config = fc.record(
  {
    columns: fc.array(fc.oneof(path, fc.record({ field: path, width: fc.nat() })), { maxLength: 4 }),
    filter: condition,
    sort: fc.array(fc.oneof(path, fc.record({ field: path, order: fc.constant('desc') })), { maxLength: 3 }),
    kanban: fc.record({ groupByField: field, columns: fc.array(field) }),
    sections: fc.array(fc.record({ fields: fc.array(path), visibleOn: expression }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

const rule = fc.record({ object: fc.constant('thing'), when: expression, fields: fc.array(field), where: condition })

const holder = fc.oneof(
  config.map((body) => item('view', 'thing.all', { object: 'thing', viewKind: 'list', config: body })),
  rule.map((body) => item('validation', 'thing.rule', { ...body, type: 'conditional' })),
  fc
    .record({ columns: fc.array(path.map((one) => `of.${one}`)), filter: condition })
    .map((body) => item('report', 'report', { object: 'part', ...body })),
  fc
    .dictionary(
      field.map((one) => `thing.${one}`),
      fc.record({ readable: fc.boolean() }),
    )
    .map((fields) => item('permission', 'rights', { fields })),
)

/** Every field goes to another name: a shuffle, or a name nobody has. */
const renaming = fc
  .shuffledSubarray([...names, 'omega', 'sigma'], { minLength: names.length, maxLength: names.length })
  .map((to) => new Map(names.map((from, index): [string, string] => [from, to[index]!])))

const there = (fields: ReadonlyMap<string, string>): Renames => ({ from: 'thing', to: 'thing', fields })
const back = (fields: ReadonlyMap<string, string>): Renames =>
  there(new Map([...fields].map(([from, to]) => [to, from])))

describe('renaming fields', () => {
  it('there and back is the identity', () => {
    fc.assert(
      fc.property(holder, renaming, (before, fields) => {
        const renamed = withRenames(before, there(fields), cacheOf(names))
        const again = withRenames({ ...before, item: renamed }, back(fields), cacheOf([...fields.values()]))
        expect(again).toEqual(before.item)
      }),
    )
  })

  it('moves what an item needs, and nothing else', () => {
    fc.assert(
      fc.property(holder, renaming, (before, fields) => {
        const needs = (one: MetadataItem, items: ItemCache) =>
          dependenciesOf(one, items).map(({ targetType, targetName }) => `${targetType} ${targetName}`)
        const renamed = { ...before, item: withRenames(before, there(fields), cacheOf(names)) }
        const expected = needs(before, cacheOf(names)).map((need) =>
          need.replace(/^field thing\.(\w+)$/, (_whole, name: string) => `field thing.${fields.get(name)}`),
        )
        expect(needs(renamed, cacheOf([...fields.values()])).toSorted()).toEqual(expected.toSorted())
      }),
    )
  })

  it('answers the same value when nothing is renamed', () => {
    fc.assert(
      fc.property(holder, (before) => {
        const nothing = {
          item: (_type: string, name: string) => name,
          field: (_object: string, name: string) => name,
          target: () => null,
        }
        expect(visitReferences(before, nothing)).toBe(before.item)
      }),
    )
  })
})
