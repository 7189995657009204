// The jobs as callers see them: who may see which, and which state allows which action. The work itself is the runner's.
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction, requireOpenRecords } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import type { ImportJobs, ImportResultFilter, ImportResultPage } from '../api.ts'
import { getJob, insertJob, jobObjects, listJobs, openJobs, slicesAfter, updateJob } from '../store.ts'
import type { Counts, JobRow, Slice } from '../store.ts'
import { stagedName } from './phase.ts'
import type { JobRunner } from './job-runner.ts'
import { keyOf, optionsOf, storeCaller, viewJob, viewOutcome } from './job-view.ts'
import type { RowOutcome } from './row-outcome.ts'
import { importContext, importedObject } from './direct.ts'
import { createRowPlan } from './row-plan.ts'
import type { PlanParts } from './row-plan.ts'
import type { Staging } from './staging.ts'

/** What the jobs work with. */
export interface JobParts extends PlanParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly runner: JobRunner
  readonly staging: Staging
  authorizer(): Authorizer
}

/** Jobs per page and results per page, with their largest (D-14). */
const pageSizes = { jobs: [50, 200], results: [100, 1_000] } as const

/** Jobs that wait or run at most. */
const maxOpenJobs = 50

/** An action waits this long for its effect before it answers. */
const effectMs = 3_000

/** Makes the jobs of one host. */
export function createImportJobs(parts: JobParts): ImportJobs {
  const { read, write, runner } = parts

  const isImportable = (ctx: RequestContext, object: string): boolean =>
    (['read', 'create', 'edit'] as const).every((action) => parts.authorizer().canObject(ctx, object, action))

  /** A narrowed key sees what it began and what is over objects it may read and write, not all of its maker's (D-393). */
  const isSeen = (ctx: RequestContext, job: JobRow): boolean => {
    if (parts.authorizer().isUnrestricted(ctx)) return true
    const key = narrowedKey(ctx)
    return job.actor_id === ctx.actor.id && (key === null || key === keyOf(job) || isImportable(ctx, job.object))
  }

  const find = (ctx: RequestContext, jobId: string): JobRow => {
    requireOpenRecords(parts.authorizer(), ctx)
    const job = getJob(read, jobId)
    if (job === undefined || !isSeen(ctx, job)) throw notFound('import_job', jobId)
    return job
  }

  /** Changes a job between two slices; `decide` refuses or names the new columns. */
  const change = async (
    ctx: RequestContext,
    jobId: string,
    decide: (job: JobRow) => Partial<Omit<JobRow, 'seq' | 'id'>>,
    tell?: (tx: Tx, job: JobRow) => void,
  ): Promise<void> => {
    decide(find(ctx, jobId))
    await runner.still(jobId, () =>
      write('import.change', (tx) => {
        const job = getJob(tx, jobId)
        if (job === undefined) throw notFound('import_job', jobId)
        updateJob(tx, job.seq, decide(job))
        tell?.(tx, job)
      }),
    )
  }

  return {
    async create(ctx, input) {
      const { jobId, object, total, ...options } = input
      importedObject(parts, ctx, input)
      if (openJobs(read).length >= maxOpenJobs) throw platformError('conflict', { reason: 'too_many_jobs' })
      // Columns and match fields that fit nothing are refused before anything is stored.
      createRowPlan(parts, ctx, { ...input, fromSheet: input.format === 'xlsx' })
      await write('import.create', (tx) => {
        insertJob(tx, {
          id: jobId,
          object,
          total,
          options: JSON.stringify(options),
          caller: storeCaller(ctx),
          actor_id: ctx.actor.id,
          created_at: parts.clock.iso(),
        })
        if (!input.dryRun) {
          const payload = { jobId, format: input.format, rows: total }
          tx.emit(importContext(ctx, input), { type: 'import.started', object, payload })
        }
      })
      const job = viewJob(getJob(read, jobId)!)
      runner.wake()
      return job
    },

    list(ctx, filter) {
      requireOpenRecords(parts.authorizer(), ctx)
      const actorId = parts.authorizer().isUnrestricted(ctx) ? null : ctx.actor.id
      const [standard, largest] = pageSizes.jobs
      const page = { limit: pageSize('limit', filter.limit, standard, largest), offset: filter.offset ?? 0 }
      const key = narrowedKey(ctx)
      const objects = key === null ? [] : jobObjects(read, ctx.actor.id).filter((one) => isImportable(ctx, one))
      const { rows, total } = listJobs(read, actorId, key === null ? null : { key, objects }, { ...filter, ...page })
      return { jobs: rows.map(viewJob), total }
    },

    get: (ctx, jobId) => viewJob(find(ctx, jobId)),

    results: (ctx, jobId, filter) => readResults(read, find(ctx, jobId), filter),

    async cancel(ctx, jobId) {
      await change(ctx, jobId, (job) => {
        if (job.phase === 'undo' || !isOpen(job)) throw refuseState(job)
        return { status: 'cancelled', paused: 0, completed_at: parts.clock.iso() }
      })
      await parts.staging.forget(stagedName(jobId))
      return viewJob(find(ctx, jobId))
    },

    async pause(ctx, jobId) {
      await change(ctx, jobId, (job) => {
        if (!isOpen(job) || job.paused === 1) throw refuseState(job)
        return { status: 'pending', paused: 1 }
      })
      return viewJob(find(ctx, jobId))
    },

    async resume(ctx, jobId) {
      await change(ctx, jobId, (job) => {
        if (!isOpen(job) || job.paused === 0) throw refuseState(job)
        return { paused: 0 }
      })
      return viewJob(find(ctx, jobId))
    },

    async undo(ctx, jobId) {
      const decide = (job: JobRow) => {
        const undone = job.status === 'undone' || isOpen(job) || optionsOf(job).dryRun
        if (undone) throw refuseState(job)
        if (job.created > 0) requireObjectAction(parts.authorizer(), ctx, job.object, 'purge')
        if (job.updated > 0) requireObjectAction(parts.authorizer(), ctx, job.object, 'edit')
        return { status: 'pending', phase: 'undo', caller: storeCaller(ctx), error: null } as const
      }
      await change(ctx, jobId, decide, (tx, { object }) =>
        tx.emit(importContext(ctx, { runAutomations: true }), { type: 'import.undone', object, payload: { jobId } }),
      )
      await runner.settled(jobId, effectMs)
      return viewJob(find(ctx, jobId))
    },
  }
}

