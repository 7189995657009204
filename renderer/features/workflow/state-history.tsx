// Owns how a record came to its state: each change with who, when and what was said, newest first.
import { IconArrowRight } from '@tabler/icons-react'
import { Moment } from '../../components/moment.tsx'
import { t } from '../../lib/strings.ts'
import { StateBadge } from './state-badge.tsx'
import type { Workflow, WorkflowState } from './workflow-queries.ts'
import { peopleText } from './workflow-words.ts'
import type { NameOf } from './workflow-words.ts'
import classes from './workflow.module.css'

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
