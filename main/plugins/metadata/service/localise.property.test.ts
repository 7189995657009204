// What putting labels in and taking them out again does to any object.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { isSameJson } from '#shared/merge-patch.ts'
import { localise, unlocalise } from './localise.ts'

const text = fc.constantFrom('a', 'b', 'Ding', '', 'x y')
const key = fc.constantFrom('title', 'level', 'constructor', 'toString')
const option = fc.oneof(
  fc.constantFrom('low', 'high'),
  fc.record({ value: fc.constantFrom('mid', 'top'), label: text }, { requiredKeys: ['value'] }),
)
const field = fc.record(
  {
    type: fc.constant('text'),
    label: text,
    help: text,
    options: fc.uniqueArray(option, { selector: (one) => JSON.stringify(one) }),
  },
  { requiredKeys: ['type'] },
)
const body = fc.record(
  { name: fc.constant('task'), label: text, description: text, fields: fc.dictionary(key, field, { maxKeys: 3 }) },
  { requiredKeys: ['name', 'fields'] },
)
const words = fc.record(
  { label: text, help: text, options: fc.dictionary(fc.constantFrom('low', 'mid'), text) },
  { requiredKeys: [] },
)
const tree = fc
  .record({ label: text, description: text, fields: fc.dictionary(key, words, { maxKeys: 3 }) }, { requiredKeys: [] })
  .map((task) => ({ objects: { task } }))
const item = { type: 'object' as const, name: 'task' }

describe('labels', () => {
  it('that nobody touched are gone when the item comes back', () => {
    fc.assert(
      fc.property(body, tree, (stored, labels) => {
        const shown = localise(item, stored, labels)
        expect(isSameJson(unlocalise(structuredClone(shown), stored, shown), stored)).toBe(true)
      }),
    )
  })

  it('change nothing but labels, and a text nobody translated stays', () => {
    fc.assert(
      fc.property(body, tree, (stored, labels) => {
        const shown = localise(item, stored, labels) as typeof stored
        expect(Object.keys(shown.fields)).toEqual(Object.keys(stored.fields))
        for (const [name, one] of Object.entries(stored.fields)) expect(shown.fields[name]!.type).toBe(one.type)
        if ((labels.objects.task.label ?? '') === '') expect(shown.label).toBe(stored.label)
      }),
    )
  })

  it('an author changed stay as the author wrote them', () => {
    fc.assert(
      fc.property(body, tree, (stored, labels) => {
        const shown = localise(item, stored, labels)
        const edited = { ...shown, label: 'Mine', icon: 'star' }
        const back = unlocalise(edited, stored, shown) as Record<string, unknown>
        expect(back['label']).toBe('Mine')
        expect(back['icon']).toBe('star')
        expect(isSameJson(back['fields'], stored.fields)).toBe(true)
      }),
    )
  })
})
