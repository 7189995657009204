// Puts the parts of automation together: what there is to start, what carries it out, what comes due by itself.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { absenceOf } from '#main/kernel/identity.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import type { OutboxConsumer } from '#main/kernel/plugin.ts'
import type { AnalyticsService } from '#main/plugins/analytics/api.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MailService } from '#main/plugins/mail/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { NotificationsService } from '#main/plugins/notifications/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { ScriptsService } from '#main/plugins/scripts/api.ts'
import type { SyncService } from '#main/plugins/sync/api.ts'
import type { AutomationService, ConfigCheck } from './api.ts'
import { dropOldRuns, getRun, lastRuns, openChildren, openRunsOf, runsIn, waitingSteps } from './store.ts'
import { createAlarm } from './service/alarm.ts'
import type { Alarm } from './service/alarm.ts'
import { openCredential } from './service/credentials.ts'
import { createExecutor } from './service/engine/execute-run.ts'
import { createWalk } from './service/engine/walk.ts'
import { createFlowBook } from './service/flow-book.ts'
import type { FlowBook } from './service/flow-book.ts'
import { createFlowRule } from './service/flow-rule.ts'
import { createFlowStates } from './service/flow-state-store.ts'
import type { FlowStates } from './service/flow-state-store.ts'
import { createFlows } from './service/flows.ts'
import type { Flows } from './service/flows.ts'
import { createNodeTypes } from './service/node-types.ts'
import type { NodeTypes } from './service/node-types.ts'
import { builtinNodes, declaredNodes, nodeAliases } from './service/nodes/index.ts'
import { maxAnswerBytes } from './service/nodes/http-request.ts'
import { createRecordTrigger } from './service/record-trigger.ts'
import { createRunActs } from './service/run-acts.ts'
import type { RunActs } from './service/run-acts.ts'
import { createRunQueue } from './service/run-queue.ts'
import { createRunRights } from './service/run-rights.ts'
import { createRunStarter } from './service/run-starter.ts'
import type { RunStarter } from './service/run-starter.ts'
import { createRunView } from './service/run-view.ts'
import type { RunView } from './service/run-view.ts'
import { createSchedules } from './service/schedules.ts'
import type { Schedules } from './service/schedules.ts'
import { createSubflows } from './service/subflows.ts'
import { createTriggering } from './service/triggering.ts'
import type { Triggering } from './service/triggering.ts'
import { createWaits } from './service/waits.ts'
import type { Waits } from './service/waits.ts'

/** Other services, those that may be absent behind a getter. */
export interface AutomationParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'ids' | 'log' | 'secrets'> {
  readonly metadata: MetadataService
  readonly data: DataService
  readonly permissions: PermissionsService
  readonly auth: () => AuthService | undefined
  readonly mail: () => MailService | undefined
  readonly notifications: () => NotificationsService | undefined
  readonly scripts: () => ScriptsService | undefined
  readonly analytics: () => AnalyticsService | undefined
  readonly sync: () => SyncService | undefined
  readonly authorizer: () => PluginHost['authorizer']
  readonly timeZone: () => string
  readonly allowedHosts: readonly string[]
  readonly onDisk: PluginHost['database']['onDisk']
}

/** The service with what its own routes and listeners need. */
export interface AutomationCore {
  readonly service: AutomationService
  readonly types: NodeTypes
  readonly book: FlowBook
  readonly states: FlowStates
  readonly flows: Flows
  readonly view: RunView
  readonly acts: RunActs
  readonly triggering: Triggering
  readonly schedules: Schedules
  readonly starter: RunStarter
  readonly waits: Waits
  readonly alarm: Alarm
  readonly consumer: OutboxConsumer
  /** Ids of a flow's runs that go on. */
  openRuns(flowUid: string): readonly string[]
  /** Takes up what was under way when the process ended. */
  start(): Promise<void>
  /** Drops runs nobody needs any more. */
  tidy(): Promise<void>
  stop(): Promise<void>
}

/** Runs are kept this long, and this many of each flow. @source D-158 */
const keptMs = 30 * 86_400_000
const keptRuns = 1_000
/** Milliseconds nodes under way get when the host stops. */
const graceMs = 4_000

