// How much a run of the tests proves: small sizes at every commit, full ones with `npm run test:long`. Knows no test.
import type { TestContext } from 'vitest'

/** Whether this run takes full sizes (`CAIRN_LONG=1`). */
export const isLong = process.env['CAIRN_LONG'] === '1'

/** What a test takes at a commit, or in a long run: numbers of rows, rounds, cases, or the cases themselves. */
export function sized<T>(commit: T, long: T): T {
  return isLong ? long : commit
}

/** Leaves a test to the long run, with that as the reason people read. */
export function onlyInLongRun(test: TestContext): void {
  if (!isLong) test.skip('takes long: npm run test:long') // reason: tiers of the design
}
