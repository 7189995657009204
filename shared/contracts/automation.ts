// Contracts of flows, their runs and schedules (specification "Automation flows", D-146 to D-162). Served below the
// prefix and below `/api`, as D-01 asks.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger, StopReason } from './common.ts'

/** What a flow is for its author. */
export const flowStatuses = ['draft', 'active', 'obsolete', 'invalid'] as const

/** How a flow starts. */
export const flowTypes = ['autolaunched', 'record_change', 'schedule', 'screen', 'api'] as const

/** The states of a run (D-159). */
export const runStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
  'retrying',
] as const

/** A word of {@link runStatuses}. */
export type RunStatus = (typeof runStatuses)[number]

/** What starts a run. */
export const triggerTypes = ['manual', 'record_change', 'schedule', 'api', 'screen', 'subflow', 'webhook'] as const

/** A word of {@link triggerTypes}. */
export type TriggerType = (typeof triggerTypes)[number]

/** The states of a step. */
export const stepStatuses = ['running', 'success', 'failure', 'skipped', 'waiting'] as const

/** What a node does, for the catalogue of actions. */
export const actionCategories = ['logic', 'data', 'io', 'human', 'control', 'custom'] as const

const FreeMap = z.record(z.string(), z.unknown())

/** A flow as it is shown; `nodes`, `edges` and default values are for those who may read them (D-113). */
export const Flow = z
  .looseObject({
    name: z.string(),
    label: z.string(),
    description: z.string().optional(),
    version: z.int(),
    status: z.enum(flowStatuses),
    template: z.boolean(),
    type: z.enum(flowTypes),
    variables: z.array(FreeMap).optional(),
    nodes: z.array(FreeMap).optional(),
    edges: z.array(FreeMap).optional(),
    active: z.boolean(),
    enabled: z.boolean(),
    runAs: z.enum(['system', 'user']),
    errorHandling: FreeMap.optional(),
    errors: z.array(FreeMap).optional(),
  })
  .meta({ id: 'Flow' })

/** A flow in a list. */
export const FlowSummary = z
  .object({
    name: z.string(),
    label: z.string(),
    type: z.enum(flowTypes),
    status: z.enum(flowStatuses),
    version: z.int(),
    enabled: z.boolean(),
    nodeCount: z.int(),
    lastRunAt: z.string().optional(),
  })
  .meta({ id: 'FlowSummary' })

/** Why a run or a step failed. */
export const RunError = z.looseObject({ code: z.string(), message: z.string(), nodeId: z.string().optional() })

/** One execution of a node. */
export const RunStep = z
  .object({
    id: z.string(),
    nodeId: z.string(),
    nodeType: z.string(),
    nodeLabel: z.string(),
    status: z.enum(stepStatuses),
    startedAt: z.string(),
    completedAt: z.string().optional(),
    durationMs: z.int().optional(),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    error: RunError.optional(),
    retryAttempt: z.int(),
    iteration: z.int().optional(),
  })
  .meta({ id: 'FlowRunStep' })

/** A run; lists leave `steps` and `variables` out, `withheld` says that its content is closed to the caller. */
export const Run = z
  .object({
    id: z.string(),
    flowName: z.string(),
    flowVersion: z.int(),
    status: z.enum(runStatuses),
    trigger: z.object({
      type: z.enum(triggerTypes),
      object: z.string().optional(),
      recordId: z.string().optional(),
      event: z.string().optional(),
      userId: z.string().optional(),
    }),
    runAs: z.enum(['system', 'user']),
    params: FreeMap,
    variables: FreeMap.optional(),
    output: z.unknown().optional(),
    error: RunError.optional(),
    steps: z.array(RunStep).optional(),
    attempt: z.int(),
    parentRunId: z.string().optional(),
    createdAt: z.string(),
    startedAt: z.string().optional(),
    completedAt: z.string().optional(),
    durationMs: z.int().optional(),
    resumeAt: z.string().optional(),
    waitingFor: FreeMap.optional(),
    withheld: z.literal(true).optional(),
  })
  .meta({ id: 'FlowRun' })

/** A form a run waits with. */
export const RunScreen = z
  .object({
    title: z.string().optional(),
    fields: z.array(FreeMap),
    submitLabel: z.string().optional(),
  })
  .meta({ id: 'FlowScreen' })

