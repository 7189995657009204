// Takes a job back, last slice first: created records are purged, updated ones get their earlier values where nobody
// changed them since. Doing a slice twice does no harm, so progress is stored after it.
import { isDeepStrictEqual } from 'node:util'
import { notFound } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BulkItem, PlatformRecord } from '#main/plugins/data/api.ts'
import { putSlice, sliceBefore, slicesAfter, updateJob } from '../store.ts'
import type { JobRow, Slice } from '../store.ts'
import { isConcealed } from '#shared/field-types/registry.ts'
import type { PhaseParts } from './phase.ts'
import { sealOf } from './change-watch.ts'
import { errorsOf, withoutValues } from './row-outcome.ts'
import type { RowChanges, RowError, RowOutcome } from './row-outcome.ts'

/** What undoing one slice works with. */
interface UndoRun {
  readonly parts: PhaseParts
  readonly ctx: RequestContext
  readonly schema: ObjectSchema
  /** Records this undo has written itself: their newer version is no change of somebody else. */
  readonly restored: Set<string>
  /** What stays, by row. */
  readonly kept: Map<number, RowError[]>
}

const bulkOptions = { atomic: false, returnRecords: false, continueOnError: true, validateOnly: false }

/** Records asked for in one call; it ends its transactions by time. Their words leave the search index at the end. */
const purgedAtOnce = 200

/**
 * Undoes the slices that are left.
 * @param interrupted asked before each slice; true ends the work, which can go on later
 * @returns whether every slice is undone
 */
export async function runUndoPhase(
  parts: PhaseParts,
  ctx: RequestContext,
  job: JobRow,
  interrupted: () => boolean,
): Promise<boolean> {
  const schema = parts.metadata.objectSchema(job.object)
  if (schema === undefined) throw notFound('object', job.object)
  const restored = restoredBefore(parts, job)
  let before = job.undo_before
  let counts = {
    processed: job.undo_processed,
    purged: job.undo_purged,
    restored: job.undo_restored,
    kept: job.undo_kept,
  }
  for (;;) {
    if (interrupted()) return false
    const slice = sliceBefore(parts.read, job.seq, before)
    if (slice === undefined) {
      await parts.search()?.clearStale(schema)
      return true
    }
    const run: UndoRun = { parts, ctx, schema, restored, kept: new Map() }
    const updates = slice.outcomes.filter(({ operation, id }) => operation === 'update' && id !== undefined)
    const creates = slice.outcomes.filter(({ operation, id }) => operation === 'create' && id !== undefined)
    for (const group of lastFirst(updates)) await restore(run, group)
    await purge(run, creates)
    const outcomes = slice.outcomes.map((outcome): RowOutcome =>
      outcome.operation === 'create' || outcome.operation === 'update'
        ? // A slice is undone once: what it changed is not needed again, and may be of records that are gone (D-59).
          { ...withoutValues(outcome), kept: run.kept.get(outcome.row) ?? [] }
        : outcome,
    )
    const keptOf = (list: readonly RowOutcome[]): number => list.filter(({ row }) => run.kept.has(row)).length
    counts = {
      processed: counts.processed + updates.length + creates.length,
      purged: counts.purged + creates.length - keptOf(creates),
      restored: counts.restored + updates.length - keptOf(updates),
      kept: counts.kept + run.kept.size,
    }
    before = slice.firstRow
    const firstRow = before
    const progress = {
      undo_before: firstRow,
      undo_processed: counts.processed,
      undo_purged: counts.purged,
      undo_restored: counts.restored,
      undo_kept: counts.kept,
    }
    await parts.write('import.undo', (tx) => {
      putSlice(tx, job.seq, firstRow, outcomes)
      updateJob(tx, job.seq, progress)
    })
  }
}

/** Records that an earlier part of this undo has restored wholly. */
function restoredBefore(parts: PhaseParts, job: JobRow): Set<string> {
  const ids = new Set<string>()
  if (job.undo_before === null) return ids
  let slices: Slice[]
  let row = job.undo_before - 1
  while ((slices = slicesAfter(parts.read, job.seq, row, 'updated', 50)).length > 0) {
    for (const { outcomes } of slices) {
      for (const { operation, id, kept } of outcomes)
        if (operation === 'update' && id !== undefined && kept?.length === 0) ids.add(id)
    }
    row = slices.at(-1)!.lastRow
  }
  return ids
}

/** Groups in which no record occurs twice, the latest change of each record first. */
function lastFirst(outcomes: readonly RowOutcome[]): RowOutcome[][] {
  const groups: RowOutcome[][] = []
  let ids = new Set<string>()
  for (const outcome of outcomes.toReversed()) {
    if (groups.length === 0 || ids.has(outcome.id!)) {
      groups.push([])
      ids = new Set()
    }
    ids.add(outcome.id!)
    groups.at(-1)!.push(outcome)
  }
  return groups
}

