// Owns editing a flow on the canvas: choosing a step, adding one on a way, joining two.
import { t } from '../../lib/strings.ts'
import { AddStep } from './add-step.tsx'
import { changeGraph, graphAt, newNode } from './flow-bodies.ts'
import type { GraphPath } from './flow-bodies.ts'
import { FlowCanvas } from './flow-canvas.tsx'
import { addEdge, addNodeOn } from './flow-draft.ts'
import type { DraftGraph } from './flow-draft.ts'
import type { ChoosingPart } from './flow-outline.tsx'
import { problemsOfStep } from './flow-problems.ts'
import parts from '../../components/parts.module.css'
import classes from './automation.module.css'

/** The canvas of the editor. */
export function DesignCanvas(props: ChoosingPart) {
  const { draft, actions, problems } = props
  const insert = (path: GraphPath, edgeId: string, type: string): void => {
    const action = actions.find((each) => each.type === type)
    if (!action) return
    let id = ''
    const change = (graph: DraftGraph): DraftGraph => {
      const [next, added] = addNodeOn(graph, newNode(action, draft, actions), edgeId)
      id = added
      return next
    }
    props.onChange(changeGraph(draft, path, change))
    props.onChoose({ path, id })
  }
  return (
    <section aria-labelledby="canvas">
      <h2 id="canvas" className={classes.heading}>
        {t('design.canvas')}
      </h2>
      <FlowCanvas
        label={t('canvas.of', { flow: draft.label })}
        graph={draft}
        actions={actions}
        chosen={props.chosen}
        onChoose={props.onChoose}
        problemsOf={(step) => {
          const edges = graphAt(draft, step.path)?.edges.filter(({ source }) => source === step.id) ?? []
          return problemsOfStep(
            problems,
            draft,
            step,
            edges.map(({ id }) => id),
          ).length
        }}
        onInsert={insert}
        onConnect={(path, source, target) =>
          props.onChange(changeGraph(draft, path, (graph) => addEdge(graph, source, target)))
        }
      />
      <AddStep {...props} />
      <p className={parts.quiet}>{t('canvas.help')}</p>
    </section>
  )
}
