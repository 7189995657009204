// Owns a flow as it is edited: its nodes and edges, and what adding, moving and removing them does to each other. Pure;
// members this version does not show pass through untouched.
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
  condition?: string
  label?: string
  [key: string]: unknown
}

/** What of a flow is edited. */
export interface FlowDraft {
  label: string
  description: string
  type: string
  runAs: string
  nodes: readonly DraftNode[]
  edges: readonly DraftEdge[]
}

/** The draft out of a stored flow. */
export function flowDraftOf(item: Readonly<Record<string, unknown>>): FlowDraft {
  return {
    label: textOf(item, 'label'),
    description: textOf(item, 'description'),
    type: textOf(item, 'type') || 'autolaunched',
    runAs: textOf(item, 'runAs') || 'user',
    nodes: listOf(item, 'nodes').map((node) => ({ ...node, id: textOf(node, 'id'), type: textOf(node, 'type') })),
    edges: listOf(item, 'edges').map((edge, at) => ({
      ...edge,
      id: textOf(edge, 'id') || `e${at}`,
      source: textOf(edge, 'source'),
      target: textOf(edge, 'target'),
    })),
  }
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

/** The nodes in the order a reader follows them: from the start along the edges, what is not reached at the end. */
export function outlineOf({ nodes, edges }: Pick<FlowDraft, 'nodes' | 'edges'>): DraftNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Set<DraftNode>()
  const visit = (node: DraftNode | undefined): void => {
    if (!node || found.has(node)) return
    found.add(node)
    for (const { source, target } of edges) if (source === node.id) visit(byId.get(target))
  }
  visit(nodes.find(({ type }) => type === 'start'))
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

/** Adds a node on the way that leaves another one, or on a new way from it. */
export function addNode(draft: FlowDraft, type: string, label: string, after: string): [FlowDraft, id: string] {
  const id = freeId(draft.nodes, type)
  const node: DraftNode = { id, type, label, config: {} }
  const at = draft.nodes.findIndex((each) => each.id === after)
  const nodes = draft.nodes.toSpliced(at + 1, 0, node)
  const leaving = plainEdge(draft.edges, after)
  const edges = leaving
    ? draft.edges.map((edge) => (edge === leaving ? { ...edge, target: id } : edge))
    : [...draft.edges, edgeBetween(draft.edges, after, id)]
  return [{ ...draft, nodes, edges: leaving ? [...edges, edgeBetween(edges, id, leaving.target)] : edges }, id]
}

/** Removes a node; the ways to it lead to where its plain way led. */
export function removeNode(draft: FlowDraft, id: string): FlowDraft {
  const next = plainEdge(draft.edges, id)?.target
  const edges = draft.edges
    .filter(({ source }) => source !== id)
    .flatMap((edge) => (edge.target !== id ? [edge] : next === undefined ? [] : [{ ...edge, target: next }]))
  return { ...draft, nodes: draft.nodes.filter((node) => node.id !== id), edges }
}

/** Whether a node can change places with the one before or after it: both have one way in and one plain way out. */
export function canMove(draft: FlowDraft, id: string, by: -1 | 1): boolean {
  return movedEdges(draft, id, by) !== undefined
}

/** Lets a node change places with the one before or after it; the same draft where that has no meaning. */
export function moveNode(draft: FlowDraft, id: string, by: -1 | 1): FlowDraft {
  const edges = movedEdges(draft, id, by)
  return edges ? { ...draft, edges } : draft
}

function movedEdges(draft: FlowDraft, id: string, by: -1 | 1): DraftEdge[] | undefined {
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
export function changeNode(draft: FlowDraft, id: string, change: Readonly<Record<string, unknown>>): FlowDraft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.id === id ? changed(node, change) : node)) }
}

/** Changes members of an edge; undefined takes one away. */
export function changeEdge(draft: FlowDraft, id: string, change: Readonly<Record<string, unknown>>): FlowDraft {
  return { ...draft, edges: draft.edges.map((edge) => (edge.id === id ? changed(edge, change) : edge)) }
}

function changed<T extends object>(whole: T, change: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(Object.entries({ ...whole, ...change }).filter(([, value]) => value !== undefined)) as T
}

/** Adds a way from one node to another. */
export function addEdge(draft: FlowDraft, source: string, target: string): FlowDraft {
  return { ...draft, edges: [...draft.edges, edgeBetween(draft.edges, source, target)] }
}

/** Removes a way. */
export function removeEdge(draft: FlowDraft, id: string): FlowDraft {
  return { ...draft, edges: draft.edges.filter((edge) => edge.id !== id) }
}
