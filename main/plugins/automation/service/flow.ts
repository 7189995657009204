// A flow as runs see it: the item of type `flow` with every default filled in. Pure.
import type { flowStatuses, flowTypes } from '#shared/contracts/automation.ts'
import type { MetadataItem } from '#main/plugins/metadata/api.ts'

/** A word for what a flow is for its author. */
export type FlowStatus = (typeof flowStatuses)[number]

/** A word for how a flow starts. */
export type FlowType = (typeof flowTypes)[number]

/** What happens when a node fails (D-153). */
export interface ErrorPolicy {
  readonly strategy: 'fail' | 'retry' | 'continue'
  readonly maxRetries: number
  readonly retryDelayMs: number
  readonly backoffMultiplier: number
  readonly maxRetryDelayMs: number
  readonly jitter: boolean
  readonly fallbackNodeId: string | null
}

/** A node. */
export interface FlowNode {
  readonly id: string
  readonly type: string
  readonly label: string
  readonly config: Readonly<Record<string, unknown>>
  readonly timeoutMs: number | null
  readonly retry: ErrorPolicy | null
  readonly outputVariable: string | null
  readonly isIdempotent: boolean
}

/** An edge. */
export interface FlowEdge {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly type: 'default' | 'conditional' | 'fault'
  /** CEL as it is written; null for none. */
  readonly condition: unknown
  readonly label: string | null
  readonly isDefault: boolean
}

/** Nodes and edges. */
export interface FlowGraph {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
}

/** A variable (D-150). */
export interface FlowVariable {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'object' | 'array' | 'record' | 'records'
  readonly isInput: boolean
  readonly isOutput: boolean
  readonly defaultValue: unknown
  readonly required: boolean
}

/** How many runs go on at a time (D-154); null means the default of the kind of start. */
export interface Concurrency {
  readonly maxConcurrent: number
  readonly onConflict: 'queue' | 'reject' | 'cancel_existing' | null
  readonly lockScope: 'global' | 'per_record' | 'per_user'
  readonly queueTimeoutMs: number
}

/** A flow. */
export interface FlowDefinition extends FlowGraph {
  readonly name: string
  readonly label: string
  readonly status: FlowStatus
  readonly type: FlowType
  readonly isTemplate: boolean
  readonly runAs: 'system' | 'user'
  /** Device id of the machine its schedule runs on; null for the runner of the workspace. */
  readonly runsOn: string | null
  readonly variables: readonly FlowVariable[]
  readonly errorHandling: ErrorPolicy
  readonly concurrency: Concurrency
  readonly timeoutMs: number
}

type Body = Readonly<Record<string, unknown>>

/** Milliseconds a run may be running, unless the flow says otherwise. @source D-155 */
export const defaultRunMs = 600_000

/** A flow from the body of its item; what is missing has its default, what has another type counts as missing. */
export function readFlow(name: string, body: Body): FlowDefinition {
  return {
    name,
    label: textOf(body['label']) ?? labelOf(name),
    status: statusOf(body),
    type: (textOf(body['type']) ?? 'autolaunched') as FlowType,
    isTemplate: body['template'] === true,
    runAs: body['runAs'] === 'system' ? 'system' : 'user',
    runsOn: textOf(body['runsOn']) ?? null,
    variables: mapsOf(body['variables']).map(readVariable),
    errorHandling: readPolicy(mapOf(body['errorHandling'])),
    concurrency: readConcurrency(mapOf(body['concurrency'])),
    timeoutMs: numberOf(body['timeoutMs']) ?? defaultRunMs,
    ...readGraph(body),
  }
}

/** A flow from its stored item. */
export function flowOf({ name, item }: Pick<MetadataItem, 'name' | 'item'>): FlowDefinition {
  return readFlow(name, item)
}

/** The nodes and edges of a flow or of a body inside of a node. */
export function readGraph(source: Body): FlowGraph {
  return {
    nodes: mapsOf(source['nodes']).map(readNode),
    edges: mapsOf(source['edges']).map((edge, index) => readEdge(edge, index)),
  }
}

