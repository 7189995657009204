// Owns the graphs inside of steps: which places of a configuration hold one, and changing one of them where it is, however
// deep. Pure; what holds bodies is read from the schemas of actions, so steps of plugins are no exception.
import { listOf, textOf } from '../../lib/text-of.ts'
import { draftGraphOf } from './flow-draft.ts'
import type { DraftGraph, DraftNode, NewNode } from './flow-draft.ts'

/** From the flow to a graph inside of it: a node and the place in its configuration, from outside in. */
export type GraphPath = readonly { readonly node: string; readonly place: string }[]

/** A step, by its graph and its id; '' stands for the graph itself. */
export interface StepPlace {
  readonly path: GraphPath
  readonly id: string
}

/** A place of a configuration that holds a graph. */
export interface BodyPlace {
  /** Where it is: `body`, or `branches.0`. */
  readonly place: string
  /** The name of a branch; undefined for bodies that have none. */
  readonly name: string | undefined
}

/** What actions say of their configuration. */
export type Schemas = readonly { readonly type: string; readonly configSchema: Readonly<Record<string, unknown>> }[]

type Map = Readonly<Record<string, unknown>>

const mapOf = (value: unknown): Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Map) : {}

/** Whether a schema is that of a graph. */
export function holdsGraph(schema: unknown): boolean {
  const properties = mapOf(mapOf(schema)['properties'])
  return 'nodes' in properties && 'edges' in properties
}

/** Whether a schema is that of a list of graphs. */
export function holdsGraphs(schema: unknown): boolean {
  return holdsGraph(mapOf(schema)['items'])
}

const propertiesOf = (schemas: Schemas, type: string): [name: string, schema: unknown][] =>
  Object.entries(mapOf(schemas.find((each) => each.type === type)?.configSchema['properties']))

/** The graphs inside of a step, in order. */
export function bodiesOf({ type, config = {} }: Pick<DraftNode, 'type' | 'config'>, schemas: Schemas): BodyPlace[] {
  return propertiesOf(schemas, type).flatMap(([name, schema]): BodyPlace[] => {
    if (holdsGraph(schema)) return name in config ? [{ place: name, name: undefined }] : []
    if (!holdsGraphs(schema)) return []
    return listOf(config, name).map((branch, at) => ({ place: `${name}.${at}`, name: textOf(branch, 'name') }))
  })
}

/** What a new step of a type is configured with: every graph it needs, empty. */
function firstConfig(type: string, schemas: Schemas): Record<string, unknown> {
  const required = mapOf(schemas.find((each) => each.type === type)?.configSchema)['required']
  const needed = propertiesOf(schemas, type).filter(([name]) => Array.isArray(required) && required.includes(name))
  const empty = { nodes: [], edges: [] }
  return Object.fromEntries(
    needed.flatMap(([name, schema]): [string, unknown][] => {
      if (holdsGraph(schema)) return [[name, empty]]
      return holdsGraphs(schema) ? [[name, ['a', 'b'].map((branch) => ({ name: branch, ...empty }))]] : []
    }),
  )
}

const keysOf = (place: string): (string | number)[] =>
  place.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

const valueAt = (value: unknown, keys: readonly (string | number)[]): unknown =>
  keys.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value)

function replaceAt(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  next: (at: unknown) => unknown,
): unknown {
  if (key === undefined) return next(value)
  if (typeof key === 'number')
    return (value as readonly unknown[]).map((each, at) => (at === key ? replaceAt(each, rest, next) : each))
  return { ...mapOf(value), [key]: replaceAt(mapOf(value)[key], rest, next) }
}

/** The graph at a path; undefined when it is there no more. */
export function graphAt(graph: DraftGraph, path: GraphPath): DraftGraph | undefined {
  const [step, ...rest] = path
  if (step === undefined) return graph
  const node = graph.nodes.find(({ id }) => id === step.node)
  const body = valueAt(node?.config, keysOf(step.place))
  return typeof body === 'object' && body !== null ? graphAt(draftGraphOf(mapOf(body)), rest) : undefined
}

/** Changes the graph at a path, and nothing else. */
export function changeGraph<G extends DraftGraph>(
  graph: G,
  path: GraphPath,
  change: (at: DraftGraph) => DraftGraph,
): G {
  const [step, ...rest] = path
  if (step === undefined) return { ...graph, ...change(graph) }
  const nodes = graph.nodes.map((node) => {
    if (node.id !== step.node) return node
    const config = replaceAt(node.config, keysOf(step.place), (body) => ({
      ...mapOf(body),
      ...changeGraph(draftGraphOf(mapOf(body)), rest, change),
    }))
    return { ...node, config: config as Map }
  })
  return { ...graph, nodes }
}

/** Every step of a flow with where it is, in the order it is stored in: steps come before what is inside of them. */
export function allSteps(
  graph: DraftGraph,
  schemas: Schemas,
  path: GraphPath = [],
): (StepPlace & { node: DraftNode })[] {
  return graph.nodes.flatMap((node) => [
    { path, id: node.id, node },
    ...bodiesOf(node, schemas).flatMap(({ place }) => {
      const inner = [...path, { node: node.id, place }]
      const body = graphAt({ nodes: [node], edges: [] }, [{ node: node.id, place }])
      return body ? allSteps(body, schemas, inner) : []
    }),
  ])
}

/** A new step of an action, with an id that no other step of the flow has. */
export function newNode(
  action: { readonly type: string; readonly name: string },
  flow: DraftGraph,
  schemas: Schemas,
): NewNode {
  const { type, name: label } = action
  return {
    type,
    label,
    config: firstConfig(type, schemas),
    taken: new Set(allSteps(flow, schemas).map(({ id }) => id)),
  }
}

/** The key of a step on screen. */
export function placeKey({ path, id }: StepPlace): string {
  return [...path.flatMap(({ node, place }) => [node, place]), id].join('/')
}

/**
 * The step a path of the host is in, and what of it is meant: `nodes.1.config.body.nodes.0.config.id` is the member
 * `config.id` of the first step in the body of the second. Undefined for paths that name no step.
 */
export function placeOfPath(graph: DraftGraph, path: string): (StepPlace & { member: string }) | undefined {
  const found = /^nodes\.(\d+)(?:\.(.*))?$/.exec(path)
  const node = graph.nodes[Number(found?.[1] ?? Number.NaN)]
  if (!node) return undefined
  const member = found?.[2] ?? ''
  const inside = /^config\.(.+?)\.(nodes\.\d+(?:\..*)?)$/.exec(member)
  const place = inside?.[1]
  const body = place === undefined ? undefined : graphAt(graph, [{ node: node.id, place }])
  const deeper = body && placeOfPath(body, inside![2]!)
  if (!deeper) return { path: [], id: node.id, member }
  return { ...deeper, path: [{ node: node.id, place: place! }, ...deeper.path] }
}
