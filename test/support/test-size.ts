// How much a run of the tests proves: small sizes at every commit, large ones within an hour with `npm run test:long`,
// and as much as anybody asked for with `npm run test:release`. Knows no test.
import type { TestContext } from 'vitest'
import { isRelease } from './release-size.ts'

/** Whether this run takes the sizes of a long run, or of a release (`CAIRN_LONG`). */
export const isLong = isRelease || process.env['CAIRN_LONG'] === '1'

/**
 * What a test takes at a commit, in a long run, and before a release (as in a long run where it says nothing): numbers
 * of rows, rounds, cases, or the cases themselves.
 */
export function sized<T>(commit: T, long: T, release: T = long): T {
  if (isRelease) return release
  return isLong ? long : commit
}

/** Leaves a test to the long run, with that as the reason people read. */
export function onlyInLongRun(test: TestContext): void {
  if (!isLong) test.skip('takes long: npm run test:long') // reason: tiers of the design
}

/**
 * Whether the one of this number is among what a long run takes today: one of so many neighbours each day, each in its turn.
 * @param day days since 1970, UTC; what runs over midnight has one part all along where it asks once
 */
export function isOnTurn(index: number, neighbours: number, day: number = today): boolean {
  return (index + day) % neighbours === 0
}

/** Days since 1970 at the start of this file of tests. */
export const today: number = Math.floor(Date.now() / 86_400_000)