/** What a trigger answers. */
export const TriggerResult = z
  .object({
    runId: z.string(),
    status: z.enum(runStatuses),
    success: z.boolean(),
    output: z.unknown().optional(),
    screen: RunScreen.optional(),
    durationMs: z.int(),
  })
  .meta({ id: 'FlowTriggerResult' })

/** A node type in the catalogue (D-162). */
export const ActionDescriptor = z
  .object({
    type: z.string(),
    version: z.string(),
    name: z.string(),
    description: z.string(),
    icon: z.string(),
    category: z.enum(actionCategories),
    paradigms: z.array(z.literal('flow')),
    configSchema: FreeMap,
    outputSchema: FreeMap.optional(),
    supportsPause: z.boolean(),
    supportsCancellation: z.boolean(),
    supportsRetry: z.boolean(),
    isAsync: z.boolean(),
    source: z.enum(['builtin', 'plugin']),
    deprecated: z.boolean(),
    aliasOf: z.string().optional(),
  })
  .meta({ id: 'FlowAction' })

/** A schedule of a flow; `cron` is `every <n> s` for intervals. */
export const FlowSchedule = z
  .object({
    flowName: z.string(),
    cron: z.string(),
    timezone: z.string(),
    status: z.enum(['active', 'paused']),
    nextRunAt: z.string().nullable(),
    lastRunAt: z.string().nullable(),
    totalRuns: z.int(),
    consecutiveFailures: z.int(),
    stopped: StopReason.optional(),
    runsOn: z
      .object({
        id: z.string(),
        name: z.string(),
        isThis: z.boolean(),
        next: z
          .object({ id: z.string(), name: z.string() })
          .optional()
          .meta({ description: 'The machine it goes to once this one has heard of that.' }),
      })
      .optional()
      .meta({ description: 'The machine of the workspace it runs on (D-260, D-341); absent while sync is off.' }),
  })
  .meta({ id: 'FlowSchedule' })

/** Names no flow may have: they are segments of other routes (D-146). */
export const reservedFlowNames = ['trigger', 'actions', 'connectors', 'runs', 'resume', 'schedules', 'signals'] as const

const limited = (max: number) => QueryInteger.pipe(z.int().min(1).max(max)).optional()
const NameParams = z.object({ name: z.string() })
const RunParams = z.object({ name: z.string(), runId: z.string() })
const Paged = { total: z.int(), nextCursor: z.string().optional(), hasMore: z.boolean() }

const TriggerQuery = z.object({
  waitMs: QueryInteger.pipe(z.int().min(0).max(120_000)).optional(),
  async: QueryBoolean.optional(),
})

/** The body of a trigger; other keys become params when params is absent. */
const TriggerBody = z
  .looseObject({
    record: FreeMap.nullish(),
    object: z.string().optional(),
    event: z.string().max(200).optional(),
    userId: z.string().optional(),
    params: FreeMap.optional(),
    recordId: z.string().optional(),
  })
  .optional()

const enveloped = { mount: 'api', envelope: true, channel: 'automation', tag: 'automation' } as const
const bare = { mount: 'api', channel: 'automation', tag: 'automation' } as const
const design = { system: 'manage_flows' } as const
const start = { system: 'run_flows' } as const
const flowErrors = ['flow_not_found'] as const
const runErrors = ['flow_not_found', 'execution_not_found'] as const
const saveErrors = ['flow_validation_failed', 'invalid_state_transition', 'item_locked', 'CONCURRENT_UPDATE'] as const
/** Longer than the longest wait a request may ask for. */
const triggerMs = 125_000

