// Three nodes through deaths, pauses, lost answers and a store that goes away: what was acknowledged is kept, and nobody
// answers without it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runWorld } from '../../test/support/hub-model.ts'
import { sized } from '../../test/support/test-size.ts'

it('keeps what was acknowledged whatever happens to nodes, clocks and calls', async () => {
  const seen = { acknowledged: 0, reads: 0, epochs: 0, copies: 0 }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      const report = await runWorld(seed)
      expect(report.broken).toEqual([])
      for (const key of ['acknowledged', 'reads', 'epochs', 'copies'] as const) seen[key] += report[key]
    }),
    { numRuns: sized(20, 120, 2_000) },
  )
  // The schedules are worth something only where leaders write, change and are read.
  expect(seen.acknowledged).toBeGreaterThan(sized(20, 120, 2_000) * 20)
  expect(seen.epochs).toBeGreaterThan(sized(20, 120, 2_000) * 3)
  expect(seen.reads).toBeGreaterThan(sized(20, 120, 2_000) * 50)
  expect(seen.copies).toBeGreaterThan(sized(20, 120, 2_000) * 3)
})
