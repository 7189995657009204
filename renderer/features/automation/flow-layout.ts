// Owns where the steps of a flow are drawn: in rows by how far they are from the beginning, what is inside of a step in a
// frame in it, ways that pass rows along lanes of their own. Pure.
import { bodiesOf, graphAt, placeKey } from './flow-bodies.ts'
import type { GraphPath, Schemas } from './flow-bodies.ts'
import { outlineOf } from './flow-draft.ts'
import type { DraftEdge, DraftGraph, DraftNode } from './flow-draft.ts'
import { bodyLabel } from './flow-words.ts'

/** A point of the drawing. */
export interface Point {
  readonly x: number
  readonly y: number
}

interface Box extends Point {
  /** Unlike that of any other in the drawing. */
  readonly key: string
  readonly path: GraphPath
  readonly width: number
  readonly height: number
}

/** A step as a box; frames of what is inside of it lie on it. */
export interface StepBox extends Box {
  readonly node: DraftNode
}

/** What is inside of a step; the path is that of its graph. */
export interface FrameBox extends Box {
  readonly label: string
  readonly isEmpty: boolean
}

/** A way as a line through points, from the bottom of a step to the top of another. */
export interface WayLine {
  readonly key: string
  readonly path: GraphPath
  readonly edge: DraftEdge
  readonly points: readonly Point[]
}

/** The drawing. */
export interface FlowDrawing {
  readonly width: number
  readonly height: number
  readonly steps: readonly StepBox[]
  readonly frames: readonly FrameBox[]
  readonly ways: readonly WayLine[]
}

const stepWidth = 220
const stepHeight = 56
const laneWidth = 32
const rowGap = 64
const columnGap = 32
const padding = 12
const frameHead = 28
const emptyFrame = { width: 180, height: 40 }

/** Lays a flow out, or a graph inside of one. @param path where the graph is */
export function drawFlow(graph: DraftGraph, schemas: Schemas, path: GraphPath = []): FlowDrawing {
  const sized = outlineOf(graph).map((node) => sizedStep(node, schemas, path))
  const ranks = ranksOf(graph)
  const rows: Cell[][] = []
  const put = (rank: number, cell: Cell): void => void (rows[rank] ??= []).push(cell)
  for (const step of sized) put(ranks.get(step.node.id)!, { id: step.node.id, width: step.width, height: step.height })
  const lanes = new Map<DraftEdge, string[]>()
  for (const edge of graph.edges) {
    const [from, to] = [ranks.get(edge.source), ranks.get(edge.target)]
    const passed: string[] = []
    for (let rank = (from ?? 0) + 1; rank < (to ?? 0); rank += 1) {
      const id = `${edge.id} ${rank}`
      put(rank, { id, width: laneWidth, height: 0 })
      passed.push(id)
    }
    lanes.set(edge, passed)
  }
  const places = placed(rows, neighbours(graph, lanes))
  const boxes = sized.map((step) => moved(step, places.get(step.node.id)!.left, places.get(step.node.id)!.top))
  const pointsOf = (edge: DraftEdge): Point[] => {
    const [from, to] = [places.get(edge.source), places.get(edge.target)]
    if (!from || !to) return []
    const passed = (lanes.get(edge) ?? []).flatMap((id) => {
      const { middle, rowTop, rowBottom } = places.get(id)!
      return [
        { x: middle, y: rowTop },
        { x: middle, y: rowBottom },
      ]
    })
    const start = { x: from.middle, y: from.top + from.height }
    return [start, ...passed, { x: to.middle, y: to.top }]
  }
  const all = [...places.values()]
  return {
    width: Math.max(0, ...all.map(({ left, width }) => left + width)),
    height: Math.max(0, ...all.map(({ rowBottom }) => rowBottom)),
    steps: boxes.flatMap(({ step, inside }) => [step, ...inside.flatMap(({ steps }) => steps)]),
    frames: boxes.flatMap(({ frames, inside }) => [...frames, ...inside.flatMap((one) => one.frames)]),
    ways: [
      ...graph.edges.map((edge) => ({
        key: `${placeKey({ path, id: '' })}>${edge.id}`,
        path,
        edge,
        points: pointsOf(edge),
      })),
      ...boxes.flatMap(({ inside }) => inside.flatMap(({ ways }) => ways)),
    ].filter(({ points }) => points.length > 1),
  }
}

/** What takes a place in a row: a step, or a way that passes it. */
interface Cell {
  readonly id: string
  readonly width: number
  readonly height: number
}

interface Placed extends Cell {
  readonly left: number
  readonly middle: number
  readonly top: number
  readonly rowTop: number
  readonly rowBottom: number
}

interface SizedStep {
  readonly node: DraftNode
  readonly path: GraphPath
  readonly width: number
  readonly height: number
  readonly bodies: readonly { readonly frame: FrameBox; readonly inside: FlowDrawing }[]
}

