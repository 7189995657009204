// Owns what was done with an approval so far: who, what, when, and what they said.
import { Moment } from '../../components/moment.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import type { Approval } from './workflow-queries.ts'
import { peopleText } from './workflow-words.ts'
import type { NameOf } from './workflow-words.ts'
import classes from './workflow.module.css'

/** The list. */
export function ApprovalDecisions(props: { decisions: Approval['decisions']; nameOf: NameOf }) {
  const { decisions, nameOf } = props
  return (
    <div className={parts.section}>
      <h3 className={classes.heading}>{t('approvals.decisions')}</h3>
      {decisions.length === 0 ? (
        <p className={parts.quiet}>{t('approvals.decisions.none')}</p>
      ) : (
        <ol className={classes.list}>
          {decisions.map(({ userId, decision, comment, to, timestamp }, at) => (
            <li key={at}>
              <span className={classes.change}>
                <strong>{t(`approval.did.${decision}`)}</strong>
                {to && to.length > 0 && <span>{t('approvals.to', { people: peopleText(to, nameOf) })}</span>}
                <span className={classes.quiet}>
                  {nameOf(userId) ?? t('who.unknown')} · <Moment at={timestamp} />
                </span>
              </span>
              {comment !== undefined && <p className={classes.comment}>{comment}</p>}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
