// Turns the registered checks of one group into tests: the figure meets its target, and its twin misses it.
// Knows the registry and vitest; a test file of a group is one call of this.
import { describe, expect, it } from 'vitest'
import { isRelease } from '../support/release-size.ts'
import { isLong, isOnTurn, sized } from '../support/test-size.ts'
import { describeTarget, loadChecks, meetsTarget } from './registry.ts'
import type { CheckRun, CheckSize, SafetyCheck } from './registry.ts'
import { markOf, readTwinMarks } from './twin-marks.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What `twin-marks.json` keeps of a twin that missed its target: id of the check, mark of its sources. */
    twinMark?: readonly [id: string, mark: string]
  }
}

/**
 * Declares the tests of the checks whose `file` is this group; call it with await at the top of the test file.
 * At a commit checks of tier c run, and twins whose sources changed since they were seen to miss; a long run takes the
 * checks of tier n as well and every third of the other twins, by turns of the day; that of a release takes all.
 */
export async function describeChecks(file: string): Promise<void> {
  const all = await loadChecks()
  const checks = all.filter((check) => check.file === file)
  if (checks.length === 0) throw new Error(`no check is registered for ${file}`)
  const marks = readTwinMarks()
  describe(`safety: ${file}`, () => {
    for (const check of checks) {
      // Skipping is for machines where a check cannot run; the check itself names what is missing, and that is the reason shown.
      it(`${check.id} is ${describeTarget(check.target)} ${check.unit}`, async (test) => {
        if (!isLong && check.tier === 'n') test.skip('takes minutes: npm run test:long') // reason: tiers of the design
        const skip = (reason: string): never => test.skip(reason) // reason: the check names what this machine lacks
        const value = await measure(check, check.run, sized('commit', 'nightly', 'release'), skip)
        expect(meetsTarget(check.target, value), `${check.id}=${value}`).toBe(true)
      })
      const mark = markOf(check.module)
      const isDue = marks[check.id] !== mark
      if (!isDue && !isRelease && !(isLong && isOnTurn(all.indexOf(check), 3))) continue
      it(`${check.id} turns red without its guard`, async (test) => {
        const value = await measure(check, check.twin, 'commit', (reason) => test.skip(reason)) // reason: the check names what this machine lacks
        expect(meetsTarget(check.target, value), `${check.id} without its guard is ${value}`).toBe(false)
        test.task.meta.twinMark = [check.id, mark]
      })
    }
  })
}

async function measure(
  { id }: SafetyCheck,
  run: CheckRun,
  size: CheckSize,
  skip: (reason: string) => never,
): Promise<number> {
  const result = await run({ size, seed: 1, log: (line) => process.stderr.write(`${id}: ${line}\n`) })
  return typeof result === 'number' ? result : skip(result.skipped)
}
