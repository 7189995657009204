// Owns the workflows of an object as its settings show them: a picture and a table of each, as they are saved.
import parts from '../../components/parts.module.css'
import { addStrings, t } from '../../lib/strings.ts'
import { workflowStrings } from '../../lib/strings/workflow.ts'
import { TransitionTable, WorkflowDiagram } from './workflow-diagram.tsx'
import type { Workflow } from './workflow-queries.ts'

addStrings(workflowStrings)

/** The part. */
export function WorkflowPart(props: { workflows: readonly Workflow[] }) {
  return (
    <>
      <p className={parts.lead}>{t('diagram.lead')}</p>
      {props.workflows.map((workflow) => (
        <section key={workflow.name} className={parts.section} aria-label={workflow.label}>
          <h2>{workflow.label}</h2>
          <WorkflowDiagram workflow={workflow} />
          <TransitionTable workflow={workflow} />
        </section>
      ))}
    </>
  )
}
