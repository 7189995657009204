// Goes through a graph from node to node. The graph of a flow and the bodies inside of nodes are walked alike; after a
// restart the walk begins anew, and what is stored is passed without being done again.
import { createTurns } from '#main/kernel/turns.ts'
import type { BodyPlace, GraphSource } from '../../api.ts'
import { automationError } from '../../errors.ts'
import type { FlowGraph } from '../flow.ts'
import { entryOf, readGraph } from '../flow.ts'
import { NodeFailure, stepErrorOf } from './failures.ts'
import type { RunMemory } from './run-memory.ts'
import type { Frame } from './scope.ts'
import type { Place, StepParts } from './step-runner.ts'
import { createStepRunner } from './step-runner.ts'

/** Walks the graph of a run; answers the output of its last node. @throws NodeFailure, RunPaused, RunEnded, RunInterrupted */
export type Walk = (memory: RunMemory, graph: FlowGraph, frame: Frame) => Promise<unknown>

/** A fallback may lead back; this often a node is carried out at most. */
const maxVisits = 100

/** Makes the walk. */
export function createWalk(parts: StepParts): Walk {
  const graphs = new WeakMap<GraphSource, FlowGraph>()
  // Steps of many runs are stored together and would all go on in one turn.
  const takeTurns = createTurns()
  const myTurn = (): Promise<void> => new Promise((resolve) => takeTurns(resolve))

  const runBody = (
    memory: RunMemory,
    { key, frame }: Place,
    signal: AbortSignal,
    source: GraphSource,
    at: BodyPlace,
  ) => {
    let graph = graphs.get(source)
    if (graph === undefined) graphs.set(source, (graph = readGraph(source as Record<string, unknown>)))
    return walk(memory, graph, {
      path: `${key}${at.path}.`,
      iteration: at.iteration ?? frame.iteration,
      locals: { ...at.locals },
      outputs: new Map(),
      parent: frame,
      isBeside: frame.isBeside || at.isBeside === true,
      signal,
    })
  }

  const runStep = createStepRunner(parts, runBody)

  const walk: Walk = async (memory, graph, frame) => {
    const visits = new Map<string, number>()
    let node = entryOf(graph)
    let output: unknown = null
    while (node !== undefined) {
      const visit = (visits.get(node.id) ?? 0) + 1
      visits.set(node.id, visit)
      const key = `${frame.path}${node.id}${visit === 1 ? '' : `~${visit}`}`
      if (visit > maxVisits) {
        const tooOften = automationError('execution_failed', {
          reason: 'endless',
          message: 'The nodes lead in a circle.',
        })
        throw new NodeFailure(stepErrorOf(tooOften, node.id).error, [key])
      }
      await myTurn()
      const end = await runStep(memory, { graph, node, key, frame })
      output = end.output
      frame.last = node.type
      frame.outputs.set(node.id, output)
      if (end.error !== undefined) frame.locals['error'] = end.error
      const { next } = end
      node = next === null ? undefined : graph.nodes.find(({ id }) => id === next)
    }
    return output
  }

  return walk
}
