// Owns the workflows of a record on its page: one line for each.
import { addStrings } from '../../lib/strings.ts'
import { workflowStrings } from '../../lib/strings/workflow.ts'
import { WorkflowLine } from './workflow-line.tsx'
import { useWorkflows } from './workflow-queries.ts'
import classes from './workflow.module.css'

addStrings(workflowStrings)

/** The lines; nothing where the object has no workflow. */
export function WorkflowPanel(props: { object: string; recordId: string; level: 2 | 3 }) {
  const { object, recordId } = props
  const workflows = useWorkflows(object)
  if (workflows.length === 0) return null
  return (
    <div className={classes.panel}>
      {workflows.map((workflow) => (
        <WorkflowLine
          key={`${recordId} ${workflow.name}`}
          workflow={workflow}
          record={{ object, recordId }}
          level={props.level}
        />
      ))}
    </div>
  )
}
