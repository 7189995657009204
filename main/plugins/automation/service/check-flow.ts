// The full check of a flow (D-148): its graph, its nodes and every expression. Pure.
import { childNodes } from '#shared/expression/expression-node.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'
import type { ConfigCheck } from '../api.ts'
import { reservedNames } from './engine/scope.ts'
import { isTemplate, templatesOf } from '#shared/expression/templates.ts'
import type { FlowDefinition, FlowGraph, FlowNode } from './flow.ts'
import { entryOf, readGraph, startConfig } from './flow.ts'
import type { NodeTypes } from './node-types.ts'

/** A finding. */
export interface FlowProblem {
  readonly nodeId?: string
  readonly edgeId?: string
  readonly path: string
  readonly code: string
  readonly message: string
}

/** What the check asks. */
export interface CheckParts extends ConfigCheck {
  readonly types: Pick<NodeTypes, 'get'>
}

/** What the check of a graph asks, and the node every failure of the flow leads to where the graph has it. */
interface GraphParts extends CheckParts {
  readonly fallback: string | null
}

/** Nodes of a flow, those inside of nodes too. @source D-199 */
const maxNodes = 500
const maxProblems = 100

/** Faults of the graph that no flow with nodes may have, drafts neither: names that do not stand for one thing, circles. */
export function structuralProblems(flow: FlowDefinition): FlowProblem[] {
  return flow.nodes.length === 0 && flow.edges.length === 0 ? [] : graphFaults(flow, '')
}

/** Everything that keeps a flow from running. */
export function flowProblems(flow: FlowDefinition, parts: CheckParts): FlowProblem[] {
  const problems: FlowProblem[] = [...variableProblems(flow), ...startProblems(flow)]
  let nodes = 0
  const known = new Set([...flow.variables.map(({ name }) => name), 'error', 'object', 'run', 'steps'])
  forEachNode(flow, parts.types, (node) => {
    nodes += 1
    if (node.outputVariable !== null) known.add(node.outputVariable)
  })
  if (nodes > maxNodes)
    problems.push({ path: 'nodes', code: 'max_items', message: `A flow has at most ${maxNodes} nodes.` })
  else
    problems.push(
      ...graphProblems(
        flow,
        '',
        known,
        flow.variables.map(({ name }) => name),
        { ...parts, fallback: flow.errorHandling.fallbackNodeId },
      ),
    )
  return problems.slice(0, maxProblems)
}

function graphFaults(graph: FlowGraph, at: string): FlowProblem[] {
  const problems: FlowProblem[] = []
  const ids = new Set<string>()
  graph.nodes.forEach(({ id }, index) => {
    if (id === '' || ids.has(id))
      problems.push({
        nodeId: id,
        path: `${at}nodes.${index}.id`,
        code: 'duplicate_value',
        message: 'Every node has an id of its own.',
      })
    ids.add(id)
  })
  const edges = new Set<string>()
  graph.edges.forEach((edge, index) => {
    if (edges.has(edge.id))
      problems.push({
        edgeId: edge.id,
        path: `${at}edges.${index}.id`,
        code: 'duplicate_value',
        message: 'Every edge has an id of its own.',
      })
    edges.add(edge.id)
    for (const end of ['source', 'target'] as const) {
      if (ids.has(edge[end])) continue
      problems.push({
        edgeId: edge.id,
        path: `${at}edges.${index}.${end}`,
        code: 'invalid_reference',
        message: `There is no node "${edge[end]}".`,
      })
    }
  })
  const circle = circleIn(graph)
  if (circle !== undefined)
    problems.push({
      nodeId: circle,
      path: `${at}edges`,
      code: 'cycle',
      message: 'The edges lead in a circle; a loop node repeats.',
    })
  return problems
}

