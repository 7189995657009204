// Whatever stands in an item, checking it and following its references answers; nothing throws.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { wholeItems } from '../../../../test/support/metadata-examples.ts'
import { visitReferences } from '../references/item-references.ts'
import { checkItem } from './check-item.ts'
import { itemShape } from './type-schemas.ts'

const odd = fc.constantFrom<unknown>(
  { toString: 1 },
  { valueOf: null },
  [],
  [[]],
  [null],
  '',
  'record.',
  -1,
  1e308,
  null,
)
const value = fc.oneof(
  odd,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('a.b.c', 'title', '-title,', { field: 'title' }),
)

/** Puts a value in the place of one member of a JSON value, chosen by numbers. */
function replaceAt(target: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = steps
  if (step === undefined || typeof target !== 'object' || target === null) return replacement
  const keys = Object.keys(target)
  if (keys.length === 0) return replacement
  const key = keys[step % keys.length]!
  const member = replaceAt((target as Record<string, unknown>)[key], rest, replacement)
  return Array.isArray(target) ? target.with(Number(key), member) : { ...target, [key]: member }
}

describe.each(metadataTypes)('an item of type %s', (type) => {
  const keys = Object.keys(itemShape(type)?.schema.shape ?? {})
  const start = wholeItems[type]?.item ?? {}
  const broken = fc.oneof(
    fc
      .tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), value)
      .map(([steps, replacement]) => replaceAt({ name: 'thing', ...start }, steps, replacement)),
    fc.dictionary(fc.constantFrom('name', 'fields', 'object', ...keys), value, { noNullPrototype: true }),
  )

  it('is checked and followed whatever it holds', () => {
    const nothing = {
      item: (_type: string, name: string) => name,
      field: (_object: string, name: string) => name,
      target: () => null,
    }
    fc.assert(
      fc.property(broken, (item) => {
        const body = item as Record<string, unknown>
        if (type !== 'field') expect(Array.isArray(checkItem(type, body).errors)).toBe(true)
        expect(visitReferences({ type, name: 'thing', item: body }, nothing)).toBe(body)
      }),
      { numRuns: 150 },
    )
  })
})

describe('a hundred thousand wrong entries', () => {
  const many = (entry: unknown): unknown[] => Array.from({ length: 100_000 }, () => entry)
  const named = (entry: unknown): object => Object.fromEntries(many(entry).map((one, at) => [`n${at}`, one]))
  it.each<[MetadataType, object]>([
    ['hook', { object: 'deal', events: many('x') }],
    ['permission', { tabPermissions: named(1) }],
    ['object', { fields: { title: { type: 'text' } }, triggers: many({}) }],
    ['object', { fields: { title: { type: 'text' } }, validations: many({}) }],
    ['object', { fields: { stage: { type: 'select', options: many('x') } } }],
    ['object', { fields: { title: { type: 'text' } }, analytics: { measures: named(1) } }],
  ])('of a %s are not all named', (type, item) => {
    const { errors } = checkItem(type, { name: 'thing', ...item })
    expect(errors.length).toBeGreaterThanOrEqual(100)
    expect(errors.length).toBeLessThan(120)
  })
})
