// Owns what expressions of a step may name: fields of the record, variables, outputs of other steps, what the bodies around
// it bring. Pure.
import type { ExpressionName } from '../../components/complete-expression.ts'
import { textOf } from '../../lib/text-of.ts'
import { allSteps, graphAt } from './flow-bodies.ts'
import type { GraphPath, Schemas, StepPlace } from './flow-bodies.ts'
import { nodeLabel } from './flow-draft.ts'
import type { FlowDraft } from './flow-draft.ts'

/** Members of what every run knows. @source D-150 */
const usual = ['run.id', 'run.startedAt', 'user.id', 'params', 'event', 'object', 'previous']

/** Members of a configuration that name something for the bodies inside of the step, with the names they have at first. */
const brought: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  loop: { itemVariable: 'item', indexVariable: 'index' },
  try_catch: { errorVariable: 'error' },
}

/** What may be named in a step. @param fields of the record the flow starts with */
export function expressionNames(
  draft: FlowDraft,
  step: StepPlace,
  schemas: Schemas,
  fields: readonly { name: string; label: string }[],
): ExpressionName[] {
  const steps = allSteps(draft, schemas)
  const named = (text: string, label = ''): ExpressionName => ({ text, label })
  return [
    ...fields.map(({ name, label }) => named(`record.${name}`, label)),
    ...draft.variables.filter(({ name }) => name !== '').map(({ name }) => named(`vars.${name}`)),
    ...steps.flatMap(({ node }) => {
      const variable = textOf(node, 'outputVariable')
      return variable === '' ? [] : [named(variable, nodeLabel(node))]
    }),
    ...around(draft, step.path).map((name) => named(name)),
    ...steps
      .filter(({ id, node }) => id !== step.id && node.type !== 'start' && node.type !== 'end')
      .map(({ id, node }) => named(`steps["${id}"].output`, nodeLabel(node))),
    ...usual.map((name) => named(name)),
    ...fields.map(({ name, label }) => named(`previous.${name}`, label)),
  ]
}

/** What the steps around a graph bring into it. */
function around(draft: FlowDraft, path: GraphPath): string[] {
  return path.flatMap(({ node: id }, at) => {
    const node = graphAt(draft, path.slice(0, at))?.nodes.find((each) => each.id === id)
    const config = node?.config ?? {}
    return Object.entries(brought[node?.type ?? ''] ?? {}).map(([member, first]) => textOf(config, member) || first)
  })
}