function graphProblems(
  graph: FlowGraph,
  at: string,
  known: ReadonlySet<string>,
  variables: readonly string[],
  parts: GraphParts,
): FlowProblem[] {
  const problems = graphFaults(graph, at)
  const starts = graph.nodes.filter(({ type }) => type === 'start')
  const entry = entryOf(graph)
  if (at === '' ? starts.length !== 1 : starts.length > 1 || entry === undefined) {
    const message = at === '' ? 'A flow has exactly one start.' : 'A body begins at one node.'
    problems.push({ path: `${at}nodes`, code: 'start', message })
  } else if (entry !== undefined) problems.push(...unreachable(graph, entry, at, parts.fallback))
  graph.nodes.forEach((node, index) => {
    problems.push(...nodeProblems(graph, node, `${at}nodes.${index}`, known, variables, parts))
  })
  graph.edges.forEach((edge, index) => {
    const path = `${at}edges.${index}.condition`
    const isMissing = edge.type === 'conditional' && edge.condition === null
    if (isMissing)
      problems.push({ edgeId: edge.id, path, code: 'required', message: 'A conditional edge has a condition.' })
    if (edge.condition === null) return
    problems.push(...expressionProblems(edge.condition, path, known).map((one) => ({ edgeId: edge.id, ...one })))
  })
  for (const node of graph.nodes) {
    const plain = graph.edges.filter(
      ({ source, type, condition, label, isDefault }) =>
        source === node.id && type === 'default' && condition === null && (isDefault || !isLabelled(node, label)),
    )
    if (plain.length > 1)
      problems.push({
        nodeId: node.id,
        path: `${at}edges`,
        code: 'ambiguous',
        message: 'Two edges without a condition leave the node.',
      })
  }
  return problems
}

/** A label decides where the node says one: decisions over an expression, approvals. */
function isLabelled({ type, config }: FlowNode, label: string | null): boolean {
  return label !== null && ((type === 'decision' && config['expression'] !== undefined) || type === 'approval')
}

function nodeProblems(
  graph: FlowGraph,
  node: FlowNode,
  path: string,
  known: ReadonlySet<string>,
  variables: readonly string[],
  parts: GraphParts,
): FlowProblem[] {
  const type = parts.types.get(node.type)
  const nodeId = node.id
  if (type === undefined)
    return [
      { nodeId, path: `${path}.type`, code: 'unknown_node_type', message: `There is no node type "${node.type}".` },
    ]
  const problems: FlowProblem[] = []
  const add = (inside: string, code: string, message: string): void => {
    problems.push({ nodeId, path: `${path}.config${inside === '' ? '' : `.${inside}`}`, code, message })
  }
  const parsed = type.configSchema.safeParse(node.config)
  for (const issue of parsed.error?.issues ?? []) {
    // What a template makes is judged when it is made.
    if (isUnderTemplate(node.config, issue.path)) continue
    add(issue.path.join('.'), issue.code, issue.message)
  }
  const inner = new Set([...known, ...(type.names?.(node.config) ?? [])])
  for (const name of type.expressions ?? []) {
    const source = node.config[name]
    if (source === undefined) continue
    for (const one of expressionProblems(source, name, inner)) add(one.path, one.code, one.message)
  }
  const verbatim = new Set([...(type.verbatim ?? []), ...(type.expressions ?? [])])
  for (const [name, value] of Object.entries(node.config)) {
    if (!verbatim.has(name)) templateProblems(value, name, known, add)
  }
  if (problems.length === 0)
    for (const one of type.check?.(node.config, parts) ?? []) add(one.path, one.code, one.message)
  if (node.type === 'assignment') problems.push(...assignmentProblems(node, path, variables))
  if (node.outputVariable !== null && isReserved(node.outputVariable))
    problems.push({ nodeId, path: `${path}.outputVariable`, code: 'not_allowed', message: 'The name is reserved.' })
  const fallback = node.retry?.fallbackNodeId ?? null
  if (fallback !== null && !graph.nodes.some(({ id }) => id === fallback))
    problems.push({
      nodeId,
      path: `${path}.retry.fallbackNodeId`,
      code: 'invalid_reference',
      message: `There is no node "${fallback}".`,
    })
  for (const { path: inside, graph: body } of type.bodies?.(node.config) ?? []) {
    problems.push(
      ...graphProblems(
        readGraph(body as Record<string, unknown>),
        `${path}.config.${inside}.`,
        inner,
        variables,
        parts,
        // What is wrong with all of a body is said of the node it is in.
      ).map((one) => (one.nodeId === undefined && one.edgeId === undefined ? { nodeId, ...one } : one)),
    )
  }
  return problems
}

function assignmentProblems(node: FlowNode, path: string, variables: readonly string[]): FlowProblem[] {
  const assignments = node.config['assignments']
  if (!Array.isArray(assignments)) return []
  return assignments.flatMap((one: unknown, index): FlowProblem[] => {
    const name = (one as { variable?: unknown } | null)?.variable
    if (typeof name !== 'string' || variables.includes(name)) return []
    const message = `The flow has no variable "${name}".`
    return [
      { nodeId: node.id, path: `${path}.config.assignments.${index}.variable`, code: 'unknown_variable', message },
    ]
  })
}

function variableProblems(flow: FlowDefinition): FlowProblem[] {
  return flow.variables.flatMap(({ name }, index): FlowProblem[] =>
    isReserved(name)
      ? [{ path: `variables.${index}.name`, code: 'not_allowed', message: 'The name is reserved.' }]
      : [],
  )
}

