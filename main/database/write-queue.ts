// The one door for writes: groups jobs into transactions and answers them only when their log is on disk. The sync runs
// beside the event loop, so that reads go on meanwhile, and the next group gathers.
// Knows no tables, no actors and no meaning of events.
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PlatformError } from '#shared/errors.ts'
import type { DatabaseHealth, Steps, Write, WriteOptions, WriteStepwise } from '#main/kernel/database.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'
import type { DiskSpace } from '#main/kernel/disk-space.ts'
import type { EventBus } from '#main/kernel/events.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { engineCode, unavailable } from './engine-errors.ts'
import type { LogCopy, LogSync } from './log-sync.ts'
import { assertNormalSync } from './open.ts'
import type { Connection } from './open.ts'
import type { Statements } from './statements.ts'
import { JobTx, runJob } from './write-job.ts'
import type { Inner, Job, Marks } from './write-job.ts'

/** The queue of one host. */
export interface WriteQueue {
  readonly write: Write
  readonly writeStepwise: WriteStepwise
  /**
   * Keeps the queue from writing while `work` runs, because another process writes: no transaction is open meanwhile, jobs
   * wait. Work of one caller after the other, with a group of waiting jobs in between.
   * @param options `keepsSchema` says that the work changes no table, `onlyFolds` that it writes nothing at all
   * @throws service_unavailable when the queue is closing, or tables would change on a full disk
   */
  lend<T>(
    work: () => Promise<T>,
    options?: { readonly keepsSchema?: boolean; readonly onlyFolds?: boolean },
  ): Promise<T>
  health(): DatabaseHealth
  /** See `Database.onDisk`. */
  onDisk(): Promise<void> | null
  /**
   * Refuses every write from now on with this error; those accepted before are done.
   * @returns takes it back
   */
  refuse(error: PlatformError): () => void
  /** Number of transactions committed so far. */
  groups(): number
  /** Rises with every COMMIT that changed something, and with every loan. */
  version(): number
  /** Resolves when every job accepted so far is settled; later ones are refused with `service_unavailable`. */
  close(): Promise<void>
}

/** What the queue works with. */
export interface WriteQueueOptions {
  readonly connection: Connection
  readonly statements: Statements
  readonly bus: EventBus
  readonly log: Logger
  /** Called after a COMMIT, and after a rollback, that involved DDL. */
  readonly onSchemaChange: () => void
  /** Called after each COMMIT, before its jobs are answered. */
  readonly onCommit?: () => void
  /** Forces the log to disk before jobs are answered; absent only for throw-away databases of tests. */
  readonly logSync?: LogSync | undefined
  /** The disk of the file; absent where nobody watches it. */
  readonly space?: DiskSpace | undefined
}

/** What a job has before it runs. */
function untried(): Pick<Job, 'gathered' | 'callbacks' | 'effects' | 'events' | 'value' | 'failure'> {
  return { gathered: [], callbacks: [], effects: [], events: [], value: undefined, failure: undefined }
}

/** A group ends after this many jobs or this much work; the rest form the next one. */
const maxJobs = 256
const maxWorkMs = 8
const slowJobMs = 50
/** Work of a long job after which the event loop is free for a turn, and the same for telling its events. */
const sliceMs = 8
const toldAtOnce = 100
const probeEveryMs = 1000