/** The routes of the `automation` plugin. */
export const automationRoutes = defineRoutes({
  listFlows: defineRoute({
    ...enveloped,
    operationId: 'listFlows',
    method: 'GET',
    path: '/automation',
    query: z.object({
      status: z.enum(flowStatuses).optional(),
      type: z.enum(flowTypes).optional(),
      limit: limited(100),
      cursor: z.string().optional(),
    }),
    response: z.object({ flows: z.array(FlowSummary), ...Paged }),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'Flows by name.',
  }),
  createFlow: defineRoute({
    ...enveloped,
    operationId: 'createFlow',
    method: 'POST',
    path: '/automation',
    body: z.looseObject({ name: z.string() }),
    response: Flow,
    status: 201,
    permission: design,
    rateLimit: 'write',
    errors: ['flow_already_exists', ...saveErrors],
    summary: 'Create a flow.',
  }),
  listActions: defineRoute({
    ...bare,
    operationId: 'listActions',
    method: 'GET',
    path: '/automation/actions',
    query: z.object({
      paradigm: z.string().optional(),
      source: z.string().optional(),
      category: z.string().optional(),
    }),
    response: z.object({ actions: z.array(ActionDescriptor), total: z.int() }),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'The node types a flow may have, with the schemas of their configuration.',
  }),
  listConnectors: defineRoute({
    ...bare,
    operationId: 'listConnectors',
    method: 'GET',
    path: '/automation/connectors',
    response: z.object({ connectors: z.array(FreeMap), total: z.int() }),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'Connectors to other systems.',
  }),
  triggerByName: defineRoute({
    ...bare,
    operationId: 'triggerByName',
    method: 'POST',
    path: '/automation/trigger',
    query: TriggerQuery,
    body: z.object({ trigger: z.string().min(1), payload: FreeMap.optional() }),
    response: z.object({ success: z.boolean(), jobId: z.string(), result: z.unknown().optional() }),
    permission: start,
    rateLimit: 'write',
    errors: [...flowErrors, 'flow_disabled', 'concurrent_execution_limit'],
    timeoutMs: triggerMs,
    summary: 'Start a flow by its name, or every active flow of an API event.',
  }),
  triggerNamed: defineRoute({
    ...bare,
    operationId: 'triggerNamed',
    method: 'POST',
    path: '/automation/trigger/:trigger',
    params: z.object({ trigger: z.string() }),
    query: TriggerQuery,
    body: FreeMap.optional(),
    response: z.object({ success: z.boolean(), jobId: z.string(), result: z.unknown().optional() }),
    permission: start,
    rateLimit: 'write',
    errors: [...flowErrors, 'flow_disabled', 'concurrent_execution_limit'],
    timeoutMs: triggerMs,
    summary: 'The same with the payload as the body.',
  }),
  sendSignal: defineRoute({
    ...enveloped,
    operationId: 'sendSignal',
    method: 'POST',
    path: '/automation/signals/:signal',
    params: z.object({ signal: z.string() }),
    body: z.object({ payload: z.unknown().optional(), recordId: z.string().optional() }).optional(),
    response: z.object({ resumed: z.int() }),
    permission: start,
    rateLimit: 'write',
    errors: [],
    summary: 'Resume the runs that wait for a signal.',
  }),
  listSchedules: defineRoute({
    ...enveloped,
    operationId: 'listSchedules',
    method: 'GET',
    path: '/automation/schedules',
    response: z.object({ schedules: z.array(FlowSchedule) }),
    permission: design,
    rateLimit: 'read',
    errors: [],
    summary: 'Schedules of active flows.',
  }),
  pauseSchedule: defineRoute({
    ...enveloped,
    operationId: 'pauseSchedule',
    method: 'POST',
    path: '/automation/schedules/:name/pause',
    params: NameParams,
    response: FlowSchedule,
    permission: design,
    rateLimit: 'write',
    errors: [...flowErrors],
    summary: 'Pause the schedule of a flow.',
  }),
  resumeSchedule: defineRoute({
    ...enveloped,
    operationId: 'resumeSchedule',
    method: 'POST',
    path: '/automation/schedules/:name/resume',
    params: NameParams,
    response: FlowSchedule,
    permission: design,
    rateLimit: 'write',
    errors: [...flowErrors],
    summary: 'Resume the schedule of a flow.',
  }),
  getFlow: defineRoute({
    ...enveloped,
    operationId: 'getFlow',
    method: 'GET',
    path: '/automation/:name',
    params: NameParams,
    response: Flow,
    permission: 'session',
    rateLimit: 'read',
    errors: [...flowErrors],
    summary: 'A flow.',
  }),
  updateFlow: defineRoute({
    ...enveloped,
    operationId: 'updateFlow',
    method: 'PUT',
    path: '/automation/:name',
    params: NameParams,
    body: FreeMap,
    response: Flow,
    permission: design,
    rateLimit: 'write',
    errors: [...flowErrors, ...saveErrors],
    reads: ['If-Match'],
    summary: 'Change a flow: the keys that are sent replace the stored ones.',
  }),
  deleteFlow: defineRoute({
    ...enveloped,
    operationId: 'deleteFlow',
    method: 'DELETE',
    path: '/automation/:name',
    params: NameParams,
    response: z.object({ name: z.string(), deleted: z.boolean() }),
    permission: design,
    rateLimit: 'write',
    errors: [...flowErrors, 'item_locked', 'delete_restricted', 'CONCURRENT_UPDATE'],
    reads: ['If-Match'],
    summary: 'Delete a flow; its running runs are cancelled.',
  }),
  triggerFlow: defineRoute({
    ...enveloped,
    operationId: 'triggerFlow',
    method: 'POST',
    path: '/automation/:name/trigger',
    goesOn: true,
    params: NameParams,
    query: TriggerQuery,
    body: TriggerBody,
    response: TriggerResult,
    permission: start,
    rateLimit: 'write',
    errors: [
      ...flowErrors,
      'flow_disabled',
      'execution_failed',
      'execution_timeout',
      'node_executor_not_found',
      'concurrent_execution_limit',
    ],
    timeoutMs: triggerMs,
    summary: 'Start a flow and wait for its end, 30 s unless asked otherwise; 202 while it still runs.',
  }),
  toggleFlow: defineRoute({
    ...enveloped,
    operationId: 'toggleFlow',
    method: 'POST',
    path: '/automation/:name/toggle',
    params: NameParams,
    body: z.object({ enabled: z.boolean() }),
    response: z.object({ name: z.string(), enabled: z.boolean(), status: z.enum(flowStatuses) }),
    permission: design,
    rateLimit: 'write',
    errors: [...flowErrors],
    summary: 'Switch a flow on or off.',
  }),
  listRuns: defineRoute({
    ...enveloped,
    operationId: 'listRuns',
    method: 'GET',
    path: '/automation/:name/runs',
    params: NameParams,
    query: z.object({
      status: z.enum(runStatuses).optional(),
      limit: limited(100),
      cursor: z.string().optional(),
    }),
    response: z.object({ runs: z.array(Run), ...Paged }),
    permission: 'session',
    rateLimit: 'read',
    errors: [...flowErrors],
    summary: 'Runs of a flow, newest first: all of them for those who manage flows, else the caller’s own.',
  }),
  getRun: defineRoute({
    ...enveloped,
    operationId: 'getRun',
    method: 'GET',
    path: '/automation/:name/runs/:runId',
    params: RunParams,
    response: Run,
    permission: 'session',
    rateLimit: 'read',
    errors: [...runErrors],
    summary: 'A run with its steps.',
  }),
  resumeRun: defineRoute({
    ...enveloped,
    operationId: 'resumeRun',
    method: 'POST',
    path: '/automation/:name/runs/:runId/resume',
    params: RunParams,
    body: z
      .object({
        inputs: FreeMap.optional(),
        signal: z.string().optional(),
        output: z.unknown().optional(),
        branchLabel: z.string().optional(),
      })
      .optional(),
    response: Run,
    permission: 'session',
    rateLimit: 'write',
    errors: [...runErrors, 'permission_denied', 'run_not_resumable'],
    summary: 'Resume a paused run.',
  }),
  cancelRun: defineRoute({
    ...enveloped,
    operationId: 'cancelRun',
    method: 'POST',
    path: '/automation/:name/runs/:runId/cancel',
    params: RunParams,
    body: z.object({ reason: z.string().max(500).optional() }).optional(),
    response: Run,
    permission: 'session',
    rateLimit: 'write',
    errors: [...runErrors, 'permission_denied', 'invalid_state_transition'],
    summary: 'Cancel a run.',
  }),
  retryRun: defineRoute({
    ...enveloped,
    operationId: 'retryRun',
    method: 'POST',
    path: '/automation/:name/runs/:runId/retry',
    params: RunParams,
    body: z.object({ fromNodeId: z.string().optional() }).optional(),
    response: Run,
    permission: 'session',
    rateLimit: 'write',
    errors: [...runErrors, 'permission_denied', 'run_not_resumable'],
    summary: 'Continue a run that failed, from its failed node or from an earlier one.',
  }),
  getRunScreen: defineRoute({
    ...enveloped,
    operationId: 'getRunScreen',
    method: 'GET',
    path: '/automation/:name/runs/:runId/screen',
    params: RunParams,
    response: z.object({ runId: z.string(), nodeId: z.string(), screen: RunScreen }),
    permission: 'session',
    rateLimit: 'read',
    errors: [...runErrors, 'run_not_resumable'],
    summary: 'The form a run waits with.',
  }),
})
