// Owns a flow as it is edited: its nodes and edges, and what adding, moving and removing them does to each other. A body
// inside of a node is such a graph too. Pure; members this version does not show pass through untouched.
import { listOf, textOf } from '../../lib/text-of.ts'

/** A node; further members are kept. */
export interface DraftNode {
  id: string
  type: string
  label?: string
  config?: Readonly<Record<string, unknown>>
  [key: string]: unknown
}

/** The ways an edge may be chosen. */
export const edgeTypes = ['default', 'conditional', 'fault'] as const

/** A way from one node to another; further members are kept. */
export interface DraftEdge {
  id: string
  source: string
  target: string
  type?: (typeof edgeTypes)[number]
  condition?: unknown
  label?: string
  [key: string]: unknown
}

/** Nodes and edges: those of a flow, or of a body inside of a node. */
export interface DraftGraph {
  nodes: readonly DraftNode[]
  edges: readonly DraftEdge[]
}

/** What happens when a step fails; what is left out is as usual. */
export type ErrorPolicy = Readonly<Record<string, unknown>>

/** A variable of a flow; further members are kept. */
export interface DraftVariable {
  name: string
  type: string
  isInput?: boolean
  isOutput?: boolean
  required?: boolean
  defaultValue?: unknown
  [key: string]: unknown
}

/** What of a flow is edited. */
export interface FlowDraft extends DraftGraph {
  label: string
  description: string
  type: string
  runAs: string
  variables: readonly DraftVariable[]
  errorHandling: ErrorPolicy
  /** Device id of the machine its schedule runs on; '' for the one of the workspace. */
  runsOn: string
}

/** The draft out of a stored flow. */
export function flowDraftOf(item: Readonly<Record<string, unknown>>): FlowDraft {
  const { errorHandling } = item
  return {
    label: textOf(item, 'label'),
    description: textOf(item, 'description'),
    type: textOf(item, 'type') || 'autolaunched',
    runAs: textOf(item, 'runAs') || 'user',
    variables: listOf(item, 'variables').map((one) => ({
      ...one,
      name: textOf(one, 'name'),
      type: textOf(one, 'type') || 'string',
    })),
    errorHandling: typeof errorHandling === 'object' && errorHandling !== null ? (errorHandling as ErrorPolicy) : {},
    runsOn: textOf(item, 'runsOn'),
    ...draftGraphOf(item),
  }
}

/** The graph in the item of a flow, or in a body. */
export function draftGraphOf(item: Readonly<Record<string, unknown>>): DraftGraph {
  return {
    nodes: listOf(item, 'nodes').map((node) => ({ ...node, id: textOf(node, 'id'), type: textOf(node, 'type') })),
    edges: listOf(item, 'edges').map((edge, at) => ({
      ...edge,
      id: textOf(edge, 'id') || `e${at}`,
      source: textOf(edge, 'source'),
      target: textOf(edge, 'target'),
    })),
  }
}

/**
 * What is saved of a draft. Members that say nothing are sent only where the stored flow has them, because a save leaves
 * alone what it does not name.
 * @param stored the item the draft was made of
 */
export function definitionOf(draft: FlowDraft, stored: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isSilent = (value: unknown): boolean =>
    value === '' || JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}'
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => name in stored || !isSilent(value)))
}

/** What a node is called on screen. */
export function nodeLabel({ label, id }: Pick<DraftNode, 'label' | 'id'>): string {
  return label !== undefined && label !== '' ? label : id
}

const freeId = (taken: readonly { id: string }[], base: string): string => {
  const ids = new Set(taken.map(({ id }) => id))
  for (let number = 1; ; number += 1) if (!ids.has(`${base}_${number}`)) return `${base}_${number}`
}

const edgeBetween = (edges: readonly DraftEdge[], source: string, target: string): DraftEdge => ({
  id: freeId(edges, 'edge'),
  source,
  target,
})

/** Where a graph begins: its start, else the first node no way leads to. */
export function entryOf({ nodes, edges }: DraftGraph): DraftNode | undefined {
  const reached = new Set(edges.map(({ target }) => target))
  return nodes.find(({ type }) => type === 'start') ?? nodes.find(({ id }) => !reached.has(id))
}

/** The nodes in the order a reader follows them: from the start along the edges, what is not reached at the end. */
export function outlineOf({ nodes, edges }: DraftGraph): DraftNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Set<DraftNode>()
  const visit = (node: DraftNode | undefined): void => {
    if (!node || found.has(node)) return
    found.add(node)
    for (const { source, target } of edges) if (source === node.id) visit(byId.get(target))
  }
  visit(entryOf({ nodes, edges }))
  // An end reads best last, wherever the first way to it was.
  const reached = [...found]
  const others = nodes.filter((node) => !found.has(node))
  return [...reached.filter(({ type }) => type !== 'end'), ...reached.filter(({ type }) => type === 'end'), ...others]
}

/** The only way that leaves a node without a condition; undefined for none or several. */
function plainEdge(edges: readonly DraftEdge[], source: string): DraftEdge | undefined {
  const leaving = edges.filter((edge) => edge.source === source && (edge.type ?? 'default') === 'default')
  return leaving.length === 1 ? leaving[0] : undefined
}

