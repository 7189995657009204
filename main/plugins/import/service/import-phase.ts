// The work of a job: staged rows become records, slice by slice. What became of a slice and how far the job is are stored
// in the transaction that writes its rows, so that a job goes on after any end of the process without a row twice.
import type { Tx } from '#main/kernel/database.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { advanceJob, countOutcomes, getSlice, putSlice } from '../store.ts'
import type { JobRow } from '../store.ts'
import type { ChangeWatches } from './change-watch.ts'
import { mapColumns, readingRight } from './columns.ts'
import { optionsOf, requestIdOf } from './job-view.ts'
import type { StoredOptions } from './job-view.ts'
import { collectMissingOptions } from './missing-options.ts'
import type { NewOptions } from './missing-options.ts'
import { stagedName } from './phase.ts'
import type { PhaseParts } from './phase.ts'
import type { RowOutcome } from './row-outcome.ts'
import { createRowPlan, sliceSize } from './row-plan.ts'
import type { RowPlan } from './row-plan.ts'
import { derivesValues } from './change-watch.ts'
import { retryWaiting } from './waiting-rows.ts'

/**
 * Writes the rows that are left.
 * @param interrupted asked before each slice; true ends the work, which can go on later
 * @returns whether every row is processed
 */
export async function runImportPhase(
  parts: PhaseParts,
  ctx: RequestContext,
  job: JobRow,
  interrupted: () => boolean,
): Promise<boolean> {
  const { metadata, staging, read } = parts
  const options = optionsOf(job)
  // What a dry run would add is found again where it goes on.
  const newOptions =
    options.createMissingOptions && (options.dryRun || job.processed === 0)
      ? await addOptions(parts, ctx, job, options)
      : undefined
  const planned = (): RowPlan =>
    createRowPlan(parts, ctx, { ...options, object: job.object, fromSheet: options.format === 'xlsx' }, newOptions)
  let plan: RowPlan | undefined
  let watch: ReturnType<ChangeWatches['watch']> | undefined
  let { processed } = job
  try {
    for await (const { rows, end } of staging.read(stagedName(job.id), job.position, sliceSize)) {
      if (interrupted()) return false
      if (plan === undefined || metadata.objectSchema(job.object) !== plan.schema) {
        plan = planned()
        watch?.stop()
        const needed = options.writeMode !== 'insert' || derivesValues(plan.schema)
        watch = needed ? parts.watches.watch(requestIdOf(job.id), plan.schema) : undefined
      }
      const first = processed + 1
      // Rows that were written before the process ended in the middle of a slice.
      const done = processed === job.processed ? (getSlice(read, job.seq, first)?.outcomes ?? []) : []
      const doneRows = new Set(done.map((outcome) => outcome.row))
      const left = rows.map((cells, at) => ({ row: first + at, cells })).filter(({ row }) => !doneRows.has(row))
      const store = (tx: Tx, outcomes: readonly RowOutcome[], complete: boolean): void => {
        // Read again: a record of an earlier part may have been purged meanwhile.
        const before = done.length === 0 ? [] : (getSlice(tx, job.seq, first)?.outcomes ?? [])
        const all = [...before.filter(({ row }) => doneRows.has(row)), ...outcomes]
        putSlice(tx, job.seq, first, all)
        watch?.clear()
        if (complete) advanceJob(tx, job.seq, { rows: rows.length, position: end, counts: countOutcomes(all) })
      }
      const { outcomes, recorded } = await plan.write(ctx, left, { written: store, watch })
      if (!recorded) await parts.write('import.slice', (tx) => store(tx, outcomes, true))
      processed += rows.length
    }
  } finally {
    watch?.stop()
  }
  // Only the plan of a dry run knows the rows that would be records.
  return retryWaiting(parts, ctx, job, interrupted, options.dryRun && plan !== undefined ? () => plan! : planned)
}

/** Reads all rows once to find the options that choice fields are missing; a dry run answers them. */
async function addOptions(
  parts: PhaseParts,
  ctx: RequestContext,
  job: JobRow,
  options: StoredOptions,
): Promise<NewOptions | undefined> {
  const schema = parts.metadata.objectSchema(job.object)
  if (schema === undefined) return undefined
  const columns = mapColumns(
    schema,
    options.columns,
    options.mapping,
    readingRight(parts.authorizer(), ctx, schema.name),
  )
  const missing = collectMissingOptions(schema, columns, options.nullValues)
  for await (const { rows } of parts.staging.read(stagedName(job.id), 0, 1_000)) missing.add(rows)
  if (options.dryRun) return missing.foretold(parts.authorizer(), ctx)
  await missing.save(parts.metadata, ctx)
  return undefined
}
