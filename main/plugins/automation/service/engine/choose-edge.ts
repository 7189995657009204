// Which node follows (D-152, D-153). Pure.
import type { FlowEdge, FlowGraph, FlowNode } from '../flow.ts'

/** Evaluates CEL over what an edge sees. */
export type Evaluate = (source: unknown) => unknown

/**
 * The node after one that succeeded: the edge of its label, else the first condition that holds, else the default.
 * @returns null when none is followed
 * @throws ExpressionError
 */
export function nextAfter(
  graph: FlowGraph,
  node: FlowNode,
  label: string | undefined,
  evaluate: Evaluate,
): string | null {
  const edges = graph.edges.filter(({ source, type }) => source === node.id && type !== 'fault')
  const labelled = label === undefined ? undefined : edges.find((edge) => edge.label === label)
  if (labelled !== undefined) return labelled.target
  const held = edges.find(({ condition }) => condition !== null && evaluate(condition) === true)
  const followed = held ?? edges.find(({ isDefault }) => isDefault) ?? edges.find((edge) => isPlain(edge, label))
  return followed?.target ?? null
}

/** The node that takes care of a failure; undefined when none does. @throws ExpressionError */
export function nextAfterFault(graph: FlowGraph, node: FlowNode, evaluate: Evaluate): string | undefined {
  const edges = graph.edges.filter(({ source, type }) => source === node.id && type === 'fault')
  return edges.find(({ condition }) => condition === null || evaluate(condition) === true)?.target
}

/** An edge without a condition; where a label was asked for, one with another label is none. */
function isPlain({ type, condition, label }: FlowEdge, asked: string | undefined): boolean {
  return type === 'default' && condition === null && (asked === undefined || label === null)
}
