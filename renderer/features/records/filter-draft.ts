// Owns a filter while it is being edited: a tree whose nodes keep their identity, changed by key, and what of it can be in
// force already. Pure.
import { isFilterGroup, isWritten, maxGroupDepth } from './record-query.ts'
import type { FilterGroup, FilterNode, RecordFilter, WrittenFilter } from './record-query.ts'

/** A condition being edited; it may lack its value. */
export interface DraftCondition extends RecordFilter {
  key: number
}

/** A group being edited; it may be empty. */
export interface DraftGroup {
  key: number
  any: boolean
  conditions: readonly DraftNode[]
}

/** A part that has no words here: it can only be taken out. */
export interface DraftWritten extends WrittenFilter {
  key: number
}

/** A node of the tree. */
export type DraftNode = DraftCondition | DraftGroup | DraftWritten

/** Whether a node is a group. */
export function isDraftGroup(node: DraftNode): node is DraftGroup {
  return 'conditions' in node
}

/** The tree of a filter; `key` answers another number each time. An absent filter is an empty group. */
export function draftOf(filter: FilterGroup | undefined, key: () => number): DraftGroup {
  const node = (from: FilterNode): DraftNode => (isFilterGroup(from) ? draftOf(from, key) : { ...from, key: key() })
  return { key: key(), any: filter?.any ?? false, conditions: (filter?.conditions ?? []).map(node) }
}

/** The tree with the node of a key replaced, or taken out for null. The outermost group stays. */
export function changeNode(root: DraftGroup, key: number, change: (node: DraftNode) => DraftNode | null): DraftGroup {
  const walk = (node: DraftNode): DraftNode | null => {
    if (node.key === key) return change(node)
    if (!isDraftGroup(node)) return node
    const conditions = node.conditions.map(walk).filter((inner) => inner !== null)
    return conditions.every((inner, at) => inner === node.conditions[at]) &&
      conditions.length === node.conditions.length
      ? node
      : { ...node, conditions }
  }
  const next = walk(root)
  return next && isDraftGroup(next) ? next : root
}

/** The tree with a node at the end of a group. */
export function addNode(root: DraftGroup, group: number, node: DraftNode): DraftGroup {
  return changeNode(root, group, (found) =>
    isDraftGroup(found) ? { ...found, conditions: [...found.conditions, node] } : found,
  )
}

/** Whether a group at a depth, 1 for the outermost, may hold another one. */
export function mayNest(depth: number): boolean {
  return depth < maxGroupDepth
}

/** Number of conditions in a tree. */
export function countConditions(node: DraftNode): number {
  return isDraftGroup(node) ? node.conditions.reduce((sum, inner) => sum + countConditions(inner), 0) : 1
}

/**
 * What of the tree is in force: the conditions that are complete, without groups that hold none. A group of one is never
 * "any". Undefined for nothing.
 */
export function filterOf(
  root: DraftGroup,
  complete: (condition: DraftCondition) => RecordFilter | undefined,
): FilterGroup | undefined {
  const conditions = root.conditions.flatMap((node): FilterNode[] => {
    if (isDraftGroup(node)) {
      const inner = filterOf(node, complete)
      return inner === undefined ? [] : [inner]
    }
    if (isWritten(node)) return [{ written: node.written }]
    const kept = complete(node)
    return kept === undefined ? [] : [kept]
  })
  return conditions.length === 0 ? undefined : { any: root.any && conditions.length > 1, conditions }
}
