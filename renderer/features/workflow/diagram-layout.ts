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
export const nodeHeight = 40
const rowGap = 24
const laneGap = 26
const channelGap = 12
const arrowRoom = 16
const margin = 16
// Text is not measured here: letters of 13 px are rarely wider.
const textWidth = (text: string): number => text.length * 7.5

/** Lays a workflow out. No line crosses a state: lines leave to the right, arrive from the left, and turn between columns. */
export function layOut(input: DiagramInput): Diagram {
  const ranks = ranksOf(input)
  const pairs = pairsOf(input)
  const rank = (name: string): number => ranks.get(name) ?? 0
  const step = ({ from, to }: Pair): number => rank(to) - rank(from)
  const straight = pairs.filter((pair) => step(pair) === 1)
  const above = pairs.filter((pair) => step(pair) > 1)
  const below = pairs.filter((pair) => step(pair) < 1)
  const lanes = [...above, ...below]
  const leaving = (at: number): Pair[] => lanes.filter(({ from }) => rank(from) === at)
  const arriving = (at: number): Pair[] => lanes.filter(({ to }) => rank(to) === at)

  const columns = Array.from({ length: Math.max(0, ...ranks.values()) + 1 }, (_, at) =>
    input.states.filter(({ name }) => rank(name) === at),
  )
  const heightOf = (rows: number): number => rows * nodeHeight + (rows - 1) * rowGap
  const innerHeight = heightOf(Math.max(1, ...columns.map(({ length }) => length)))
  const top = margin + above.length * laneGap
  const nodes = new Map<string, DiagramNode>()
  let x = margin
  for (const [at, column] of columns.entries()) {
    x += arriving(at).length * channelGap + arrowRoom
    const width = Math.max(64, ...column.map(({ label }) => textWidth(label) + 24))
    const start = top + (innerHeight - heightOf(column.length)) / 2
    for (const [row, { name, label }] of column.entries())
      nodes.set(name, { name, label, x, y: start + row * (nodeHeight + rowGap), width })
    const labels = straight.filter(({ from }) => rank(from) === at).map(({ label }) => textWidth(label) + 16)
    x += width + leaving(at).length * channelGap + Math.max(arrowRoom, ...labels)
  }

  // Along a side of a state the lines that go up are above, those that go down below: they do not cross at once.
  const ordered = [...above, ...straight, ...below]
  const portY = (side: 'from' | 'to', pair: Pair): number => {
    const own = ordered.filter((other) => other[side] === pair[side])
    return nodes.get(pair[side])!.y + (nodeHeight * (own.indexOf(pair) + 1)) / (own.length + 1)
  }
  const columnEdge = (at: number): { left: number; right: number } => {
    const column = columns[at]!.map(({ name }) => nodes.get(name)!)
    return {
      left: Math.min(...column.map((node) => node.x)),
      right: Math.max(...column.map((node) => node.x + node.width)),
    }
  }
  const ends = (pair: Pair) => {
    const [from, to] = [nodes.get(pair.from)!, nodes.get(pair.to)!]
    return { startX: from.x + from.width, startY: portY('from', pair), endX: to.x, endY: portY('to', pair) }
  }
  const straightEdge = (pair: Pair): DiagramEdge => {
    const { startX, startY, endX, endY } = ends(pair)
    const middle = (startX + endX) / 2
    const path = `M ${startX} ${startY} C ${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`
    return { ...pair, path, labelX: middle, labelY: (startY + endY) / 2 }
  }
  const laneEdge = (pair: Pair, y: number): DiagramEdge => {
    const { startX, startY, endX, endY } = ends(pair)
    const [source, target] = [rank(pair.from), rank(pair.to)]
    const outX = columnEdge(source).right + (leaving(source).indexOf(pair) + 1) * channelGap
    const inX = columnEdge(target).left - arrowRoom - arriving(target).indexOf(pair) * channelGap
    const path = `M ${startX} ${startY} H ${outX} V ${y} H ${inX} V ${endY} H ${endX}`
    return { ...pair, path, labelX: (outX + inX) / 2, labelY: y }
  }
  const edges = [
    ...straight.map(straightEdge),
    ...above.map((pair, lane) => laneEdge(pair, top - (lane + 0.7) * laneGap)),
    ...below.map((pair, lane) => laneEdge(pair, top + innerHeight + (lane + 0.7) * laneGap)),
  ]
  const labelEnds = edges.map(({ label, labelX }) => labelX + textWidth(label) / 2)
  return {
    width: Math.max(x, ...labelEnds) + margin,
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
