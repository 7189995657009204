// Owns what is told of an approval: who asked, when and why, who decides, what counts, when it escalates; and saying so on
// the record that waits for it.
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatMoment } from '../../lib/format.ts'
import { undecided } from '../../lib/open-approvals.ts'
import { t } from '../../lib/strings.ts'
import { ApprovalActs } from './approval-acts.tsx'
import type { PeopleNames } from './use-people-names.ts'
import type { Approval, Workflow } from './workflow-queries.ts'
import { peopleText, transitionLabel } from './workflow-words.ts'
import type { NameOf } from './workflow-words.ts'

/** The facts; `more` come first. */
export function ApprovalFacts(props: { approval: Approval; nameOf: NameOf; more?: readonly Fact[] }) {
  const { approval, nameOf } = props
  const isOpen = approval.status === 'pending'
  const facts: readonly Fact[] = [
    ...(props.more ?? []),
    [t('approval.asked'), nameOf(approval.submitterId) ?? t('who.unknown')],
    [t('approval.since'), <Moment key="since" at={approval.createdAt} />],
    ...(approval.comment === undefined ? [] : [[t('workflow.comment'), approval.comment] as const]),
    ...(isOpen ? [[t('approval.decides'), peopleText(undecided(approval), nameOf)] as const] : []),
    ...(isOpen && approval.approvers.length > 1
      ? [[t('approval.counts'), t(`approval.behavior.${approval.behavior}`)] as const]
      : []),
    ...(isOpen && approval.escalatesAt !== undefined
      ? [[t('approval.escalates'), formatMoment(approval.escalatesAt)] as const]
      : []),
  ]
  return <FactList facts={facts} />
}

/** The notice on a record; `workflow` is absent of an approval that a flow waits for. */
export function PendingApproval(props: { workflow?: Workflow; approval: Approval; people: PeopleNames }) {
  const { workflow, approval, people } = props
  const transition =
    workflow === undefined || approval.transition === undefined
      ? undefined
      : transitionLabel(workflow, approval.transition)
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
