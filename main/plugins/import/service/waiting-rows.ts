// Rows of a job that name records of their own object which come later in the file: once every row was read, they are
// tried again until none of them finds its record any more. Works on what is stored, so it may begin anew at any time.
import type { Tx } from '#main/kernel/database.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { correctCounts, countOutcomes, getSlice, putSlice, slicesAfter } from '../store.ts'
import type { JobRow, Slice } from '../store.ts'
import { requestIdOf } from './job-view.ts'
import { stagedName } from './phase.ts'
import type { PhaseParts } from './phase.ts'
import type { RowOutcome } from './row-outcome.ts'
import { sliceSize } from './row-plan.ts'
import type { RowPlan } from './row-plan.ts'

/** A chain of rows, each naming the next, may be this long when every row comes before the one it names. */
const maxPasses = 100

/**
 * Tries waiting rows again; answers false when it was interrupted.
 * @param planned the plan of a pass
 */
export async function retryWaiting(
  parts: PhaseParts,
  ctx: RequestContext,
  job: JobRow,
  interrupted: () => boolean,
  planned: () => RowPlan,
): Promise<boolean> {
  let before = Infinity
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const waiting = countWaiting(parts, job)
    if (waiting === 0 || waiting >= before) return true
    before = waiting
    if (!(await retryOnce(parts, ctx, job, interrupted, planned()))) return false
  }
  return true
}

function countWaiting(parts: PhaseParts, job: JobRow): number {
  let count = 0
  let row = 0
  let slices: Slice[]
  while ((slices = slicesAfter(parts.read, job.seq, row, 'failed', 50)).length > 0) {
    for (const { outcomes } of slices) count += outcomes.filter(({ waits }) => waits === true).length
    row = slices.at(-1)!.lastRow
  }
  return count
}

async function retryOnce(
  parts: PhaseParts,
  ctx: RequestContext,
  job: JobRow,
  interrupted: () => boolean,
  plan: RowPlan,
): Promise<boolean> {
  const watch = parts.watches.watch(requestIdOf(job.id), plan.schema)
  let first = 1
  try {
    for await (const { rows } of parts.staging.read(stagedName(job.id), 0, sliceSize)) {
      if (interrupted()) return false
      const slice = getSlice(parts.read, job.seq, first)
      const waiting = slice?.outcomes.filter(({ waits }) => waits === true).map(({ row }) => row) ?? []
      if (slice !== undefined && waiting.length > 0) {
        const cells = waiting.map((row) => ({ row, cells: rows[row - slice.firstRow]! }))
        let stored = slice.outcomes
        const store = (tx: Tx, outcomes: readonly RowOutcome[]): void => {
          const fresh = new Map(outcomes.map((outcome) => [outcome.row, outcome]))
          // Read again: a record of another row may have been purged meanwhile.
          const current = getSlice(tx, job.seq, slice.firstRow)?.outcomes ?? stored
          const all = current.map((outcome) => fresh.get(outcome.row) ?? outcome)
          putSlice(tx, job.seq, slice.firstRow, all)
          watch.clear()
          correctCounts(tx, job.seq, difference(all, stored))
          tx.afterCommit(() => (stored = all))
        }
        const { outcomes, recorded } = await plan.write(ctx, cells, { written: store, watch })
        if (!recorded) await parts.write('import.waiting', (tx) => store(tx, outcomes))
      }
      first += rows.length
    }
  } finally {
    watch.stop()
  }
  return true
}

function difference(after: readonly RowOutcome[], before: readonly RowOutcome[]): ReturnType<typeof countOutcomes> {
  const [now, then] = [countOutcomes(after), countOutcomes(before)]
  return {
    created: now.created - then.created,
    updated: now.updated - then.updated,
    skipped: now.skipped - then.skipped,
    failed: now.failed - then.failed,
    kept: now.kept - then.kept,
  }
}
