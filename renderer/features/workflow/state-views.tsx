// Owns how states are shown: one on its colour, and how a record came to its own: each change with who, when and what was said.
import { IconArrowRight } from '@tabler/icons-react'
import { Moment } from '../../components/moment.tsx'
import { t } from '../../lib/strings.ts'
import type { Workflow, WorkflowState } from './workflow-queries.ts'
import { peopleText, shownState } from './workflow-words.ts'
import type { NameOf } from './workflow-words.ts'
import classes from './workflow.module.css'

/** A state: its label on its colour. */
export function StateBadge(props: { workflow: Pick<Workflow, 'states'>; state: string | null }) {
  const { label, className } = shownState(props.workflow, props.state)
  return <span className={`field-chip ${className}`}>{label}</span>
}

/** The list, closed until it is asked for; nothing of a state that was never changed. */
export function StateHistory(props: { workflow: Workflow; history: WorkflowState['history']; nameOf: NameOf }) {
  const { workflow, history, nameOf } = props
  if (history.length === 0) return null
  return (
    <details className={classes.history}>
      <summary>{t('workflow.history')}</summary>
      <ol>
        {history.map(({ fromState, toState, userId, timestamp, comment, approvers }, at) => (
          <li key={`${timestamp} ${history.length - at}`}>
            <span className={classes.change}>
              <StateBadge workflow={workflow} state={fromState} />
              <IconArrowRight size={14} aria-hidden />
              <span className="cairn-hidden">{t('workflow.history.to')}</span>
              <StateBadge workflow={workflow} state={toState} />
              <span className={classes.quiet}>
                {nameOf(userId) ?? t('who.unknown')}
                {approvers && approvers.length > 0 && (
                  <>, {t('workflow.history.approved', { people: peopleText(approvers, nameOf) })}</>
                )}{' '}
                · <Moment at={timestamp} />
              </span>
            </span>
            {comment !== undefined && <p className={classes.comment}>{comment}</p>}
          </li>
        ))}
      </ol>
    </details>
  )
}