/** The status the author gave; `active` is the older word for it (D-147). */
export function statusOf(body: Body): FlowStatus {
  const { status } = body
  if (status === 'active' || status === 'obsolete' || status === 'invalid' || status === 'draft') return status
  return body['active'] === true ? 'active' : 'draft'
}

/** A label made of a machine name. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Where a run of the graph begins: its start, else the one node nothing leads to; undefined when that is not one. */
export function entryOf(graph: FlowGraph): FlowNode | undefined {
  const starts = graph.nodes.filter(({ type }) => type === 'start')
  if (starts.length > 0) return starts.length === 1 ? starts[0] : undefined
  const reached = new Set(graph.edges.map(({ target }) => target))
  const first = graph.nodes.filter(({ id }) => !reached.has(id))
  return first.length === 1 ? first[0] : undefined
}

/** The configuration of the start. */
export function startConfig(flow: FlowGraph): Body {
  return flow.nodes.find(({ type }) => type === 'start')?.config ?? {}
}

function readNode(node: Body): FlowNode {
  const type = textOf(node['type']) ?? ''
  const id = textOf(node['id']) ?? ''
  const retry = mapOf(node['retry'])
  return {
    id,
    type,
    label: textOf(node['label']) ?? id,
    config: mapOf(node['config']) ?? {},
    timeoutMs: numberOf(node['timeoutMs']) ?? null,
    retry: retry === undefined ? null : readPolicy(retry),
    outputVariable: textOf(node['outputVariable']) ?? null,
    isIdempotent: node['idempotent'] === true,
  }
}

function readEdge(edge: Body, index: number): FlowEdge {
  const { type } = edge
  return {
    id: textOf(edge['id']) ?? `edge${index}`,
    source: textOf(edge['source']) ?? '',
    target: textOf(edge['target']) ?? '',
    type: type === 'conditional' || type === 'fault' ? type : 'default',
    condition: edge['condition'] ?? null,
    label: textOf(edge['label']) ?? null,
    isDefault: edge['isDefault'] === true,
  }
}

function readVariable(variable: Body): FlowVariable {
  return {
    name: textOf(variable['name']) ?? '',
    type: (textOf(variable['type']) ?? 'string') as FlowVariable['type'],
    isInput: variable['isInput'] === true,
    isOutput: variable['isOutput'] === true,
    defaultValue: variable['defaultValue'] ?? null,
    required: variable['required'] === true,
  }
}

function readPolicy(given: Body = {}): ErrorPolicy {
  const { strategy } = given
  return {
    strategy: strategy === 'retry' || strategy === 'continue' ? strategy : 'fail',
    maxRetries: numberOf(given['maxRetries']) ?? 0,
    retryDelayMs: numberOf(given['retryDelayMs']) ?? 1_000,
    backoffMultiplier: numberOf(given['backoffMultiplier']) ?? 1,
    maxRetryDelayMs: numberOf(given['maxRetryDelayMs']) ?? 30_000,
    jitter: given['jitter'] === true,
    fallbackNodeId: textOf(given['fallbackNodeId']) ?? null,
  }
}

function readConcurrency(given: Body = {}): Concurrency {
  const { onConflict, lockScope } = given
  return {
    maxConcurrent: numberOf(given['maxConcurrent']) ?? 10,
    onConflict:
      onConflict === 'queue' || onConflict === 'reject' || onConflict === 'cancel_existing' ? onConflict : null,
    lockScope: lockScope === 'per_record' || lockScope === 'per_user' ? lockScope : 'global',
    queueTimeoutMs: numberOf(given['queueTimeoutMs']) ?? 600_000,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function mapOf(value: unknown): Body | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined
}

function mapsOf(value: unknown): readonly Body[] {
  return Array.isArray(value)
    ? value.flatMap((one: unknown): Body[] => [mapOf(one)].filter((map) => map !== undefined))
    : []
}
