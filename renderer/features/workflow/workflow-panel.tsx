// Owns how a record stands in its workflows, one line for each: its state, the steps that are possible now, the approval it waits for, and how
// it came there; and the approvals that flows wait for.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Delayed } from '../../components/delayed.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { DiagramButton } from './diagram-button.tsx'
import { PendingApproval } from './approval-facts.tsx'
import { StateBadge, StateHistory } from './state-views.tsx'
import { StepButtons } from './step-buttons.tsx'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { usePeopleNames } from './use-people-names.ts'
import { stateQuery, useRecordApprovals, useWorkflows } from './workflow-queries.ts'
import type { RecordName, Workflow } from './workflow-queries.ts'
import classes from './workflow.module.css'

/** The lines, and the approvals of flows; nothing where the object has no workflow and no flow waits. */
export function WorkflowPanel(props: { object: string; recordId: string; level: 2 | 3 }) {
  const { object, recordId } = props
  const workflows = useWorkflows(object)
  const people = usePeopleNames({ object, recordId })
  const asked = useRecordApprovals({ object, recordId }).filter(({ workflow }) => workflow === undefined)
  if (workflows.length === 0 && asked.length === 0) return null
  return (
    <div className={classes.panel}>
      {asked.map((approval) => (
        <PendingApproval key={approval.id} approval={approval} people={people} />
      ))}
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

function WorkflowLine(props: { workflow: Workflow; record: RecordName; level: 2 | 3 }) {
  const { workflow, record } = props
  const people = usePeopleNames(record)
  const { data: state, error, refetch } = useQuery(stateQuery(record, workflow.name))
  const kept = useKeptFocus(state)
  const Heading = `h${props.level}` as const
  // Removed meanwhile, or not for this person: the record itself says the rest.
  if (hasCode(error, 'workflow_not_found', 'permission_denied', 'resource_not_found')) return null
  return (
    <section {...kept} className={classes.line} aria-label={t('workflow.region', { workflow: workflow.label })}>
      <div className={classes.row}>
        <Heading className={classes.name}>{workflow.label}</Heading>
        {state ? (
          <>
            <span role="status">
              <span className="cairn-hidden">{t('word.state')}: </span>
              <StateBadge workflow={workflow} state={state.currentState} />
            </span>
            <StepButtons workflow={workflow} record={record} steps={state.availableTransitions} />
            <DiagramButton workflow={workflow} current={state.currentState} />
          </>
        ) : error ? (
          <>
            <span role="alert">{problemText(error)}</span>
            <Button size="compact-sm" variant="default" onClick={() => void refetch()}>
              {t('word.tryAgain')}
            </Button>
          </>
        ) : (
          <Delayed>
            <span role="status">{t('workflow.loading')}</span>
          </Delayed>
        )}
      </div>
      {state?.pendingApproval && (
        <PendingApproval workflow={workflow} approval={state.pendingApproval} people={people} />
      )}
      {state && <StateHistory workflow={workflow} history={state.history} nameOf={people.nameOf} />}
    </section>
  )
}
