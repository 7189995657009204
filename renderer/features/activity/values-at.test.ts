// What a record held at a point of its history.
import { describe, expect, it } from 'vitest'
import type { ChangelogEntry } from './feed-queries.ts'
import { valuesAfter } from './values-at.ts'

const entry = (id: string, changes: Record<string, [unknown, unknown]>): ChangelogEntry =>
  ({
    id,
    action: 'update',
    timestamp: '2026-03-01T00:00:00.000Z',
    actor: { type: 'user', id: 'u' },
    changes: Object.entries(changes).map(([field, [oldValue, newValue]]) => ({ field, oldValue, newValue })),
  }) as unknown as ChangelogEntry

const entries = [
  entry('d', { title: ['Wall', 'Roof'], price: [2, 3] }),
  entry('c', { price: [1, 2], note: [undefined, 'new'] }),
  entry('b', { title: ['Floor', 'Wall'] }),
  entry('a', { title: [null, 'Floor'], price: [null, 1] }),
]

describe('the values of a record at a point', () => {
  it('are those before the oldest change that followed', () => {
    expect(Object.fromEntries(valuesAfter(entries, 'b'))).toEqual({ title: 'Wall', price: 1, note: null })
    expect(Object.fromEntries(valuesAfter(entries, 'a'))).toEqual({ title: 'Floor', price: 1, note: null })
  })

  it('are none that differ at the newest entry, and none at one that is not there', () => {
    expect(valuesAfter(entries, 'd').size).toBe(0)
    expect(valuesAfter(entries, 'x').size).toBe(0)
  })
})
