// Owns the groups of a grid: the tree made of one grouped answer, figures of every level, and where each heading and
// record stands among the lines of the grid. Pure.
import { figureAlias } from './group-query.ts'
import type { GroupRow } from './group-query.ts'
import type { GroupTerm, TotalTerm } from './group-terms.ts'

/** A group of one level. */
export interface GroupNode {
  /** Identity: its values and those of the levels above. */
  key: string
  /** Counted from 0. */
  level: number
  /** Values of the levels down to this one. */
  values: readonly unknown[]
  /** What a link shows; undefined where the value speaks for itself. */
  shown: unknown
  count: number
  /** Raw sums, counts, smallest and largest values by alias. */
  raw: Readonly<Record<string, unknown>>
  parent: GroupNode | undefined
  children: readonly GroupNode[]
  /** Records of all groups before it. */
  before: number
}

interface Draft extends GroupNode {
  count: number
  raw: Record<string, unknown>
  children: Draft[]
}

/** Builds the tree; groups keep the order of the answer. */
export function buildTree(
  rows: readonly GroupRow[],
  terms: readonly GroupTerm[],
  totals: readonly TotalTerm[],
): readonly GroupNode[] {
  const roots: Draft[] = []
  let before = 0
  const path: Draft[] = []
  for (const row of rows) {
    const count = Number(row.n)
    for (let level = 0; level < terms.length; level++) {
      const value = row[`g${level}`] ?? null
      const parent = path[level - 1]
      const key = JSON.stringify([...(parent?.values ?? []), value])
      let node = path[level]
      if (node?.key !== key) {
        const values = [...(parent?.values ?? []), value]
        node = { key, level, values, shown: row[`l${level}`], count: 0, raw: {}, parent, children: [], before }
        path.length = level
        path.push(node)
        if (parent) parent.children.push(node)
        else roots.push(node)
      }
      node.count += count
      addRaw(node.raw, row, totals)
    }
    before += count
  }
  return roots
}

function addRaw(raw: Record<string, unknown>, row: GroupRow, totals: readonly TotalTerm[]): void {
  for (const { field, fn } of totals) {
    for (const word of fn === 'avg' ? ['sum', 'count'] : [fn]) {
      const alias = figureAlias(field, word)
      // Two columns' functions never share an alias: a column has one function.
      raw[alias] = combine(word, raw[alias] ?? null, row[alias] ?? null)
    }
  }
}

function combine(word: string, a: unknown, b: unknown): unknown {
  if (a === null || b === null) return a ?? b
  if (word === 'sum' || word === 'count') return Number(a) + Number(b)
  const isLess = (a as number) < (b as number)
  return isLess === (word === 'min') ? a : b
}

/** The figure of a column; null when there is nothing to work it out of. */
export function figureOf(raw: Readonly<Record<string, unknown>>, { field, fn }: TotalTerm): unknown {
  if (fn !== 'avg') return raw[figureAlias(field, fn)] ?? null
  const sum = raw[figureAlias(field, 'sum')]
  const count = Number(raw[figureAlias(field, 'count')] ?? 0)
  return typeof sum === 'number' && count > 0 ? sum / count : null
}

/** What a line of the grid is: a heading, or a record of a group by its place in it. */
export interface GroupLine {
  node: GroupNode
  /** -1 for the heading. */
  offset: number
}

/** Where everything stands. */
export interface GroupLines {
  length: number
  at(line: number): GroupLine | undefined
  /** Line of a group's heading; undefined while a group above is closed. */
  lineOf(key: string): number | undefined
}

/** Lays the lines out; closed groups are their heading alone. */
export function layLines(roots: readonly GroupNode[], isOpen: (node: GroupNode) => boolean): GroupLines {
  const nodes: GroupNode[] = []
  const starts: number[] = []
  const places = new Map<string, number>()
  let length = 0
  const add = (node: GroupNode): void => {
    nodes.push(node)
    starts.push(length)
    places.set(node.key, length)
    length++
    if (!isOpen(node)) return
    if (node.children.length === 0) length += node.count
    else for (const child of node.children) add(child)
  }
  roots.forEach(add)
  return {
    length,
    at(line) {
      if (line < 0 || line >= length) return undefined
      let low = 0
      let high = starts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= line) low = middle
        else high = middle - 1
      }
      const node = nodes[low]
      return node && { node, offset: line - (starts[low] ?? 0) - 1 }
    },
    lineOf: (key) => places.get(key),
  }
}

/** The groups of the deepest level. */
export function leavesOf(roots: readonly GroupNode[]): GroupNode[] {
  return roots.flatMap((node) => (node.children.length === 0 ? [node] : leavesOf(node.children)))
}