/** What starts a flow by itself must say when. */
function startProblems(flow: FlowDefinition): FlowProblem[] {
  const start = flow.nodes.find(({ type }) => type === 'start')
  if (start === undefined) return []
  const config = startConfig(flow)
  const at = `nodes.${flow.nodes.indexOf(start)}.config`
  const missing = (name: string): FlowProblem => ({
    nodeId: start.id,
    path: `${at}.${name}`,
    code: 'required',
    message: `A flow of type ${flow.type} needs it.`,
  })
  if (flow.type === 'record_change') {
    const events = config['events']
    return [
      ...(typeof config['object'] === 'string' ? [] : [missing('object')]),
      ...(Array.isArray(events) && events.length > 0 ? [] : [missing('events')]),
    ]
  }
  if (flow.type !== 'schedule') return []
  return config['cron'] === undefined && config['everySeconds'] === undefined ? [missing('cron')] : []
}

function unreachable(graph: FlowGraph, entry: FlowNode, at: string, fallback: string | null): FlowProblem[] {
  const reached = new Set([entry.id])
  const fallbacks = [
    ...graph.nodes.flatMap(({ retry }) => retry?.fallbackNodeId ?? []),
    ...(fallback === null ? [] : [fallback]),
  ]
  const queue = [entry.id, ...fallbacks]
  for (const id of fallbacks) reached.add(id)
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const { source, target } of graph.edges) {
      if (source !== id || reached.has(target)) continue
      reached.add(target)
      queue.push(target)
    }
  }
  return graph.nodes.flatMap((node, index): FlowProblem[] =>
    reached.has(node.id)
      ? []
      : [{ nodeId: node.id, path: `${at}nodes.${index}`, code: 'unreachable', message: 'No edge leads to the node.' }],
  )
}

/** A node on a circle; undefined when there is none. */
function circleIn({ nodes, edges }: FlowGraph): string | undefined {
  const state = new Map<string, 'open' | 'done'>()
  const targets = new Map<string, string[]>()
  for (const { source, target } of edges) targets.set(source, [...(targets.get(source) ?? []), target])
  for (const { id } of nodes) {
    const stack: { id: string; rest: string[] }[] = []
    if (state.has(id)) continue
    state.set(id, 'open')
    stack.push({ id, rest: [...(targets.get(id) ?? [])] })
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        state.set(top.id, 'done')
        stack.pop()
      } else if (state.get(next) === 'open') return next
      else if (!state.has(next)) {
        state.set(next, 'open')
        stack.push({ id: next, rest: [...(targets.get(next) ?? [])] })
      }
    }
  }
  return undefined
}

function templateProblems(
  value: unknown,
  path: string,
  known: ReadonlySet<string>,
  add: (path: string, code: string, message: string) => void,
): void {
  if (typeof value === 'string') {
    if (!isTemplate(value)) return
    for (const source of templatesOf(value)) {
      for (const one of expressionProblems(source, path, known)) add(one.path, one.code, one.message)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) templateProblems(member, `${path}.${name}`, known, add)
  }
}

function expressionProblems(source: unknown, path: string, known: ReadonlySet<string>): FlowProblem[] {
  try {
    const unknown = namesIn(compileOpenExpression(source).node).find((name) => !known.has(name))
    if (unknown === undefined) return []
    return [{ path, code: 'expression_error', message: `"${unknown}" is not known here.` }]
  } catch (error) {
    if (error instanceof ExpressionError) return [{ path, code: 'expression_error', message: error.message }]
    throw error
  }
}

/** The variables an expression reads by name. */
function namesIn(node: ExpressionNode): string[] {
  if (node.kind === 'member' && node.of.kind === 'root' && node.of.name === 'vars') return [node.name]
  return childNodes(node).flatMap(namesIn)
}

function isReserved(name: string): boolean {
  return (reservedNames as readonly string[]).includes(name)
}

/** Whether a place in a value is a template, or was made by one. */
function isUnderTemplate(value: unknown, path: readonly PropertyKey[]): boolean {
  let at = value
  if (isTemplate(at)) return true
  for (const part of path) {
    at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined
    if (isTemplate(at)) return true
  }
  return false
}

function forEachNode(graph: FlowGraph, types: CheckParts['types'], visit: (node: FlowNode) => void): void {
  for (const node of graph.nodes) {
    visit(node)
    for (const { graph: body } of types.get(node.type)?.bodies?.(node.config) ?? [])
      forEachNode(readGraph(body as Record<string, unknown>), types, visit)
  }
}
