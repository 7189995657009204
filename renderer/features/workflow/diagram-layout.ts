// Owns where states and transitions of a workflow are drawn: states in columns by how many steps they are from the first,
// steps to the next column straight, all others along lanes of their own above and below. Pure.

/** What is laid out. */
export interface DiagramInput {
  readonly initial: string | null
  readonly states: readonly { readonly name: string; readonly label: string }[]
  readonly transitions: readonly { readonly label: string; readonly from: readonly string[]; readonly to: string }[]
}

/** A state as a box. */
export interface DiagramNode {
  readonly name: string
  readonly label: string
  readonly x: number
  readonly y: number
  readonly width: number
}

/** All transitions from one state to another as a line. */
export interface DiagramEdge {
  readonly from: string
  readonly to: string
  readonly label: string
  readonly path: string
  readonly labelX: number
  readonly labelY: number
}

/** The drawing. */
export interface Diagram {
  readonly width: number
  readonly height: number
  readonly nodes: readonly DiagramNode[]
  readonly edges: readonly DiagramEdge[]
}

/** Height of a state. */
export const nodeHeight = 36
const rowGap = 44
const laneGap = 28
const margin = 16
const minGap = 56
// Text is not measured here: letters of 13 px are rarely wider.
const textWidth = (text: string): number => text.length * 7.5

/** Lays a workflow out. */
export function layOut(input: DiagramInput): Diagram {
  const ranks = ranksOf(input)
  const pairs = pairsOf(input)
  const columns = Array.from({ length: Math.max(0, ...ranks.values()) + 1 }, (_, rank) =>
    input.states.filter(({ name }) => ranks.get(name) === rank),
  )
  const rank = (name: string): number => ranks.get(name) ?? 0
  const isStraight = ({ from, to }: Pair): boolean => rank(to) === rank(from) + 1
  const isAbove = ({ from, to }: Pair): boolean => rank(to) > rank(from)
  const straight = pairs.filter(isStraight)
  const above = pairs.filter((pair) => !isStraight(pair) && isAbove(pair))
  const below = pairs.filter((pair) => !isStraight(pair) && !isAbove(pair))

  const tallest = Math.max(1, ...columns.map(({ length }) => length))
  const innerHeight = tallest * nodeHeight + (tallest - 1) * rowGap
  const top = margin + above.length * laneGap
  const nodes = new Map<string, DiagramNode>()
  let x = margin
  for (const [at, column] of columns.entries()) {
    const width = Math.max(64, ...column.map(({ label }) => textWidth(label) + 24))
    const columnHeight = column.length * nodeHeight + (column.length - 1) * rowGap
    for (const [row, { name, label }] of column.entries()) {
      const y = top + (innerHeight - columnHeight) / 2 + row * (nodeHeight + rowGap)
      nodes.set(name, { name, label, x, y, width })
    }
    const labels = straight.filter(({ from }) => rank(from) === at).map(({ label }) => textWidth(label) + 24)
    x += width + Math.max(minGap, ...labels)
  }
  const port = ports([...above, ...below])
  const laneEdge = (pair: Pair, lane: number, isUp: boolean): DiagramEdge => {
    const [from, to] = [nodes.get(pair.from)!, nodes.get(pair.to)!]
    const edge = (node: DiagramNode): number => (isUp ? node.y : node.y + nodeHeight)
    const [startX, endX] = [port(pair, from, 'from'), port(pair, to, 'to')]
    const y = isUp ? top - (lane + 0.5) * laneGap : top + innerHeight + (lane + 0.6) * laneGap
    const path = `M ${startX} ${edge(from)} V ${y} H ${endX} V ${edge(to)}`
    return { ...pair, path, labelX: (startX + endX) / 2, labelY: y }
  }
  const edges = [
    ...straight.map((pair): DiagramEdge => {
      const [from, to] = [nodes.get(pair.from)!, nodes.get(pair.to)!]
      const [startX, startY] = [from.x + from.width, from.y + nodeHeight / 2]
      const [endX, endY] = [to.x, to.y + nodeHeight / 2]
      const middle = (startX + endX) / 2
      const path = `M ${startX} ${startY} C ${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`
      return { ...pair, path, labelX: middle, labelY: (startY + endY) / 2 }
    }),
    ...above.map((pair, lane) => laneEdge(pair, lane, true)),
    ...below.map((pair, lane) => laneEdge(pair, lane, false)),
  ]
  const widest = edges.map(({ label, labelX }) => labelX + textWidth(label) / 2)
  const right = [...nodes.values()].map((node) => node.x + node.width)
  return {
    width: Math.max(...widest, ...right, 0) + margin,
    height: top + innerHeight + below.length * laneGap + margin,
    nodes: [...nodes.values()],
    edges,
  }
}

interface Pair {
  readonly from: string
  readonly to: string
  readonly label: string
}

/** Transitions by where they lead from and to; several between the same two share a line. */
function pairsOf({ states, transitions }: DiagramInput): Pair[] {
  const known = new Set(states.map(({ name }) => name))
  const pairs = new Map<string, Pair>()
  for (const { label, from: sources, to } of transitions) {
    for (const from of sources) {
      if (!known.has(from) || !known.has(to)) continue
      const key = JSON.stringify([from, to])
      const before = pairs.get(key)
      pairs.set(key, { from, to, label: before ? `${before.label}, ${label}` : label })
    }
  }
  return [...pairs.values()]
}

/** How many steps each state is from the first; what no step leads to begins like the first. */
function ranksOf({ initial, states, transitions }: DiagramInput): Map<string, number> {
  const ranks = new Map<string, number>()
  const spread = (start: string): void => {
    ranks.set(start, 0)
    const waiting = [start]
    for (const name of waiting) {
      for (const { from, to } of transitions) {
        if (!from.includes(name) || ranks.has(to)) continue
        ranks.set(to, ranks.get(name)! + 1)
        waiting.push(to)
      }
    }
  }
  const first = states.find(({ name }) => name === initial) ?? states[0]
  if (first) spread(first.name)
  for (const { name } of states) if (!ranks.has(name)) spread(name)
  return ranks
}

/** Where lines along lanes begin and end: side by side along the edge of a state, so that none covers another. */
function ports(lanes: readonly Pair[]) {
  const ends = lanes.flatMap((pair) => [
    { pair, end: 'from' as const, name: pair.from },
    { pair, end: 'to' as const, name: pair.to },
  ])
  return (pair: Pair, node: DiagramNode, end: 'from' | 'to'): number => {
    const own = ends.filter(({ name }) => name === node.name)
    const at = own.findIndex((one) => one.pair === pair && one.end === end)
    return node.x + (node.width * (at + 1)) / (own.length + 1)
  }
}
