import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSubscribedRecords } from './subscriptions.ts'

describe('the memory of subscribed records', () => {
  it('never forgets one, and knows hardly more', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 60 }), (ids) => {
        const known = createSubscribedRecords()
        const half = ids.slice(0, ids.length / 2)
        for (const id of half) known.add(id)
        for (const id of half) expect(known.mayHave(id)).toBe(true)
        const groups = new Set(half.map((id) => id.slice(-5)))
        for (const id of ids.slice(ids.length / 2)) expect(known.mayHave(id)).toBe(groups.has(id.slice(-5)))
      }),
      { numRuns: 30 },
    )
  })
})