function isOpen(job: JobRow): boolean {
  return job.status === 'pending' || job.status === 'running'
}

function refuseState(job: JobRow): Error {
  const undoing = job.phase === 'undo' && isOpen(job) ? { undoing: true } : {}
  return platformError('conflict', { reason: 'state', status: job.status, paused: job.paused === 1, ...undoing })
}

const operations = { failed: 'fail', created: 'create', updated: 'update', skipped: 'skip' } as const

/** Rows after the cursor, in order. The cursor is the number of the last row that was read. @throws validation_error */
function readResults(read: Reads, job: JobRow, filter: ImportResultFilter): ImportResultPage {
  const { only } = filter
  const [standard, largest] = pageSizes.results
  const limit = pageSize('limit', filter.limit, standard, largest)
  let after = readCursor(filter.cursor)
  const isWanted = ({ row, operation, kept }: RowOutcome): boolean =>
    row > after && (only === undefined || (only === 'kept' ? (kept?.length ?? 0) > 0 : operation === operations[only]))
  const found: RowOutcome[] = []
  let slices: Slice[]
  const counted: keyof Counts | undefined = only
  while (found.length <= limit && (slices = slicesAfter(read, job.seq, after, counted, 20)).length > 0) {
    for (const { outcomes } of slices) found.push(...outcomes.filter(isWanted))
    after = slices.at(-1)!.lastRow
  }
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  return {
    jobId: job.id,
    results: page.map(viewOutcome),
    ...(hasMore ? { nextCursor: String(page.at(-1)!.row) } : {}),
    hasMore,
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw validationError([{ field: 'cursor', code: 'invalid_format', message: 'The cursor is none of this list.' }])
}

function pageSize(field: string, given: number | undefined, standard: number, largest: number): number {
  if (given === undefined) return standard
  if (given >= 1 && given <= largest) return given
  const code = given < 1 ? 'min_value' : 'max_value'
  const constraint = given < 1 ? 1 : largest
  throw validationError([{ field, code, message: `The page size is 1 to ${largest}.`, constraint }])
}
