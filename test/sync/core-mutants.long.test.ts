// The suite is worth what it catches: each mistake of the design's list, put into the model, has to be found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertOutcome } from '../support/sync-model/oracle.ts'
import { runSchedule, schedules } from '../support/sync-model/schedule.ts'
import { mutants } from '../support/sync-model/strategies.ts'

const LIMIT_MS = 60_000

describe('a mistake is caught within a minute', () => {
  it.each(Object.entries(mutants))(
    '%s',
    (name, strategy) => {
      const property = fc.property(schedules(true), (schedule) => {
        assertOutcome(runSchedule(schedule, strategy))
      })
      const started = performance.now()
      const found = fc.check(property, { numRuns: 100_000, endOnFailure: true, interruptAfterTimeLimit: LIMIT_MS })
      const ms = Math.round(performance.now() - started)
      console.log(`${name}: schedule ${found.numRuns} in ${ms} ms: ${reasonOf(found.errorInstance)}`)
      expect(found.counterexample).not.toBeNull()
      expect(ms).toBeLessThan(LIMIT_MS)
    },
    LIMIT_MS + 20_000,
  )
})

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : 'not found'
}
