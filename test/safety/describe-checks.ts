// Turns the registered checks of one group into tests: the figure meets its target, and its twin misses it.
// Knows the registry and vitest; a test file of a group is one call of this.
import { describe, expect, it } from 'vitest'
import { describeTarget, loadChecks, meetsTarget } from './registry.ts'
import type { CheckContext, CheckRun, SafetyCheck } from './registry.ts'

/** Declares the tests of the checks whose `file` is this group; call it with await at the top of the test file. */
export async function describeChecks(file: string): Promise<void> {
  const checks = (await loadChecks()).filter((check) => check.file === file)
  if (checks.length === 0) throw new Error(`no check is registered for ${file}`)
  describe(`safety: ${file}`, () => {
    for (const check of checks) {
      // Skipping is for machines where a check cannot run; the check itself names what is missing, and that is the reason shown.
      it(`${check.id} is ${describeTarget(check.target)} ${check.unit}`, async (test) => {
        const value = await measure(check, check.run, (reason) => test.skip(reason)) // reason: the check names what this machine lacks
        expect(meetsTarget(check.target, value), `${check.id}=${value}`).toBe(true)
      })
      it(`${check.id} turns red without its guard`, async (test) => {
        const value = await measure(check, check.twin, (reason) => test.skip(reason)) // reason: the check names what this machine lacks
        expect(meetsTarget(check.target, value), `${check.id} without its guard is ${value}`).toBe(false)
      })
    }
  })
}

async function measure(check: SafetyCheck, run: CheckRun, skip: (reason: string) => never): Promise<number> {
  const result = await run(commitContext(check.id))
  return typeof result === 'number' ? result : skip(result.skipped)
}

function commitContext(id: string): CheckContext {
  return { size: 'commit', seed: 1, log: (line) => process.stderr.write(`${id}: ${line}\n`) }
}
