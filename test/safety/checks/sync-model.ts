// Random histories of several machines (R28s): what people do, and what networks, relays, clocks and disks do to them. At
// rest all machines are equal, and hold exactly what follows from who had seen what.
import fc from 'fast-check'
import { judgeIncarnation } from '#main/replication/channel/incarnation.ts'
import { createPool } from '../../support/sync-model/host-machine.ts'
import type { MachineRules } from '../../support/sync-model/host-machine.ts'
import { assertHosts } from '../../support/sync-model/host-oracle.ts'
import { runHostSchedule } from '../../support/sync-model/host-run.ts'
import { hostSchedules } from '../../support/sync-model/host-steps.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** A machine whose database was put back goes on as if nothing had happened. */
const forgetful: MachineRules = {
  judge: (facts) => {
    const { database, device } = facts
    return database?.device === device ? { keep: true, inc: database.inc } : judgeIncarnation(facts)
  },
}

/** Histories after which machines differ from each other or from what they had seen; stops at the first. */
async function countBrokenHistories(context: CheckContext, rules?: MachineRules): Promise<number> {
  const wanted = { commit: 20, nightly: 60, release: 2_000 }[context.size]
  const machines = rules === undefined ? 7 : 3
  const pool = await createPool(machines, rules)
  try {
    const run = fc.asyncProperty(hostSchedules({ restores: true }), async (schedule) => {
      assertHosts(await runHostSchedule(pool, schedule))
    })
    // A mistake is looked for until it is found.
    const numRuns = rules === undefined ? wanted : 20 * wanted
    const found = await fc.check(run, { numRuns, seed: context.seed, endOnFailure: true })
    context.log(`${found.numRuns} histories, seed ${found.seed}`)
    if (!found.failed) return 0
    context.log(`${String(found.errorInstance)}: ${JSON.stringify(found.counterexample?.[0])}`)
    return 1
  } finally {
    for (const machine of pool) await machine.stop()
  }
}

defineCheck({
  id: 'R28s',
  file: 'sync-faults',
  stage: 3,
  unit: 'random histories of machines that sync after which they are not equal, or not what they had seen',
  target: 0,
  run: (context) => countBrokenHistories(context),
  twin: (context) => countBrokenHistories(context, forgetful),
})
