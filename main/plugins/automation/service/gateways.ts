// Gateways and boundary events of older editors, rewritten to the nodes and edges of D-151 before a flow is stored. Pure.
import { isJsonMap } from '#shared/merge-patch.ts'

type Body = Readonly<Record<string, unknown>>

interface Parts {
  nodes: Body[]
  edges: Body[]
}

/** The flow without gateways and boundary events; one whose gateways do not pair stays, and is refused by the check. */
export function withoutGateways<T extends Body>(flow: T): T {
  const { nodes, edges } = flow
  if (!Array.isArray(nodes) || !nodes.every(isJsonMap)) return flow
  if (!nodes.some((node) => typeof node['type'] === 'string' && olderTypes.has(node['type']))) return flow
  const parts: Parts = { nodes: [...nodes], edges: Array.isArray(edges) ? edges.filter(isJsonMap) : [] }
  withoutBoundaries(parts)
  // The innermost first: a gateway whose branches hold no other one.
  for (let left = parts.nodes.length; left > 0 && foldOne(parts); left -= 1);
  return { ...flow, nodes: parts.nodes, edges: parts.edges }
}

const olderTypes: ReadonlySet<string> = new Set(['parallel_gateway', 'join_gateway', 'boundary_event'])

/** A boundary event becomes a fault edge of its node; a timer limits the node and catches that alone. */
function withoutBoundaries(parts: Parts): void {
  for (const event of parts.nodes.filter(({ type }) => type === 'boundary_event')) {
    const config = isJsonMap(event['config']) ? event['config'] : {}
    const attached = config['attachedToNodeId']
    const isTimer = config['eventType'] === 'timer'
    parts.nodes = parts.nodes
      .filter((node) => node !== event)
      .map((node) =>
        node['id'] === attached && isTimer && typeof config['durationSeconds'] === 'number'
          ? { ...node, timeoutMs: Math.max(1, Math.round(config['durationSeconds'] * 1000)) }
          : node,
      )
    parts.edges = parts.edges
      .filter(({ target }) => target !== event['id'])
      .map((edge) =>
        edge['source'] === event['id']
          ? {
              ...edge,
              source: attached,
              type: 'fault',
              ...(isTimer ? { condition: 'error.code == "execution_timeout"' } : {}),
            }
          : edge,
      )
  }
}

/** Rewrites one gateway and its join to a node of type parallel; false when there is none to rewrite. */
function foldOne(parts: Parts): boolean {
  for (const gateway of parts.nodes.filter(({ type }) => type === 'parallel_gateway')) {
    const branches = parts.edges
      .filter(({ source }) => source === gateway['id'])
      .map((edge) => branchFrom(parts, String(edge['target'])))
    const [first] = branches
    if (first === undefined || branches.length < 2) continue
    if (branches.some((branch) => branch === undefined || branch.join !== first.join)) continue
    const inside = new Set(branches.flatMap((branch) => branch!.ids))
    const config = {
      branches: branches.map((branch, index) => ({
        name: `branch_${index + 1}`,
        nodes: parts.nodes.filter(({ id }) => branch!.ids.includes(String(id))),
        edges: parts.edges.filter(
          ({ source, target }) => branch!.ids.includes(String(source)) && target !== first.join,
        ),
      })),
    }
    parts.nodes = parts.nodes
      .filter(({ id }) => !inside.has(String(id)) && id !== first.join)
      .map((node) => (node === gateway ? { ...node, type: 'parallel', config } : node))
    parts.edges = parts.edges
      .filter(({ source }) => source !== gateway['id'] && !inside.has(String(source)))
      .map((edge) => (edge['source'] === first.join ? { ...edge, source: gateway['id'] } : edge))
    return true
  }
  return false
}

/** What lies between a node and the join it leads to; undefined when it leads elsewhere, too, or holds a gateway. */
function branchFrom({ nodes, edges }: Parts, start: string): { ids: string[]; join: unknown } | undefined {
  const types = new Map(nodes.map(({ id, type }) => [String(id), type]))
  if (types.get(start) === 'join_gateway') return undefined
  const ids = [start]
  let join: unknown
  for (const id of ids) {
    if (types.get(id) === 'parallel_gateway') return undefined
    const targets = edges.filter(({ source }) => source === id).map(({ target }) => String(target))
    for (const target of targets) {
      if (types.get(target) === 'join_gateway') {
        if (join !== undefined && join !== target) return undefined
        join = target
      } else if (!ids.includes(target)) ids.push(target)
    }
  }
  return join === undefined ? undefined : { ids, join }
}
