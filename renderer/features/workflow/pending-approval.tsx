// Owns saying on a record that it waits for an approval: for whom, since when, and what the person in front may do.
import { Notice } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import { ApprovalActs } from './approval-acts.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import type { PeopleNames } from './use-people-names.ts'
import type { Approval, Workflow } from './workflow-queries.ts'
import { transitionLabel } from './workflow-words.ts'

/** The notice. */
export function PendingApproval(props: { workflow: Workflow; approval: Approval; people: PeopleNames }) {
  const { workflow, approval, people } = props
  const transition = approval.transition === undefined ? undefined : transitionLabel(workflow, approval.transition)
  return (
    <Notice
      tone="warn"
      title={transition === undefined ? t('approval.waits.flow') : t('approval.waits', { transition })}
      actions={<ApprovalActs approval={approval} people={people} />}
    >
      <ApprovalFacts approval={approval} nameOf={people.nameOf} />
      {approval.lockRecord && <p>{t('approval.locked')}</p>}
    </Notice>
  )
}