/** A step with what is inside of it side by side, before it has its place. */
function sizedStep(node: DraftNode, schemas: Schemas, path: GraphPath): SizedStep {
  let left = padding
  const bodies = bodiesOf(node, schemas).map(({ place, name }) => {
    const inner = [...path, { node: node.id, place }]
    const body = graphAt({ nodes: [node], edges: [] }, [{ node: node.id, place }]) ?? { nodes: [], edges: [] }
    const inside = drawFlow(body, schemas, inner)
    const isEmpty = body.nodes.length === 0
    const width = Math.max(inside.width, emptyFrame.width) + 2 * padding
    const height = frameHead + (isEmpty ? emptyFrame.height : inside.height) + padding
    const key = placeKey({ path: inner, id: '' })
    const frame = { key, path: inner, label: bodyLabel(place, name), isEmpty, x: left, y: stepHeight, width, height }
    const shift = (width - inside.width) / 2
    left += width + padding
    return { frame, inside: shifted(inside, frame.x + shift, frame.y + frameHead) }
  })
  const inner = Math.max(0, ...bodies.map(({ frame }) => frame.height))
  return {
    node,
    path,
    width: bodies.length === 0 ? stepWidth : Math.max(stepWidth, left),
    height: bodies.length === 0 ? stepHeight : stepHeight + inner + padding,
    bodies,
  }
}

function moved({ node, path, width, height, bodies }: SizedStep, x: number, y: number) {
  return {
    step: { key: placeKey({ path, id: node.id }), path, node, x, y, width, height },
    frames: bodies.map(({ frame }) => ({ ...frame, x: frame.x + x, y: frame.y + y })),
    inside: bodies.map(({ inside }) => shifted(inside, x, y)),
  }
}

function shifted(drawing: FlowDrawing, x: number, y: number): FlowDrawing {
  const shift = <P extends Point>(point: P): P => ({ ...point, x: point.x + x, y: point.y + y })
  return {
    ...drawing,
    steps: drawing.steps.map(shift),
    frames: drawing.frames.map(shift),
    ways: drawing.ways.map((way) => ({ ...way, points: way.points.map(shift) })),
  }
}

/** How far each step is from the beginning, along its longest way; circles end where they close. */
function ranksOf({ nodes, edges }: DraftGraph): Map<string, number> {
  const ranks = new Map<string, number>()
  const open = new Set<string>()
  const rankOf = (id: string): number => {
    const known = ranks.get(id)
    if (known !== undefined) return known
    if (open.has(id)) return 0
    open.add(id)
    const before = edges.filter(({ target, source }) => target === id && source !== id)
    const rank = Math.max(-1, ...before.map(({ source }) => rankOf(source))) + 1
    open.delete(id)
    ranks.set(id, rank)
    return rank
  }
  for (const { id } of nodes) rankOf(id)
  return ranks
}

/** What each cell is joined to in the row before it. */
function neighbours({ edges }: DraftGraph, lanes: ReadonlyMap<DraftEdge, readonly string[]>): Map<string, string[]> {
  const above = new Map<string, string[]>()
  for (const edge of edges) {
    const chain = [edge.source, ...(lanes.get(edge) ?? []), edge.target]
    for (const [at, id] of chain.slice(1).entries()) above.set(id, [...(above.get(id) ?? []), chain[at]!])
  }
  return above
}

/** Gives every cell its place: below the middle of what leads to it, as far as the row has room. */
function placed(
  rows: readonly (Cell[] | undefined)[],
  above: ReadonlyMap<string, readonly string[]>,
): Map<string, Placed> {
  const places = new Map<string, Placed>()
  let rowTop = 0
  for (const row of rows) {
    if (!row) continue
    const wish = (cell: Cell): number => {
      const found = (above.get(cell.id) ?? []).flatMap((id) => places.get(id)?.middle ?? [])
      return found.length === 0 ? 0 : found.reduce((sum, middle) => sum + middle, 0) / found.length
    }
    const ordered = row.map((cell) => ({ cell, wish: wish(cell) })).toSorted((a, b) => a.wish - b.wish)
    const total = ordered.reduce((sum, { cell }) => sum + cell.width + columnGap, -columnGap)
    const center = ordered.reduce((sum, one) => sum + one.wish, 0) / ordered.length
    const height = Math.max(stepHeight, ...row.map((cell) => cell.height))
    let left = center - total / 2
    for (const { cell } of ordered) {
      const middle = left + cell.width / 2
      places.set(cell.id, { ...cell, left, middle, top: rowTop, rowTop, rowBottom: rowTop + height })
      left += cell.width + columnGap
    }
    rowTop += height + rowGap
  }
  const least = Math.min(...[...places.values()].map(({ left }) => left))
  return new Map([...places].map(([id, one]) => [id, { ...one, left: one.left - least, middle: one.middle - least }]))
}
