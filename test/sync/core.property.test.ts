// Schedules of edits, wrong clocks, losses, repetitions and restored databases over the document layer: at rest all
// machines have the same contents, and exactly those that follow from who had seen what.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertOutcome } from '../support/sync-model/oracle.ts'
import { runSchedule, schedules } from '../support/sync-model/schedule.ts'
import { faithful } from '../support/sync-model/strategies.ts'
import { sized } from '../support/test-size.ts'

const runs = sized(200, 2_000, 10_000)

describe('machines at rest', () => {
  it.each([
    ['any schedule', false],
    ['many restored databases', true],
  ])(
    'agree with each other and with what they had seen: %s',
    (name, restores) => {
      const count = { steps: 0, envelopes: 0, concurrent: 0, decoded: 0, merged: 0, waited: 0 }
      const property = fc.property(schedules(restores), (schedule) => {
        const outcome = runSchedule(schedule, faithful)
        count.steps += schedule.steps.length
        count.envelopes += outcome.envelopes.length
        for (const way of ['decoded', 'merged', 'waited'] as const) count[way] += outcome.ways[way]
        count.concurrent += assertOutcome(outcome)
      })
      const started = performance.now()
      fc.assert(property, { numRuns: runs })
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${name}: ${runs} schedules in ${seconds} s, ${JSON.stringify(count)}`)
      // A schedule that goes no way proves nothing.
      for (const times of Object.values(count)) expect(times).toBeGreaterThan(runs / 10)
    },
    sized(60_000, 3_600_000),
  )
})
