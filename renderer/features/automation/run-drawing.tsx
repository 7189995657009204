// Owns the drawing of a run: the steps of its flow, each in the colour of how it went; a click shows the step in the list.
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import parts from '../../components/parts.module.css'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useMay } from '../../lib/own-rights.ts'
import { t } from '../../lib/strings.ts'
import { actionsQuery, flowQuery } from './automation-queries.ts'
import type { Run } from './automation-queries.ts'
import type { StepMark } from './flow-canvas.tsx'
import { draftGraphOf } from './flow-draft.ts'
import { stepTone } from './run-words.ts'
import classes from './automation.module.css'

const FlowCanvas = lazyPart(async () => ({ default: (await import('./flow-canvas.tsx')).FlowCanvas }))

/** The drawing; folded until somebody wants it, and there for those who may see how flows are made. */
export function RunDrawing({ name, run }: { name: string; run: Run }) {
  const mayDesign = useMay('manage_flows') === true
  const [shown, setShown] = useState(false)
  if (!mayDesign) return null
  return (
    <details className={classes.details} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{t('runs.drawing')}</summary>
      {shown && (
        <Suspense fallback={<Loading />}>
          <Drawing name={name} run={run} />
        </Suspense>
      )}
    </details>
  )
}

function Drawing({ name, run }: { name: string; run: Run }) {
  const { data: flow } = useQuery(flowQuery(name))
  const { data: actions } = useQuery(actionsQuery)
  if (!flow || !actions) return null
  return (
    <div className={parts.stack}>
      {flow.version !== run.flowVersion && (
        <p className={parts.quiet}>{t('runs.drawing.changed', { then: run.flowVersion, now: flow.version })}</p>
      )}
      <FlowCanvas
        label={t('runs.drawing')}
        graph={draftGraphOf(flow)}
        actions={actions}
        marks={marksOf(run.steps ?? [])}
        onChoose={({ id }) => document.getElementById(stepAnchor(id))?.scrollIntoView({ block: 'center' })}
      />
    </div>
  )
}

/** Where the list shows the last execution of a node. */
export function stepAnchor(nodeId: string): string {
  return `step-${nodeId}`
}

/** How each node went: as its last execution did. */
function marksOf(steps: NonNullable<Run['steps']>): ReadonlyMap<string, StepMark> {
  const marks = new Map<string, StepMark>()
  for (const { nodeId, status } of steps) marks.set(nodeId, { tone: stepTone(status), text: t(`runs.step.${status}`) })
  return marks
}
