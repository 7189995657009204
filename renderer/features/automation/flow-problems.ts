// Owns where what is wrong with a flow is shown: at its node, its edge, its field. Pure.
import { hasCode } from '../../lib/api-error.ts'
import type { FieldProblem } from '../../lib/field-problems.ts'
import { listOf, textOf } from '../../lib/text-of.ts'

/** A finding of the host. */
export interface FlowProblem {
  nodeId: string
  edgeId: string
  path: string
  message: string
}

/** The findings in a list of the host. */
export function flowProblemsOf(source: object, member: string): FlowProblem[] {
  return listOf(source, member).map((one) => ({
    nodeId: textOf(one, 'nodeId'),
    edgeId: textOf(one, 'edgeId'),
    path: textOf(one, 'path'),
    message: textOf(one, 'message'),
  }))
}

/** The findings a refused save names; none for other failures. */
export function refusedProblems(error: unknown): FlowProblem[] {
  return hasCode(error, 'flow_validation_failed') ? flowProblemsOf(error.details, 'errors') : []
}

/** Those about neither a node nor an edge. */
export function generalProblems(problems: readonly FlowProblem[]): FlowProblem[] {
  return problems.filter(({ nodeId, edgeId }) => nodeId === '' && edgeId === '')
}

/** Those about a node or the edges that leave it. */
export function problemsOfNode(
  problems: readonly FlowProblem[],
  id: string,
  edgeIds: readonly string[],
): FlowProblem[] {
  return problems.filter(({ nodeId, edgeId }) => nodeId === id || edgeIds.includes(edgeId))
}

/** The findings about the configuration of a node, as problems of its fields; '' stands for all of it. */
export function configProblems(problems: readonly FlowProblem[], nodeId: string): FieldProblem[] {
  return problems
    .filter((one) => one.nodeId === nodeId)
    .flatMap(({ path, message }) => {
      const found = /^nodes\.\d+\.config(?:\.(.*))?$/.exec(path)
      // The host names the kind it expected; people only have to know that something is missing.
      const code = message.endsWith('received undefined') ? ('required' as const) : ('rule_violation' as const)
      return found ? [{ field: found[1] ?? '', code, message }] : []
    })
}
