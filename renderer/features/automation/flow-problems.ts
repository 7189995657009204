// Owns where what is wrong with a flow is shown: at its node, its edge, its field. Pure.
import { hasCode } from '../../lib/api-error.ts'
import type { FieldProblem } from '../../lib/field-problems.ts'
import { listOf, textOf } from '../../lib/text-of.ts'
import { placeKey, placeOfPath } from './flow-bodies.ts'
import type { GraphPath, StepPlace } from './flow-bodies.ts'
import type { DraftGraph } from './flow-draft.ts'

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

/** Those about a step, and about the edges that leave it. */
export function problemsOfStep(
  problems: readonly FlowProblem[],
  flow: DraftGraph,
  step: StepPlace,
  edgeIds: readonly string[],
): FlowProblem[] {
  return problems.filter(({ nodeId, edgeId, path }) =>
    edgeId === ''
      ? nodeId === step.id && isWithin(pathOfNode(flow, path), step.path)
      : edgeIds.includes(edgeId) && isWithin(pathOfEdge(flow, path), step.path),
  )
}

/** The findings about the configuration of a step, as problems of its fields; '' stands for all of it. */
export function configProblems(problems: readonly FlowProblem[], flow: DraftGraph, step: StepPlace): FieldProblem[] {
  return problemsOfStep(problems, flow, step, []).flatMap(({ path, message }) => {
    const member = placeOfPath(flow, path)?.member ?? ''
    // The host names the kind it expected; people only have to know that something is missing.
    const code = message.endsWith('received undefined') ? ('required' as const) : ('rule_violation' as const)
    const found = /^config(?:\.(.*))?$/.exec(member)
    return found ? [{ field: found[1] ?? '', code, message }] : []
  })
}

/** The graph of the step a path names. */
function pathOfNode(flow: DraftGraph, path: string): GraphPath {
  return placeOfPath(flow, path)?.path ?? []
}

/** The graph of the edge a path names: `nodes.1.config.body.edges.0.condition` is in the body of the second step. */
function pathOfEdge(flow: DraftGraph, path: string): GraphPath {
  const owner = /^(.*)\.edges\.\d+/.exec(path)?.[1]
  const place = owner === undefined ? undefined : placeOfPath(flow, owner)
  return place ? [...place.path, { node: place.id, place: place.member.replace(/^config\./, '') }] : []
}

function isWithin(path: GraphPath, graph: GraphPath): boolean {
  return placeKey({ path, id: '' }) === placeKey({ path: graph, id: '' })
}
