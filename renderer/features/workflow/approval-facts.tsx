// Owns what is told of an approval: who asked, when and why, who decides, what counts, and when it goes further.
import type { ReactNode } from 'react'
import { Moment } from '../../components/moment.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment } from '../../lib/format.ts'
import { undecided } from '../../lib/open-approvals.ts'
import { t } from '../../lib/strings.ts'
import type { Approval } from './workflow-queries.ts'
import { peopleText } from './workflow-words.ts'
import type { NameOf } from './workflow-words.ts'

/** The facts; `more` come first. */
export function ApprovalFacts(props: {
  approval: Approval
  nameOf: NameOf
  more?: readonly (readonly [label: string, value: ReactNode])[]
}) {
  const { approval, nameOf } = props
  const isOpen = approval.status === 'pending'
  const facts: readonly (readonly [string, ReactNode])[] = [
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
  return (
    <dl className={parts.facts}>
      {facts.map(([label, value]) => (
        <div key={label} style={{ display: 'contents' }}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
