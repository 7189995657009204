// Owns one approval in the inbox: what is asked, of which record, what was said so far, and what one may do with it.
import { useQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { recordPath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { ApprovalActs } from './approval-acts.tsx'
import { ApprovalDecisions } from './approval-decisions.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { ApprovalRecord } from './approval-record.tsx'
import { approvalQuery, objectWord, useTitles } from './approval-queries.ts'
import { StateBadge } from './state-views.tsx'
import { useKeptFocus } from '../../components/use-kept-focus.ts'
import { usePeopleNames } from './use-people-names.ts'
import { useWorkflows } from './workflow-queries.ts'
import type { Approval } from './workflow-queries.ts'
import { approvalTone, transitionLabel } from './workflow-words.ts'
import classes from './workflow.module.css'

/** The detail. */
export function ApprovalDetail(props: { id: string }) {
  const { data: approval, error, refetch } = useQuery(approvalQuery(props.id))
  if (approval) return <Detail approval={approval} />
  if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return <Loading />
}

function Detail({ approval }: { approval: Approval }) {
  const { object: name, recordId, transition } = approval
  const { data: objects } = useObjects()
  const object = objects?.find((one) => one.name === name)
  const people = usePeopleNames(approval)
  const kept = useKeptFocus(approval)
  const workflow = useWorkflows(name).find((one) => one.name === approval.workflow)
  const title = useTitles([approval])(approval)
  const word = objectWord(objects, name)
  const target = workflow?.transitions.find((one) => one.name === transition)?.to
  const step =
    transition === undefined ? (
      t(approval.flowRunId === undefined ? 'approvals.step.hidden' : 'approvals.step.flow')
    ) : (
      <span className={classes.change}>
        {transitionLabel(workflow, transition)}
        {workflow && target !== undefined && <StateBadge workflow={workflow} state={target} />}
      </span>
    )
  return (
    <section {...kept} aria-labelledby="approval-name">
      <div className={parts.head}>
        <h2 id="approval-name">{title ?? t('approvals.record', { object: word })}</h2>
        <span className={parts.badge} data-tone={approvalTone(approval.status)} role="status">
          {t(`approval.status.${approval.status}`)}
        </span>
      </div>
      <ApprovalFacts
        approval={approval}
        nameOf={people.nameOf}
        more={[
          [t('word.object'), word],
          [t('word.step'), step],
        ]}
      />
      <div className={classes.acts}>
        <ApprovalActs approval={approval} people={people} />
      </div>
      <div className={parts.section}>
        <h3 className={classes.heading}>{t('approvals.fields')}</h3>
        {object && <ApprovalRecord object={object} recordId={recordId} />}
        <a href={`#${recordPath(name, recordId)}`} className={parts.link}>
          {t('approvals.open')}
        </a>
      </div>
      <ApprovalDecisions decisions={approval.decisions} nameOf={people.nameOf} />
    </section>
  )
}
