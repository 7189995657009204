// Nodes that ask other plugins: scripts, analytics, other flows. What is not installed fails with a sentence.
import { z } from 'zod'
import { platformError } from '#shared/errors.ts'
import type { AnalyticsService } from '#main/plugins/analytics/api.ts'
import type { ScriptsService } from '#main/plugins/scripts/api.ts'
import { automationError } from '../../errors.ts'
import type { NodeCall, NodeOutcome, NodeType } from '../../api.ts'
import { FreeMap, defineNodeType } from './node-type.ts'

/** Milliseconds a script may take; its own limit comes first. @source D-155 */
const scriptMs = 6_000

/** A script in its isolated process. */
export function scriptNode(scripts: () => ScriptsService | undefined): NodeType {
  return defineNodeType({
    type: 'script',
    name: 'Script',
    description: 'Runs JavaScript in isolation, with the rights of the run.',
    icon: 'code',
    category: 'custom',
    configSchema: z
      .looseObject({ source: z.string().optional(), function: z.string().optional(), input: z.unknown().optional() })
      .refine(
        (config) => (config.source === undefined) !== (config.function === undefined),
        'A script has a source or names a function.',
      ),
    effect: 'external',
    timeoutMs: scriptMs,
    verbatim: ['source', 'function'],
    async execute({ config, ctx }) {
      const service = scripts() ?? absent('scripts')
      const { source, function: name, input = null } = config
      const result =
        name === undefined
          ? await service.run(ctx, { source: source!, input })
          : await service.runFunction(ctx, name, input)
      return { output: result.value }
    },
  })
}

/** A query over objects as cubes. */
export function analyticsNode(analytics: () => Pick<AnalyticsService, 'query'> | undefined): NodeType {
  return defineNodeType({
    type: 'analytics_query',
    name: 'Analytics query',
    description: 'Groups and sums records.',
    icon: 'chart-bar',
    category: 'data',
    configSchema: FreeMap,
    effect: 'none',
    filters: ['filters', 'where', 'having', 'query.filters', 'query.where', 'query.having'],
    async execute({ config, ctx }) {
      const service = analytics() ?? absent('analytics')
      return { output: (await service.query(ctx, config)).data }
    },
  })
}

/** Runs another flow. */
export function subflowNode(run: (call: NodeCall, input: SubflowInput) => Promise<NodeOutcome>): NodeType {
  return defineNodeType({
    type: 'subflow',
    name: 'Subflow',
    description: 'Runs another flow and takes its outputs.',
    icon: 'sitemap',
    category: 'logic',
    configSchema: z.looseObject({
      flow: z.string().min(1),
      inputs: FreeMap.default({}),
      wait: z.boolean().default(true),
    }),
    effect: 'none',
    timeoutMs: null,
    supportsPause: true,
    supportsRetry: false,
    check: ({ flow }, ask) =>
      typeof flow !== 'string' || flow.includes('{{') || ask.hasFlow(flow)
        ? []
        : [{ path: 'flow', code: 'unknown_flow', message: `There is no flow "${flow}".` }],
    execute: (call) => run(call as unknown as NodeCall, call.config),
  })
}

/** What a subflow node asks for. */
export interface SubflowInput {
  readonly flow: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly wait: boolean
}

const absentExecute = (plugin: string) => (): never => absent(plugin)

/** Types whose executor comes with a plugin; until then they fail with a sentence. */
export const declaredNodes: readonly NodeType[] = [
  defineNodeType({
    type: 'webhook',
    name: 'Webhook',
    description: 'Calls an outbound webhook.',
    icon: 'webhook',
    category: 'io',
    configSchema: z.looseObject({ name: z.string().min(1), payload: z.unknown().optional() }),
    effect: 'transaction',
    execute: absentExecute('webhooks'),
  }),
  defineNodeType({
    type: 'approval',
    name: 'Approval',
    description: 'Waits until people approve or reject.',
    icon: 'checks',
    category: 'human',
    configSchema: z.looseObject({
      object: z.string().optional(),
      recordId: z.string().optional(),
      approvers: z.array(FreeMap).min(1),
      behavior: z.enum(['first_response', 'unanimous']).default('first_response'),
      lockRecord: z.boolean().default(true),
    }),
    effect: 'transaction',
    supportsPause: true,
    execute: absentExecute('workflow'),
  }),
  defineNodeType({
    type: 'transition',
    name: 'Transition',
    description: 'Moves a record to another state of its workflow.',
    icon: 'arrow-right-circle',
    category: 'data',
    configSchema: z.looseObject({
      object: z.string().min(1),
      recordId: z.string().min(1),
      transition: z.string().min(1),
      comment: z.string().optional(),
      data: FreeMap.optional(),
    }),
    effect: 'external',
    execute: absentExecute('workflow'),
  }),
  defineNodeType({
    type: 'ai_prompt',
    name: 'Prompt',
    description: 'Asks a language model.',
    icon: 'sparkles',
    category: 'custom',
    configSchema: z.looseObject({ prompt: z.string().min(1), schema: FreeMap.optional() }),
    effect: 'external',
    execute: absentExecute('ai'),
  }),
]

/** The error of a depth nobody may reach. */
export function tooDeep(): Error {
  return automationError('execution_failed', { reason: 'recursion', message: 'Flows that start each other end here.' })
}

function absent(service: string): never {
  throw platformError('service_unavailable', {
    reason: 'not_installed',
    message: `The service "${service}" is not installed or not configured.`,
  })
}