/** Makes the write queue over the read-write connection. */
export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { connection, statements, bus, log } = options
  const begin = connection.prepare('BEGIN IMMEDIATE')
  const commit = connection.prepare('COMMIT')
  const rollback = connection.prepare('ROLLBACK')
  const savepoint = connection.prepare('SAVEPOINT job')
  const release = connection.prepare('RELEASE job')
  const rollbackTo = connection.prepare('ROLLBACK TO job')

  const inner: Inner = {
    savepoint: connection.prepare('SAVEPOINT inner_step'),
    release: connection.prepare('RELEASE inner_step'),
    rollbackTo: connection.prepare('ROLLBACK TO inner_step'),
    connection,
  }

  const marks: Marks = { schema: false, changed: false }
  let jobs: Job[] = []
  /**
   * True from when a drain is due until its group is settled or on its way to disk: what its callbacks write or lend begins
   * after it. A drain that began meanwhile would force the log a second time beside the first, or write during a loan.
   */
  let armed = false
  const loans: Loan[] = []
  let isLent = false
  let degraded = false
  /** Why nothing is taken; the first is what is told. */
  let refusals: readonly PlatformError[] = []
  let closing = false
  let lastGroup = 0
  let groups = 0
  let version = 0
  const { logSync, space } = options
  const copy = logSync?.copy
  let durabilityChecked = logSync === undefined
  /** True while a committed group is not yet known to be on disk; the next one waits for it, and grows meanwhile. */
  let syncing = false
  /** The sync under way. */
  let whenSynced: Promise<void> | null = null
  /** True after a sync that failed: nothing written since the last good one is known to be on disk. */
  let syncFailed = false
  /** What such a sync was for: committed, and told to nobody before it is on disk after all. */
  let untold: Job[] = []
  /** True while the log holds changes that no sync has followed: those of repeatable jobs. */
  let unsynced = false
  let probe: NodeJS.Timeout | undefined
  let whenIdle: (() => void) | undefined
  /** The long job whose transaction is open while the event loop is free. */
  let longRun: Run | undefined

  /** Goes on with a job for as long as it may hold the event loop; answers whether it has ended. */
  const goOnWith = ({ job, steps }: Run): boolean => {
    const started = performance.now()
    let ended = steps.next().done
    while (ended !== true && (!job.isStepwise || performance.now() - started < sliceMs)) ended = steps.next().done
    const tookMs = performance.now() - started
    if (tookMs > slowJobMs) log.warn({ write: job.name, tookMs: Math.round(tookMs) }, 'A write held the event loop.')
    return ended === true
  }

  const runOf = (job: Job): Run => {
    const tx = new JobTx(job, statements, bus, marks, inner)
    return { job, steps: runJob(job, tx, (error) => space?.failed(error)) }
  }

  /**
   * Runs the jobs inside the open transaction and answers those that took part, and of the others what is left; the
   * transaction may be lost after it. A job that takes long keeps it, alone, as `longRun`.
   */
  const runGroup = (waiting: readonly Job[]): { group: Job[]; rest: readonly Job[] } => {
    const group: Job[] = []
    const until = performance.now() + maxWorkMs
    for (const [at, job] of waiting.entries()) {
      if (group.length === maxJobs || (job.isLong && at > 0)) break
      // A lone job needs no savepoint: its failure is the transaction's.
      const isLone = waiting.length === 1 || job.isLong
      if (!isLone) savepoint.run()
      const run = runOf(job)
      if (!goOnWith(run)) {
        if (at > 0) {
          run.steps.return()
          rollbackTo.run()
          release.run()
          return { group, rest: [{ ...job, ...untried(), isLong: true }, ...waiting.slice(at + 1)] }
        }
        job.isLong = true
        longRun = run
        return { group: [job], rest: waiting.slice(1) }
      }
      group.push(job)
      if (isLone || !connection.inTransaction) break
      if (job.failure !== undefined) rollbackTo.run()
      release.run()
      // Whoever comes after a change of a table is to know of it, which is told after the COMMIT.
      if (marks.schema || performance.now() >= until) break
    }
    return { group, rest: waiting.slice(group.length) }
  }

  const degrade = (cause: unknown): void => {
    space?.failed(cause)
    if (!degraded) log.error({ err: cause }, 'A write transaction failed; the database is degraded.')
    degraded = true
    probe ??= setInterval(tryProbe, probeEveryMs).unref()
  }

  const recover = (): void => {
    if (space?.isFull() === true) return
    if (degraded) log.info({}, 'A write succeeded again; the database is healthy.')
    degraded = false
    clearInterval(probe)
    probe = undefined
  }

  /**
   * After a failed COMMIT: writes the header page with the value it has, the smallest change that needs one. After a failed
   * sync: folds the log into the file, which forces both to disk; a second sync of the same pages could report a success
   * that they never had. Where the log is kept in a second place, that has to have it.
   */
  const tryProbe = (): void => {
    if (probe === undefined) return
    if (isLent || longRun !== undefined || (space?.isFull() === true && !syncFailed)) return
    try {
      if (syncFailed) {
        if (copy?.isBehind() === true) {
          logSync!.sync().then(tryProbe, () => undefined)
          return
        }
        if (connection.pragma('wal_checkpoint(FULL)', { simple: true }) !== 0) return
        syncFailed = false
        for (const job of untold.splice(0)) tell(job)
      } else {
        begin.run()
        const version = Number(connection.pragma('user_version', { simple: true }))
        connection.pragma(`user_version = ${version}`)
        commit.run()
        unsynced ||= copy?.take() === true
      }
      recover()
    } catch {
      // Still failing: the next probe tries again, and `degrade` has logged the first failure.
      if (connection.inTransaction) rollback.run()
    }
  }

  const drain = (): void => {
    const waiting = jobs
    jobs = []
    marks.schema = false
    marks.changed = false
    const writesBefore = statements.writes()
    if (space?.isFull() === true) space.makeRoom()
    if (syncFailed) {
      const cause = space?.isFull() === true ? diskFullError() : new Error('The log could not be forced to disk.')
      void settle(waiting, { cause })
      drained()
      return
    }
    let group: readonly Job[] = waiting
    let lost: { cause: unknown } | undefined
    try {
      begin.run()
      const ran = runGroup(waiting)
      group = ran.group
      jobs = [...ran.rest, ...jobs]
    } catch (cause) {
      lost = { cause }
    }
    if (longRun === undefined) endGroup(group, writesBefore, lost)
    else setImmediate(goOnLong, group, writesBefore)
  }

  /** The transaction stays open between the slices of its job: whoever else would write waits, those who read do not. */
  const goOnLong = (group: readonly Job[], writesBefore: number): void => {
    if (!goOnWith(longRun!)) {
      setImmediate(goOnLong, group, writesBefore)
      return
    }
    longRun = undefined
    endGroup(group, writesBefore, undefined)
  }

  const endGroup = (ran: readonly Job[], writesBefore: number, early: { cause: unknown } | undefined): void => {
    let group = ran
    let lost = early
    try {
      if (lost === undefined) {
        if (!connection.inTransaction) throw group.at(-1)?.failure?.error ?? new Error('SQLite ended the transaction.')
        if (statements.writes() !== writesBefore) marks.changed = true
        if (group.length === 1 && group[0]!.failure !== undefined) rollback.run()
        else {
          if (marks.changed) copy?.mark()
          if (group[0]?.isLong === true) commitLong()
          else commit.run()
        }
      }
    } catch (cause) {
      lost = { cause }
    }
    if (lost !== undefined) rollBackRest(connection, rollback)
    if (marks.schema) {
      statements.clear()
      options.onSchemaChange()
    }
    if (lost === undefined) {
      groups += 1
      if (copy?.take() === true) marks.changed = true
      if (marks.changed) version += 1
      if (!durabilityChecked) durabilityChecked = checkDurability()
      if (degraded && marks.changed) recover()
      options.onCommit?.()
    } else {
      degrade(lost.cause)
    }
    lastGroup = group.length
    group = takeAgain(group, lost)
    if (lost !== undefined) void settle(group, lost)
    else {
      for (const job of group) if (job.failure === undefined) runAll(job, job.callbacks)
      unsynced ||= marks.changed
      if (logSync !== undefined && unsynced && group.some(awaitsDisk)) {
        void settleOnDisk(group, logSync)
        return
      }
      const telling = settle(group, undefined)
      if (telling !== undefined) {
        void telling.then(drained)
        return
      }
    }
    drained()
  }

  /** What a long job wrote is longer than the log may become before a COMMIT folds it: that is left to its thread. */
  const commitLong = (): void => {
    const pages = Number(connection.pragma('wal_autocheckpoint', { simple: true }))
    connection.pragma('wal_autocheckpoint = 0')
    try {
      commit.run()
    } finally {
      connection.pragma(`wal_autocheckpoint = ${pages}`)
    }
  }

  const drained = (): void => {
    armed = false
    goOn()
  }

  /** Puts what makes room, and met the full disk first, before all others once more; answers the rest of the group. */
  const takeAgain = (group: readonly Job[], lost: { cause: unknown } | undefined): readonly Job[] => {
    const again = group.filter(
      (job) => job.mayTryAgain && isDiskFull(lost === undefined ? job.failure?.error : lost.cause),
    )
    if (again.length === 0 || space === undefined) return group
    jobs = [...again.map((job) => ({ ...job, mayTryAgain: false, ...untried() })), ...jobs]
    return group.filter((job) => !again.includes(job))
  }

  /** Answers a committed group once it is on disk. */
  const settleOnDisk = async (group: readonly Job[], log: LogSync): Promise<void> => {
    syncing = true
    armed = false
    unsynced = false
    let lost: { cause: unknown } | undefined
    try {
      await (whenSynced = log.sync())
    } catch (cause) {
      lost = { cause }
      syncFailed = true
      untold = group.filter(({ failure }) => failure === undefined)
      degrade(cause)
    }
    whenSynced = null
    // Those who hear of it write: in the next group, and behind a loan that waits.
    const telling = settle(group, lost)
    if (telling !== undefined) await telling
    syncing = false
    goOn()
  }

  const markCopy = (to: LogCopy, isLent: boolean): void => {
    begin.run()
    to.mark(isLent)
    commit.run()
    if (to.take()) unsynced = true
  }

  /** @returns what its caller is told */
  const failLoan = (cause: unknown): PlatformError => {
    rollBackRest(connection, rollback)
    degrade(cause)
    return unavailable(cause)
  }

  /** Takes what another process wrote, first of all: the mark, a write of this one, may begin the log anew. */
  const copyLoan = async (from: LogCopy, log: LogSync, onlyFolds: boolean): Promise<void> => {
    if (!from.take() && onlyFolds) return
    try {
      markCopy(from, false)
      unsynced = false
      await log.sync()
    } catch (cause) {
      syncFailed = true
      throw failLoan(cause)
    }
  }

  /**
   * What the work wrote is in the second place before anybody hears that it is done, and also when it failed. A process that
   * ends before that leaves a file that says so.
   */
  const lendCopied = async <T>(to: LogCopy, work: () => Promise<T>, onlyFolds: boolean): Promise<T> => {
    try {
      if (!onlyFolds) markCopy(to, true)
    } catch (cause) {
      throw failLoan(cause)
    }
    try {
      return await work()
    } finally {
      await copyLoan(to, logSync!, onlyFolds)
    }
  }

  const runAll = (job: Job, callbacks: readonly (() => void)[]): void => {
    for (const callback of callbacks) {
      try {
        callback()
      } catch (error) {
        log.error({ err: error, write: job.name }, 'An after-commit callback failed.')
      }
    }
  }

  /** The next loan, else the next group, else rest. */
  const goOn = (): void => {
    // The end of what is due or under way goes on.
    if (armed || isLent || syncing) return
    const loan = loans.shift()
    if (loan !== undefined) {
      isLent = true
      void loan.run().finally(() => {
        isLent = false
        version += 1
        if (!loan.keepsSchema) {
          // Whatever the other process did to the schema, nothing prepared before is trusted.
          statements.clear()
          options.onSchemaChange()
        }
        // Jobs that waited come before the next loan.
        if (jobs.length > 0) arm()
        else goOn()
      })
    } else if (jobs.length > 0) arm()
    else whenIdle?.()
  }

  const checkDurability = (): boolean => {
    try {
      assertNormalSync(connection)
    } catch (error) {
      log.fatal({ err: error }, 'The database does not keep its log in order.')
      closing = true
    }
    return true
  }

  /** Answers a group; a promise where that takes more than this turn. */
  const settle = (group: readonly Job[], lost: { cause: unknown } | undefined): Promise<void> | undefined => {
    for (const job of group) {
      if (lost !== undefined) {
        // A job that failed by itself keeps its reason, unless that is what ended the transaction.
        const own =
          job.failure !== undefined && engineCode(job.failure.error) === undefined ? job.failure.error : undefined
        job.reject(own ?? unavailable(lost.cause))
      } else if (job.failure !== undefined) {
        job.reject(job.failure.error)
      } else if (job.isLong) {
        return tellLong(job)
      } else {
        tell(job)
        job.resolve(job.value)
      }
    }
    return undefined
  }

  const tell = (job: Job): void => {
    runAll(job, job.effects)
    if (job.events.length > 0) bus.committed(job.events)
  }

  /** Tells what a long job, alone in its group, has done; nobody writes before all of it is told, so events stay in order. */
  const tellLong = async (job: Job): Promise<void> => {
    await inSlices(job.effects, (effects) => runAll(job, effects))
    await inSlices(job.events, bus.committed)
    job.resolve(job.value)
  }

  const arm = (): void => {
    if (armed || isLent || syncing) return
    armed = true
    // Under load one more turn lets the requests that have arrived meanwhile join the group: a tenth to a fifth more
    // writes at 16 and 64 clients. A lone writer never waits for it.
    setImmediate(lastGroup > 1 ? () => setImmediate(drain) : drain)
  }

  const enter = (
    name: string,
    fn: Job['fn'],
    isStepwise: boolean,
    { repeatable = false, whenFull = false }: WriteOptions = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closing || refusals.length > 0) {
        reject(closing ? unavailable() : refusals[0])
        return
      }
      if (!whenFull && space?.refuses() === true) {
        reject(diskFullError())
        return
      }
      jobs.push({
        name,
        fn,
        isStepwise,
        isLong: false,
        isRepeatable: repeatable,
        mayTryAgain: whenFull,
        resolve,
        reject,
        ...untried(),
      })
      arm()
    })

  return {
    write: <T>(name: string, fn: Job['fn'], given?: WriteOptions) => enter(name, fn, false, given) as Promise<T>,
    writeStepwise: <T>(name: string, fn: Job['fn'], given?: WriteOptions) => enter(name, fn, true, given) as Promise<T>,
    lend: <T>(work: () => Promise<T>, { keepsSchema = false, onlyFolds = false } = {}) =>
      new Promise<T>((resolve, reject) => {
        if (closing || refusals.length > 0) {
          reject(closing ? unavailable() : refusals[0])
          return
        }
        if (!keepsSchema && space?.refuses() === true) {
          reject(diskFullError())
          return
        }
        const run = (): Promise<T> => (copy === undefined ? work() : lendCopied(copy, work, onlyFolds))
        loans.push({ run: () => run().then(resolve, reject), keepsSchema })
        goOn()
      }),
    health: () => (space?.isFull() === true ? 'disk_full' : degraded || refusals.length > 0 ? 'degraded' : 'ok'),
    onDisk() {
      if (copy?.isBehind() === true) return logSync!.sync()
      return syncFailed ? Promise.reject(unavailable()) : whenSynced
    },
    refuse(error) {
      refusals = [...refusals, error]
      return () => void (refusals = refusals.filter((other) => other !== error))
    },
    groups: () => groups,
    version: () => version,
    async close() {
      closing = true
      if (armed || jobs.length > 0 || loans.length > 0 || isLent || syncing)
        await new Promise<void>((resolve) => (whenIdle = resolve))
      clearInterval(probe)
    },
  }
}

/** Hands over items, with a turn of the event loop in between where that takes long. */
async function inSlices<T>(items: readonly T[], take: (slice: readonly T[]) => void): Promise<void> {
  let started = performance.now()
  for (let at = 0; at < items.length; at += toldAtOnce) {
    if (performance.now() - started >= sliceMs) {
      await nextTurn()
      started = performance.now()
    }
    take(items.slice(at, at + toldAtOnce))
  }
}

/** Whether a job may not be answered before it is on disk. */
function awaitsDisk(job: Job): boolean {
  return !job.isRepeatable || job.effects.length > 0
}

/** A job under way. */
interface Run {
  readonly job: Job
  readonly steps: Steps<void>
}

/** Work during which another process or thread writes. */
interface Loan {
  run(): Promise<void>
  readonly keepsSchema: boolean
}

function rollBackRest(connection: Connection, rollback: { run(): unknown }): void {
  if (!connection.inTransaction) return
  try {
    rollback.run()
  } catch {
    // SQLite may have ended the transaction by itself; the next BEGIN tells whether anything is left.
  }
}
