// Schedules of flows (D-160): when each comes due, and the run it starts. The run and the next time are stored together,
// so that a time starts one run, whatever happens to the process.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { RunStatus } from '#shared/contracts/automation.ts'
import type { StopReason } from '#shared/contracts/common.ts'
import { platformError } from '#shared/errors.ts'
import type { NotificationsService } from '#main/plugins/notifications/api.ts'
import type { Machine, MachineLease, SyncService } from '#main/plugins/sync/api.ts'
import { automationError } from '../errors.ts'
import type { RunRow } from '../store.ts'
import type { Accounts } from './caller.ts'
import { startConfig } from './flow.ts'
import type { FlowBook, KnownFlow } from './flow-book.ts'
import type { RunRights } from './run-rights.ts'
import type { RunStarter } from './run-starter.ts'
import { callerOf } from './run-starter.ts'
import type { ScheduleTimes } from './schedule-times.ts'
import { lineOf, nextTime, timesOf } from './schedule-times.ts'
import type { ScheduleRow } from './schedule-store.ts'
import {
  putSchedule,
  readNextDue,
  readSchedule,
  readSchedules,
  removeSchedule,
  setNextRun,
  setStanding,
  takeRun,
} from './schedule-store.ts'

/** A schedule as it is shown. */
export interface ShownSchedule {
  flowName: string
  cron: string
  timezone: string
  status: 'active' | 'paused'
  nextRunAt: string | null
  lastRunAt: string | null
  totalRuns: number
  consecutiveFailures: number
  /** Why its runs fail though it is active. */
  stopped?: StopReason
  /** Where it runs, and where it goes from there; absent while this machine is on its own. */
  runsOn?: { id: string; name: string; isThis: boolean; next?: { id: string; name: string } }
}

/** The schedules of one host. */
export interface Schedules {
  list(): ShownSchedule[]
  /** @throws flow_not_found for a flow without a schedule */
  setPaused(name: string, isPaused: boolean): Promise<ShownSchedule>
  /** Brings the rows in line with the flows; at the start also decides about times that were missed. */
  refresh(isStart: boolean): Promise<void>
  /** Starts what is due. */
  runDue(): Promise<void>
  /** Hands schedules on that are to run on another machine (D-341). */
  settlePlaces(): Promise<void>
  /** Milliseconds since 1970 of the next time; undefined when there is none. */
  nextDue(): number | undefined
  /** Counts how a run ended, in its transaction; 20 failures in a row pause the schedule and tell its owner. */
  ended(tx: Tx, run: RunRow, status: RunStatus): void
}

/** What schedules work with. */
export interface ScheduleParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'> {
  readonly book: FlowBook
  readonly starter: RunStarter
  readonly timeZone: () => string
  readonly notifications: () => Pick<NotificationsService, 'notify'> | undefined
  readonly sync: () => SyncService | undefined
  readonly accounts: Accounts
  readonly authorizer: () => Authorizer
  readonly standsForSystem: RunRights['standsForSystem']
  /** The organization a user joined first; null while organizations are off, and for who is in none. */
  readonly homeOf: (userId: string) => string | null
}

/** Whoever has one of these may have schedules. */
const makers = ['manage_flows', 'manage_metadata', 'manage_packages'] as const

/** @source D-160 */
const maxFailures = 20