async function restore(run: UndoRun, group: readonly RowOutcome[]): Promise<void> {
  const records = await findRecords(run, group)
  const items: BulkItem[] = []
  const rows: RowOutcome[] = []
  for (const outcome of group) {
    const record = records.get(outcome.id!)
    const { data, kept } = earlierValues(run.schema, record, outcome.changes ?? {})
    if (kept.length > 0) run.kept.set(outcome.row, kept)
    if (record === undefined || Object.keys(data).length === 0) {
      if (kept.length === 0) run.restored.add(outcome.id!)
      continue
    }
    items.push({ id: outcome.id!, data, expectedVersion: record['updated_at'] as string })
    rows.push(outcome)
  }
  if (items.length === 0) return
  const input = { object: run.schema.name, records: items, options: bulkOptions, maxRecords: items.length }
  const { results } = await run.parts.data.bulk(run.ctx, { ...input, operation: 'update' })
  results.forEach((result, at) => {
    const { id, row } = rows[at]!
    if (!result.success) run.kept.set(row, [...(run.kept.get(row) ?? []), ...errorsOf(result)])
    else run.restored.add(id!)
  })
}

/** The values to set back, and what somebody else has changed since. */
function earlierValues(
  schema: ObjectSchema,
  record: PlatformRecord | undefined,
  changes: RowChanges,
): { data: Record<string, unknown>; kept: RowError[] } {
  const data: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if (record === undefined || (record['deleted_at'] ?? null) !== null) {
    const kept = [{ code: 'resource_not_found', message: 'The record was deleted since.' }]
    return { data, kept: Object.keys(changes).length === 0 ? [] : kept }
  }
  const kept: RowError[] = []
  for (const [name, [before, after]] of Object.entries(changes)) {
    const field = schema.byName.get(name)
    if (field === undefined) kept.push({ field: name, code: 'unknown_field', message: 'The field is gone.' })
    else if (isConcealed(field))
      kept.push({ field: name, code: 'not_allowed', message: 'Earlier values of secret fields are not kept.' })
    else if (isDeepStrictEqual(record[name], before)) continue
    else if (isDeepStrictEqual(record[name], after)) data[name] = before
    else kept.push({ field: name, code: 'CONCURRENT_UPDATE', message: 'Somebody changed the value since.' })
  }
  return { data, kept }
}

/** Purges what nobody changed; what others of the job still hold on to is tried again once those are gone. */
async function purge(run: UndoRun, created: readonly RowOutcome[]): Promise<void> {
  let left = created
  for (let before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length
    left = await purgeOnce(run, left)
  }
}

/** Answers the rows that may be purged later. */
async function purgeOnce(run: UndoRun, created: readonly RowOutcome[]): Promise<RowOutcome[]> {
  const sealed = created.some(({ seal }) => seal !== undefined)
  const records = await findRecords(run, created, sealed ? undefined : ['created_at', 'updated_at', 'updated_by'])
  const byEngine = changedByEngine(run, records)
  const rows: RowOutcome[] = []
  // The latest first: rows mostly point at earlier ones.
  for (const outcome of created.toReversed()) {
    const record = records.get(outcome.id!)
    run.kept.delete(outcome.row)
    if (record === undefined) continue
    if (isUntouched(run, outcome, record) || byEngine.has(outcome.id!)) rows.push(outcome)
    else run.kept.set(outcome.row, [{ code: 'CONCURRENT_UPDATE', message: 'Somebody changed the record since.' }])
  }
  const later: RowOutcome[] = []
  for (let start = 0; start < rows.length; start += purgedAtOnce) {
    const part = rows.slice(start, start + purgedAtOnce)
    const items = part.map(({ id }): BulkItem => {
      return { id: id!, expectedVersion: records.get(id!)!['updated_at'] as string }
    })
    const input = {
      object: run.schema.name,
      records: items,
      options: bulkOptions,
      purge: true,
      clearsSearch: true,
    } as const
    const { results } = await run.parts.data.bulk(run.ctx, { ...input, operation: 'delete' })
    results.forEach((result, at) => {
      const code = result.errors?.[0]?.code
      // Gone meanwhile, for example together with the record it belonged to.
      if (result.success || code === 'resource_not_found') return
      run.kept.set(part[at]!.row, errorsOf(result))
      if (code === 'delete_restricted' || code === 'CONCURRENT_UPDATE') later.push(part[at]!)
    })
  }
  return later.toReversed()
}

/** Records that the engine wrote last, and nobody else since they were made: it may have written over somebody's name. */
function changedByEngine({ parts, schema }: UndoRun, records: ReadonlyMap<string, PlatformRecord>): Set<string> {
  const ids = Array.from(records).flatMap(([id, record]) => (record['updated_by'] === 'system' ? [id] : []))
  if (ids.length === 0) return new Set()
  const changed = parts.feed()?.changedByPeople(parts.read, schema.name, ids) ?? new Set(ids)
  return new Set(ids.filter((id) => !changed.has(id)))
}

/** Whether nobody but this job and its undo wrote the record; what is deleted may go for good. */
function isUntouched(run: UndoRun, { id, seal }: RowOutcome, record: PlatformRecord): boolean {
  return (
    record['updated_at'] === record['created_at'] ||
    run.restored.has(id!) ||
    (seal !== undefined && seal === sealOf(run.schema, record)) ||
    (record['deleted_at'] ?? null) !== null
  )
}

/** The records of a group as they are now, deleted ones too. */
async function findRecords(
  run: UndoRun,
  outcomes: readonly RowOutcome[],
  select?: readonly string[],
): Promise<Map<string, PlatformRecord>> {
  const { records } = await run.parts.data.find(run.ctx, run.schema.name, {
    filter: { id: { $in: outcomes.map(({ id }) => id) } },
    deleted: 'include',
    top: Math.max(outcomes.length, 1),
    ...(select === undefined ? {} : { select }),
  })
  return new Map(records.map((record) => [record['id'] as string, record]))
}
