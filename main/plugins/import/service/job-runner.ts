// Runs jobs one after the other, in the order they came; holds one still where its state is to change.
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError, platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { advanceJob, countOutcomes, getSlice, openJobs, updateJob } from '../store.ts'
import type { JobRow } from '../store.ts'
import { runImportPhase } from './import-phase.ts'
import { contextOf } from './job-view.ts'
import { stagedName } from './phase.ts'
import type { PhaseParts } from './phase.ts'
import { runUndoPhase } from './undo-phase.ts'

/** Runs the jobs of one host. */
export interface JobRunner {
  /** Removes what the last end of the process has left in the folder of staged files; before any request is taken. */
  tidy(): void
  /** Looks for work; does nothing before `start`. */
  wake(): void
  /** Goes on with the jobs that the last end of the process has cut off. */
  start(): void
  /** Runs `change` while the job is not being worked on; it stops between two slices. */
  still<T>(jobId: string, change: () => Promise<T>): Promise<T>
  /** Resolves when the job has no work left or the time is over. */
  settled(jobId: string, limitMs: number): Promise<void>
  /** Ends the work after the present slice; it goes on at the next start. */
  stop(): Promise<void>
}

/** What the runner works with. */
export interface RunnerParts extends PhaseParts {
  readonly clock: Clock
  readonly log: Logger
}

/** Pause before a write that could not be stored is tried again. */
const retryMs = 2_000

const rowsLost =
  'The rows that were not stored yet are gone with the machine that had them. What was stored is there: undo it and import again.'

/** Makes a runner. */
export function createJobRunner(parts: RunnerParts): JobRunner {
  const { read, write, clock, log, staging } = parts
  const abort = new AbortController()
  const held = new Map<string, number>()
  let started = false
  let current: { readonly id: string; readonly done: Promise<void> } | undefined

  const interrupted = (id: string): boolean => abort.signal.aborted || held.has(id)

  /** Rights outlive an account that is shut out, gone or no member, and a key that is revoked; what they began does not. */
  const requirePresent = ({ actor: { id: userId }, credentialId: keyId, organizationId }: RequestContext): void => {
    const reason = absenceOf(parts.auth(), userId, { organizationId, keyId })
    if (reason !== undefined) throw platformError('permission_denied', { reason })
  }

  const finish = async (job: JobRow, columns: Partial<JobRow>): Promise<void> => {
    await write('import.finish', (tx) => updateJob(tx, job.seq, columns))
    if (job.phase === 'import') await staging.forget(stagedName(job.id))
  }

  const work = async (job: JobRow): Promise<void> => {
    const now = clock.iso()
    await write('import.begin', (tx) =>
      updateJob(tx, job.seq, { status: 'running', started_at: job.started_at ?? now }),
    )
    const phase = job.phase === 'import' ? runImportPhase : runUndoPhase
    const ctx = contextOf(job, abort.signal)
    const complete = await phase(parts, ctx, job, () => {
      requirePresent(ctx)
      return interrupted(job.id)
    })
    if (!complete) return
    const status = job.phase === 'import' ? 'completed' : 'undone'
    await finish(job, { status, completed_at: clock.iso() })
  }

  const fail = async (job: JobRow, error: unknown): Promise<void> => {
    if (abort.signal.aborted) return
    if (error instanceof PlatformError && error.code === 'service_unavailable') {
      log.warn({ err: error, job: job.id }, 'An import waits until the database takes writes again.')
      await pause(retryMs, undefined, { signal: abort.signal }).catch(() => undefined)
      return
    }
    const known = error instanceof PlatformError
    if (!known) log.error({ err: error, job: job.id }, 'An import has failed.')
    const first = known ? (error.details['fieldErrors'] as { message: string }[] | undefined)?.[0] : undefined
    const isLost = known && error.details['resource'] === 'import_source'
    const reason = {
      code: known ? error.code : 'internal_error',
      message: isLost ? rowsLost : (first?.message ?? (known ? error.message : 'The import could not go on.')),
    }
    if (isLost) await countBegun(job)
    await finish(job, { status: 'failed', completed_at: clock.iso(), error: JSON.stringify(reason) })
  }

  /** Counts what was stored of a slice that cannot be ended any more. */
  const countBegun = async (job: JobRow): Promise<void> => {
    await write('import.finish', (tx) => {
      const outcomes = getSlice(tx, job.seq, job.processed + 1)?.outcomes ?? []
      advanceJob(tx, job.seq, { rows: outcomes.length, position: job.position, counts: countOutcomes(outcomes) })
    })
  }

  const next = (): JobRow | undefined => openJobs(read).find((job) => job.paused === 0 && !held.has(job.id))

  const loop = async (): Promise<void> => {
    for (let job = next(); job !== undefined && !abort.signal.aborted; job = next()) {
      const running = job
      const done = work(running)
        .catch((error: unknown) => fail(running, error))
        .catch((error: unknown) => {
          // The failure itself could not be stored: the job is found open again.
          log.error({ err: error, job: running.id }, 'The state of an import could not be stored.')
          return pause(retryMs, undefined, { signal: abort.signal }).catch(() => undefined)
        })
      current = { id: running.id, done }
      await done
      current = undefined
    }
  }

  let looping: Promise<void> | undefined
  const wake = (): void => {
    if (!started || abort.signal.aborted) return
    looping ??= loop().finally(() => {
      looping = undefined
      // A job that came while the loop was ending.
      if (next() !== undefined) wake()
    })
  }

  return {
    tidy: () => staging.sweep(new Set(openJobs(read).map((job) => stagedName(job.id)))),
    wake,
    start() {
      if (started) return
      started = true
      wake()
    },
    async still(jobId, change) {
      held.set(jobId, (held.get(jobId) ?? 0) + 1)
      try {
        if (current?.id === jobId) await current.done
        return await change()
      } finally {
        const left = held.get(jobId)! - 1
        if (left === 0) held.delete(jobId)
        else held.set(jobId, left)
        wake()
      }
    },
    async settled(jobId, limitMs) {
      const until = performance.now() + limitMs
      while (performance.now() < until && !abort.signal.aborted) {
        if (!openJobs(read).some((job) => job.id === jobId && job.paused === 0)) return
        await pause(15)
      }
    },
    async stop() {
      abort.abort()
      await looping?.catch(() => undefined)
    },
  }
}