/** Makes the schedules. */
export function createSchedules(parts: ScheduleParts): Schedules {
  const { read, write, clock, book, starter } = parts

  const timesFor = (known: KnownFlow): ScheduleTimes => timesOf(startConfig(known.flow), parts.timeZone())

  const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

  /** The lease a schedule runs under; null while this machine is on its own. */
  const leaseOf = ({ item }: KnownFlow): MachineLease | null => parts.sync()?.lease(`flow/${item.uid}`) ?? null

  /** The machine a flow names while that takes part; null: wherever those run that name none (D-260). */
  const namedBy = ({ flow }: KnownFlow): Machine | null =>
    flow.runsOn === null ? null : (parts.sync()?.machine(flow.runsOn) ?? null)

  const placeOf = (known: KnownFlow): ShownSchedule['runsOn'] => {
    const lease = leaseOf(known)
    const sync = parts.sync()
    if (lease?.holder == null || sync === undefined) return undefined
    const { id, name } = lease.holder
    const next = namedBy(known) ?? sync.runner()
    return { id, name, isThis: lease.isMine, ...(next === null || next.id === id ? {} : { next }) }
  }

  /** Whether the saver whose rights the runs have may not have such a schedule any more. @source D-400 */
  const stopOf = (known: KnownFlow): StopReason | undefined => {
    const { savedBy } = known.state
    if (known.flow.runAs === 'system') return parts.standsForSystem(savedBy) ? undefined : 'rights'
    if (savedBy === null) return 'user_gone'
    const ctx: RequestContext = { ...contextFor(known), actor: { type: 'user', id: savedBy }, credential: 'session' }
    const absence = absenceOf(parts.accounts(), savedBy, { organizationId: ctx.organizationId })
    if (absence === 'user_gone' || absence === 'not_member') return absence
    if (parts.authorizer().closedBecause?.(ctx) !== undefined) return 'not_member'
    return makers.some((word) => parts.authorizer().hasSystemPermission(ctx, word)) ? undefined : 'rights'
  }

  const show = (row: ScheduleRow, known: KnownFlow): ShownSchedule => {
    const times = timesFor(known)
    const runsOn = placeOf(known)
    const stopped = stopOf(known)
    return {
      ...(runsOn === undefined ? {} : { runsOn }),
      ...(stopped === undefined ? {} : { stopped }),
      flowName: row.flowName,
      cron: lineOf(times),
      timezone: times.timezone,
      status: row.isPaused === 1 ? 'paused' : 'active',
      nextRunAt: row.isPaused === 1 ? null : row.nextRunAt,
      lastRunAt: row.lastRunAt,
      totalRuns: row.totalRuns,
      consecutiveFailures: row.consecutiveFailures,
    }
  }

  const refreshOne = (tx: Tx, known: KnownFlow, isStart: boolean): void => {
    const { name } = known.item
    const times = timesFor(known)
    const definition = JSON.stringify(times)
    const row = readSchedule(tx, name)
    const now = clock.now()
    if (row === undefined || row.definition !== definition)
      putSchedule(tx, name, definition, isoOf(nextTime(times, now, null)))
    else if (row.nextRunAt === null)
      // It was off for a while: what it missed then was not to happen.
      setNextRun(tx, name, isoOf(nextTime(times, now, null)))
    else if (isStart && times.catchUp === 'skip' && Date.parse(row.nextRunAt) <= now)
      setNextRun(tx, name, isoOf(nextTime(times, now, Date.parse(row.nextRunAt))))
    else if (isStart) {
      // One that was worked out while the clock was ahead would not come for as long.
      const next = isoOf(nextTime(times, now, null))
      if (next !== null && next < row.nextRunAt) setNextRun(tx, name, next)
    }
  }

  /** In the organization the flow was saved in; one saved while there was none belongs where its author does. */
  const contextFor = ({ state }: KnownFlow): RequestContext => ({
    ...internalContext(`schedule-${clock.now()}`, 'automation'),
    organizationId: state.savedOrganization ?? (state.savedBy === null ? null : parts.homeOf(state.savedBy)),
  })

  const runOne = async (row: ScheduleRow, known: KnownFlow): Promise<void> => {
    const times = timesFor(known)
    const due = Date.parse(row.nextRunAt!)
    const now = clock.now()
    const lease = leaseOf(known)
    if (lease?.isWaiting === true) return
    if (lease?.isMineAt(due) === false) {
      await write('automation.schedule', (tx) => setNextRun(tx, row.flowName, isoOf(nextTime(times, now, due))))
      return
    }
    const run = starter.draft(known, {
      type: 'schedule',
      input: { params: {}, record: null, previous: null, event: { type: 'schedule', scheduledAt: row.nextRunAt } },
      event: 'schedule',
      userId: known.state.savedBy,
      caller: callerOf(contextFor(known), null),
      depth: 1,
    })
    const reason = stopOf(known)
    const isStored = await write('automation.schedule', (tx) => {
      const taken = { at: clock.iso(), next: isoOf(nextTime(times, now, due)) }
      if (!takeRun(tx, row.flowName, row.nextRunAt!, taken)) return false
      if (reason === undefined) return starter.insert(tx, known, run)
      const { code, message } = platformError('permission_denied')
      starter.insertFailed(tx, known, run, { code, message, reason })
      return false
    })
    if (isStored) await starter.startOwn(known, run)
  }

  const requireScheduled = (name: string): KnownFlow => {
    const known = book.get(name)
    if (known?.flow.type === 'schedule') return known
    throw automationError('flow_not_found', { name, reason: 'no_schedule' })
  }

  return {
    list() {
      const known = new Map(book.scheduled().map((one) => [one.item.name, one]))
      return readSchedules(read).flatMap((row) =>
        known.has(row.flowName) ? [show(row, known.get(row.flowName)!)] : [],
      )
    },
    async setPaused(name, isPaused) {
      const known = requireScheduled(name)
      await write('automation.schedule', (tx) => {
        refreshOne(tx, known, false)
        const next = isPaused ? null : isoOf(nextTime(timesFor(known), clock.now(), null))
        setStanding(tx, name, { failures: 0, isPaused, next })
      })
      return show(readSchedule(read, name)!, known)
    },
    async refresh(isStart) {
      const scheduled = book.scheduled()
      const names = new Set(scheduled.map(({ item }) => item.name))
      const isKnown = (row: ScheduleRow): boolean => names.has(row.flowName)
      const stored = readSchedules(read)
      const isSame =
        !isStart &&
        stored.every((row) => (isKnown(row) ? row.nextRunAt !== null || row.isPaused === 1 : row.nextRunAt === null)) &&
        scheduled.every(
          (known) =>
            stored.find(({ flowName }) => flowName === known.item.name)?.definition === JSON.stringify(timesFor(known)),
        )
      if (isSame) return
      await write('automation.schedules', (tx) => {
        for (const row of readSchedules(tx)) {
          if (book.get(row.flowName) === undefined) removeSchedule(tx, row.flowName)
          else if (!isKnown(row)) setNextRun(tx, row.flowName, null)
        }
        for (const known of scheduled)
          if (readSchedule(tx, known.item.name)?.isPaused !== 1) refreshOne(tx, known, isStart)
      })
    },
    async settlePlaces() {
      const sync = parts.sync()
      if (sync === undefined) return
      for (const known of book.scheduled()) {
        const lease = leaseOf(known)
        const named = namedBy(known)
        const wanted = named ?? sync.lease('')?.holder ?? null
        if (lease?.holder == null || wanted === null || lease.holder.id === wanted.id) continue
        await sync.handOn(`flow/${known.item.uid}`, named?.id ?? null)
      }
    },
    async runDue() {
      const now = clock.iso()
      const known = new Map(book.scheduled().map((one) => [one.item.name, one]))
      for (const row of readSchedules(read)) {
        const flow = known.get(row.flowName)
        if (flow === undefined || row.isPaused === 1 || row.nextRunAt === null || row.nextRunAt > now) continue
        try {
          await runOne(row, flow)
        } catch (error) {
          parts.log.error({ err: error, flow: row.flowName }, 'A schedule could not start its flow.')
        }
      }
    },
    nextDue() {
      const at = readNextDue(read)
      if (at === null) return undefined
      // What is due while this machine waits to hear from the others is due a little later.
      const isWaiting = parts.sync()?.lease('')?.isWaiting === true
      return isWaiting ? Math.max(Date.parse(at), clock.now() + 1_000) : Date.parse(at)
    },
    ended(tx, run, status) {
      if (run.triggerType !== 'schedule' || status === 'cancelled') return
      const row = readSchedule(tx, run.flowName)
      if (row === undefined) return
      const failures = status === 'completed' ? 0 : row.consecutiveFailures + 1
      const isPaused = failures >= maxFailures && row.isPaused === 0
      const next = isPaused ? null : row.nextRunAt
      setStanding(tx, run.flowName, { failures, isPaused: isPaused || row.isPaused === 1, next })
      const owner = book.get(run.flowName)?.state.savedBy
      if (!isPaused || owner === null || owner === undefined) return
      parts.notifications()?.notify(tx, {
        userId: owner,
        type: 'flow',
        title: `The schedule of the flow "${run.flowName}" is paused`,
        body: `It failed ${failures} times in a row. Look at its runs, then resume the schedule.`,
        data: { flow: run.flowName, runId: run.id, paused: true },
        dedupeKey: `flow-schedule:${run.id}`,
      })
    },
  }
}
