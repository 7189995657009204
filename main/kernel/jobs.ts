// Runs recurring work on a schedule that survives restarts: one run at a time, a missed one is caught up once.
// Knows no capability.
import { Cron } from 'croner'
import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import type { Ids } from './ids.ts'
import { finishJob, leaseJob, putJob, readJob } from './job-store.ts'
import type { Logger } from './logger.ts'
import type { JobSchedule } from './plugin.ts'

/** The schedules of one host. */
export interface Jobs {
  /** Registers work under a name that stays the same over restarts. @throws Error when the name is taken or the cron line is wrong */
  job(name: string, schedule: JobSchedule, fn: (signal: AbortSignal) => Promise<void> | void): void
  /** Begins to run jobs; what fell due while the host was off runs now, once. */
  start(): Promise<void>
  /** Runs what is due now and waits for it (tests, and the timer itself). */
  runDue(): Promise<void>
  /** Tells running jobs to stop and waits for them. */
  stop(): Promise<void>
}

/** What the schedules work with. */
export interface JobsOptions {
  readonly database: Pick<Database, 'read' | 'write'>
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** IANA name of the workspace's time zone, asked at each computation. */
  readonly timezone: () => string
}

interface Job {
  readonly name: string
  readonly schedule: JobSchedule
  readonly fn: (signal: AbortSignal) => Promise<void> | void
  nextRunAt: number
  running: Promise<void> | undefined
}

/** The timer looks at least this often, so a clock that was moved or a machine that slept is noticed. */
const maxSleepMs = 60_000
/** A run that was cut off by the end of the process is repeated at most once. */
const maxAttempts = 2
const leaseMs = 6 * 3_600_000

/** Makes the schedules of a host. */
export function createJobs(options: JobsOptions): Jobs {
  const { database, clock, log } = options
  const owner = options.ids.uuid()
  const jobs = new Map<string, Job>()
  const abort = new AbortController()
  let started = false
  let timer: NodeJS.Timeout | undefined

  const nextAfter = (schedule: JobSchedule, from: number): number => {
    if ('everySeconds' in schedule) return from + schedule.everySeconds * 1000
    const cron = new Cron(schedule.cron, { paused: true, mode: '5-part', timezone: options.timezone() })
    return cron.nextRun(new Date(from))?.getTime() ?? Number.MAX_SAFE_INTEGER
  }

  /** Reads or creates the job's row; decides when it runs next. */
  const load = async (job: Job): Promise<void> => {
    const schedule = JSON.stringify(job.schedule)
    job.nextRunAt = await database.write('job load', (tx) => {
      const row = readJob(tx, job.name)
      const now = clock.now()
      const interrupted = row !== undefined && row.lease_owner !== null && row.lease_owner !== owner
      let next = nextAfter(job.schedule, now)
      // One that was worked out while the clock was ahead would not come for as long.
      if (row?.schedule === schedule) next = Math.min(next, row.next_run_at)
      if (interrupted && row.attempts < maxAttempts) next = now
      const isAsStored = row?.schedule === schedule && row.next_run_at === next && row.lease_owner === null
      if (!isAsStored) putJob(tx, job.name, schedule, next)
      return next
    })
  }

  /** Takes the lease and sets the next run in one transaction, before the work begins. */
  const claim = (job: Job): Promise<{ due: boolean; nextRunAt: number }> =>
    database.write('job claim', (tx) => {
      const now = clock.now()
      const row = readJob(tx, job.name)
      if (row === undefined) throw new Error(`The row of the job "${job.name}" is gone.`)
      if (row.next_run_at > now) return { due: false, nextRunAt: row.next_run_at }
      const leased = row.lease_owner !== null && row.lease_owner !== owner && (row.lease_until ?? 0) > now
      if (leased) return { due: false, nextRunAt: now + maxSleepMs }
      const next = nextAfter(job.schedule, now)
      leaseJob(tx, job.name, { owner, until: now + leaseMs, nextRunAt: next, startedAt: clock.iso() })
      return { due: true, nextRunAt: next }
    })

  const run = async (job: Job): Promise<void> => {
    const { due, nextRunAt } = await claim(job)
    job.nextRunAt = nextRunAt
    if (!due) return
    let failure: string | null = null
    try {
      await job.fn(abort.signal)
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
      log.error({ err: error, job: job.name }, 'A job failed; it runs again at its next time.')
    }
    await database.write('job finished', (tx) => finishJob(tx, job.name, failure, clock.iso()))
  }

  const runDue = async (): Promise<void> => {
    const now = clock.now()
    for (const job of jobs.values()) {
      if (job.running !== undefined || job.nextRunAt > now || abort.signal.aborted) continue
      job.running = run(job)
        .catch((error: unknown) => {
          job.nextRunAt = clock.now() + maxSleepMs
          log.error({ err: error, job: job.name }, 'The schedule of a job could not be stored; it is tried again.')
        })
        .finally(() => {
          job.running = undefined
          schedule()
        })
    }
    await Promise.all([...jobs.values()].map((job) => job.running))
  }

  const schedule = (): void => {
    clearTimeout(timer)
    if (!started || abort.signal.aborted || jobs.size === 0) return
    const idle = [...jobs.values()].filter((job) => job.running === undefined)
    const next = Math.min(...idle.map((job) => job.nextRunAt))
    const sleepMs = Math.min(maxSleepMs, Math.max(0, next - clock.now()))
    timer = setTimeout(() => {
      void runDue()
      schedule()
    }, sleepMs).unref()
  }

  return {
    job(name, when, fn) {
      if (jobs.has(name)) throw new Error(`The job "${name}" is registered twice.`)
      nextAfter(when, clock.now())
      const job: Job = { name, schedule: when, fn, nextRunAt: Number.MAX_SAFE_INTEGER, running: undefined }
      jobs.set(name, job)
      if (!started) return
      void load(job)
        .then(schedule)
        .catch((error: unknown) => log.error({ err: error, job: name }, 'A job could not be registered.'))
    },
    async start() {
      // One after the other each would wait for the disk.
      await Promise.all([...jobs.values()].map(load))
      started = true
      schedule()
    },
    runDue,
    async stop() {
      abort.abort()
      clearTimeout(timer)
      await Promise.all([...jobs.values()].map((job) => job.running))
    },
  }
}