/** Makes the service. */
export async function createAutomation(parts: AutomationParts): Promise<AutomationCore> {
  const { read, write, clock, ids, log, secrets, metadata, data, timeZone, authorizer } = parts
  const outbound = createOutbound({ allowedHosts: () => parts.allowedHosts, onDisk: parts.onDisk, maxAnswerBytes })
  const states = createFlowStates(read)

  const check: ConfigCheck = {
    hasObject: (name) => metadata.objectSchema(name) !== undefined,
    hasField: (object, field) => metadata.objectSchema(object)?.byName.has(field) === true,
    hasFlow: (name) => metadata.get('flow', name) !== undefined,
    targetProblem: outbound.problemOf,
  }

  const isAdministrator = (ctx: RequestContext): boolean => {
    if (ctx.credential === 'internal') return true
    if (ctx.actor.type !== 'user' || (ctx.scope?.permissionSets ?? null) !== null) return false
    return ctx.actor.id === localOwnerId || parts.permissions.assignments(ctx.actor.id).profile === 'administrator'
  }

  const rights = createRunRights({
    authorizer,
    permissions: parts.permissions,
    isAdministrator,
    accounts: parts.auth,
    isAlone: () => (parts.sync()?.ownMachine() ?? null) === null,
  })
  const hasOrganizations = (): boolean => parts.auth()?.hasOrganizations === true
  const membershipsOf = (userId: string) => parts.auth()?.memberships(userId) ?? []
  const worksIn = (userId: string, organizationId: string | null): boolean =>
    !hasOrganizations() || membershipsOf(userId).some((membership) => membership.organizationId === organizationId)

  // Nodes start runs, and runs carry out nodes: what is asked later is looked up later.
  const subflow: ReturnType<typeof createSubflows> = (call, input) => runSubflow(call, input)
  const types = createNodeTypes(
    builtinNodes({
      data,
      outbound,
      clock,
      timeZone,
      write,
      metadata,
      subflow,
      scripts: parts.scripts,
      analytics: parts.analytics,
      notifications: parts.notifications,
      mail: parts.mail,
      isUser: (userId, organizationId) =>
        absenceOf(parts.auth(), userId, { organizationId: null }) === undefined && worksIn(userId, organizationId),
    }),
    declaredNodes,
    nodeAliases,
  )
  const book = createFlowBook({ metadata, states, types, check })

  const walk = createWalk({
    write,
    clock,
    ids,
    log,
    types,
    timeZone,
    isStopping: () => queue.isStopping(),
    openSecret: (value, url) => openCredential(value, url, secrets),
  })
  const executor = createExecutor({
    read,
    write,
    clock,
    log,
    walk,
    accounts: parts.auth,
    maySystem: ({ flowName }) => rights.standsForSystem(states.of(flowName).savedBy),
    ended: (tx, run, status) => schedules.ended(tx, run, status),
    paused(runId) {
      waits.paused(runId)
      alarm.set()
    },
    goOn(runId) {
      const run = getRun(read, runId)
      if (run !== undefined) queue.goOn({ id: run.id, lockKey: run.lockKey })
    },
  })
  const queue = createRunQueue({
    log,
    now: clock.now,
    execute: (runId, stop) => executor.execute(runId, stop),
    expire: (runId) =>
      write('automation.expire', (tx) => {
        const run = getRun(tx, runId)
        const error = { code: 'concurrent_execution_limit', message: 'The run waited too long for its turn.' }
        if (run?.status === 'pending') executor.end(tx, run, 'failed', { error: JSON.stringify(error) })
      }),
  })
  const starter = createRunStarter({
    write,
    clock,
    ids,
    queue,
    executor,
    openChildren: (id) => openChildren(read, id),
  })
  const runSubflow = createSubflows({ read, write, clock, book, starter, executor, queue })
  const acts = createRunActs({ read, write, clock, queue, starter, executor, rights, hasOrganizations })
  const waits = createWaits({ read, write, clock, log, acts, data, accounts: parts.auth, timeZone })
  const schedules = createSchedules({
    read,
    write,
    clock,
    log,
    book,
    starter,
    timeZone,
    notifications: parts.notifications,
    sync: parts.sync,
    accounts: parts.auth,
    authorizer: () => parts.authorizer(),
    standsForSystem: rights.standsForSystem,
    homeOf: (userId) => (hasOrganizations() ? (membershipsOf(userId)[0]?.organizationId ?? null) : null),
  })
  const alarm = createAlarm({
    clock,
    log,
    next: () => earliest(schedules.nextDue(), waits.nextDue()),
    async due() {
      await schedules.refresh(false)
      await schedules.settlePlaces()
      await schedules.runDue()
      await waits.runDue()
      await queue.expireOld()
    },
  })
  const view = createRunView({ read, authorizer, rights, isAdministrator, hasOrganizations, now: clock.now })
  const triggering = createTriggering({
    read,
    write,
    book,
    starter,
    queue,
    data,
    authorizer,
    rights,
    accounts: parts.auth,
    check: { ...check, types },
  })
  const rule = createFlowRule({ metadata, types, check, isAdministrator })
  metadata.setItemRule('flow', rule.rule)
  const flows = createFlows({
    metadata,
    book,
    states,
    secrets,
    write,
    rule,
    rights,
    isAdministrator,
    async saved() {
      await schedules.refresh(false)
      alarm.set()
    },
    lastRuns: () => lastRuns(read),
  })

  /** Machines change often, and places of schedules seldom: they are looked at once for all changes of a moment. */
  let looking = false
  const placesChanged = (): void => {
    if (looking) return
    looking = true
    setTimeout(() => {
      looking = false
      schedules
        .settlePlaces()
        .then(alarm.set)
        .catch((error: unknown) => log.error({ err: error }, 'Schedules could not be handed on.'))
    }, 100).unref()
  }

  return {
    types,
    book,
    states,
    flows,
    view,
    acts,
    triggering,
    schedules,
    starter,
    waits,
    alarm,
    openRuns: (flowUid) => openRunsOf(read, flowUid),
    consumer: createRecordTrigger({
      write,
      clock,
      book,
      starter,
      data,
      authorizer,
      timeZone,
      accounts: parts.auth,
      organizationOf: (object, recordId) =>
        hasOrganizations() ? parts.permissions.organizationOf(read, object, recordId) : null,
    }),
    service: {
      registerNodeType: types.register,
      async trigger(ctx, flow, input, options) {
        const run = await triggering.start(ctx, flows.require(ctx, flow), input, options)
        const error = view.cause(ctx, run)
        return {
          runId: run.id,
          status: run.status,
          ...(run.output === null ? {} : { output: JSON.parse(run.output) as unknown }),
          ...(error === undefined ? {} : { error }),
        }
      },
      startLater: (ctx, flow, input, also) => triggering.startLater(ctx, flows.require(ctx, flow), input, also),
      resumeStep(tx, { runId, key }, outcome) {
        const step = waitingSteps(tx, runId).find((one) => one.key === key)
        return step !== undefined && acts.wake(tx, step, outcome)
      },
    },
    async start() {
      await schedules.refresh(true)
      parts.sync()?.onMachinesChanged(placesChanged)
      for (const run of runsIn(read, ['running', 'retrying'])) queue.goOn({ id: run.id, lockKey: run.lockKey })
      for (const run of runsIn(read, ['pending'])) {
        const flow = book.get(run.flowName)?.flow
        const { maxConcurrent = 10, queueTimeoutMs = 600_000 } = flow?.concurrency ?? {}
        queue.add({ id: run.id, lockKey: run.lockKey, maxConcurrent, until: clock.now() + queueTimeoutMs })
      }
      await waits.checkAll()
      await alarm.ring()
    },
    async tidy() {
      const before = new Date(clock.now() - keptMs).toISOString()
      await write('automation.retention', (tx) => dropOldRuns(tx, before, keptRuns))
    },
    async stop() {
      await alarm.stop()
      await queue.stop(graceMs)
    },
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
