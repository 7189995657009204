// What extending an object and taking its own part out again do to any object.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { isSameJson } from '#shared/merge-patch.ts'
import type { MetadataItem } from '../api.ts'
import { extendBody, withoutExtensions } from './extensions.ts'

const field = fc.record(
  { type: fc.constantFrom('text', 'number'), label: fc.constantFrom('A', 'B') },
  { requiredKeys: ['type'] },
)
const index = fc.record({ fields: fc.constantFrom(['own'], ['more'], ['own', 'more']) })
const own = fc.record(
  {
    name: fc.constant('task'),
    label: fc.constantFrom('Task', 'Job'),
    indexes: fc.array(index, { minLength: 1, maxLength: 2 }),
    fields: fc.dictionary(fc.constantFrom('own', 'title', 'constructor'), field),
  },
  { requiredKeys: ['name', 'fields'] },
)
const extension = fc
  .record(
    {
      label: fc.constantFrom('Extended', 'More'),
      indexes: fc.array(index, { maxLength: 2 }),
      fields: fc.dictionary(fc.constantFrom('more', 'toString'), field),
    },
    { requiredKeys: ['fields'] },
  )
  .chain((item) =>
    fc.boolean().map((isNaming) => (isNaming ? { ...item, fields: { ...item.fields, own: { help: 'H' } } } : item)),
  )
  .map((item): MetadataItem => ({
    type: 'object',
    name: 'task_more',
    uid: 'u',
    item: { extend: 'task', ...item },
    state: 'active',
    version: 1,
    packageId: null,
    namespace: null,
    createdAt: '',
    updatedAt: '',
    published: true,
  }))

describe('an extended object', () => {
  it('comes apart again into what is its own', () => {
    fc.assert(
      fc.property(own, fc.array(extension, { maxLength: 1 }), (stored, extensions) => {
        const whole = extendBody(stored, extensions)
        const { body, errors } = withoutExtensions(structuredClone(whole), stored, extensions)
        expect(errors).toEqual([])
        expect(isSameJson(body, stored)).toBe(true)
      }),
    )
  })

  it('keeps every field of its own, and is as it was when an author leaves out what is not', () => {
    fc.assert(
      fc.property(own, extension, (stored, one) => {
        const whole = extendBody(stored, [one])
        const fields = whole['fields'] as Record<string, { type: string }>
        for (const [name, { type }] of Object.entries(stored.fields)) expect(fields[name]!.type).toBe(type)
        const again = withoutExtensions(structuredClone(stored), stored, [one])
        expect(isSameJson((again.body as typeof stored).fields, stored.fields)).toBe(true)
      }),
    )
  })
})