/** A new step. */
export interface NewNode {
  readonly type: string
  readonly label: string
  /** What it is configured with at first. */
  readonly config: Readonly<Record<string, unknown>>
  /** Ids that are taken elsewhere in the flow: expressions name steps by their id alone. */
  readonly taken: ReadonlySet<string>
}

/** Adds a node on the way that leaves another one, or on a new way from it; alone where `after` is undefined. */
export function addNode<G extends DraftGraph>(graph: G, fresh: NewNode, after: string | undefined): [G, id: string] {
  const leaving = after === undefined ? undefined : plainEdge(graph.edges, after)
  if (leaving) return addNodeOn(graph, fresh, leaving.id)
  const node = nodeOf(graph, fresh)
  const at = graph.nodes.findIndex((each) => each.id === after)
  const nodes = graph.nodes.toSpliced(at === -1 ? graph.nodes.length : at + 1, 0, node)
  const edges = after === undefined ? graph.edges : [...graph.edges, edgeBetween(graph.edges, after, node.id)]
  return [{ ...graph, nodes, edges }, node.id]
}

/** Adds a node on a way. */
export function addNodeOn<G extends DraftGraph>(graph: G, fresh: NewNode, edgeId: string): [G, id: string] {
  const way = graph.edges.find(({ id }) => id === edgeId)
  if (!way) return addNode(graph, fresh, undefined)
  const node = nodeOf(graph, fresh)
  const nodes = graph.nodes.toSpliced(graph.nodes.findIndex(({ id }) => id === way.source) + 1, 0, node)
  const edges = graph.edges.map((edge) => (edge === way ? { ...edge, target: node.id } : edge))
  return [{ ...graph, nodes, edges: [...edges, edgeBetween(edges, node.id, way.target)] }, node.id]
}

function nodeOf({ nodes }: DraftGraph, { type, label, config, taken }: NewNode): DraftNode {
  return { id: freeId([...nodes, ...[...taken].map((id) => ({ id }))], type), type, label, config }
}

/** Removes a node; the ways to it lead to where its plain way led. */
export function removeNode<G extends DraftGraph>(draft: G, id: string): G {
  const next = plainEdge(draft.edges, id)?.target
  const edges = draft.edges
    .filter(({ source }) => source !== id)
    .flatMap((edge) => (edge.target !== id ? [edge] : next === undefined ? [] : [{ ...edge, target: next }]))
  return { ...draft, nodes: draft.nodes.filter((node) => node.id !== id), edges }
}

/** Whether a node can change places with the one before or after it: both have one way in and one plain way out. */
export function canMove(draft: DraftGraph, id: string, by: -1 | 1): boolean {
  return movedEdges(draft, id, by) !== undefined
}

/** Lets a node change places with the one before or after it; the same draft where that has no meaning. */
export function moveNode<G extends DraftGraph>(draft: G, id: string, by: -1 | 1): G {
  const edges = movedEdges(draft, id, by)
  return edges ? { ...draft, edges } : draft
}

function movedEdges(draft: DraftGraph, id: string, by: -1 | 1): DraftEdge[] | undefined {
  const { nodes, edges } = draft
  const into = (target: string): DraftEdge | undefined => {
    const found = edges.filter((edge) => edge.target === target)
    return found.length === 1 ? found[0] : undefined
  }
  const isFree = (node: string): boolean => {
    const type = nodes.find((each) => each.id === node)?.type
    const leaving = edges.filter(({ source }) => source === node)
    return type !== undefined && type !== 'start' && type !== 'end' && leaving.length === 1
  }
  // Moving down is the next one moving up.
  const lower = by === -1 ? id : plainEdge(edges, id)?.target
  const between = lower === undefined ? undefined : into(lower)
  const upper = between?.source
  const before = upper === undefined ? undefined : into(upper)
  const behind = lower === undefined ? undefined : plainEdge(edges, lower)
  if (lower === undefined || upper === undefined || !before || !between || !behind) return undefined
  if (!isFree(lower) || !isFree(upper)) return undefined
  return edges.map((edge) => {
    if (edge === before) return { ...edge, target: lower }
    if (edge === between) return { ...edge, source: lower, target: upper }
    if (edge === behind) return { ...edge, source: upper }
    return edge
  })
}

/** Changes members of a node; undefined takes one away. */
export function changeNode<G extends DraftGraph>(draft: G, id: string, change: Readonly<Record<string, unknown>>): G {
  return { ...draft, nodes: draft.nodes.map((node) => (node.id === id ? changed(node, change) : node)) }
}

/** Changes members of an edge; undefined takes one away. */
export function changeEdge<G extends DraftGraph>(draft: G, id: string, change: Readonly<Record<string, unknown>>): G {
  return { ...draft, edges: draft.edges.map((edge) => (edge.id === id ? changed(edge, change) : edge)) }
}

function changed<T extends object>(whole: T, change: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(Object.entries({ ...whole, ...change }).filter(([, value]) => value !== undefined)) as T
}

/** Adds a way from one node to another. */
export function addEdge<G extends DraftGraph>(draft: G, source: string, target: string): G {
  return { ...draft, edges: [...draft.edges, edgeBetween(draft.edges, source, target)] }
}

/** Removes a way. */
export function removeEdge<G extends DraftGraph>(draft: G, id: string): G {
  return { ...draft, edges: draft.edges.filter((edge) => edge.id !== id) }
}
