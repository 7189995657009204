// Owns what is said of states and approvals, and what somebody may do with an approval (D-256, D-257). Pure.
import { hueClass } from '../../fields/index.ts'
import { hasCode } from '../../lib/api-error.ts'
import { waitsFor } from '../../lib/open-approvals.ts'
import { problemText } from '../../lib/problem-text.ts'
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'
import type { Approval, Workflow } from './workflow-queries.ts'

/** What somebody is called; undefined of people one learns nothing of. */
export type NameOf = (id: string) => string | undefined

/** What can be done with an approval. */
export const approvalActs = ['approve', 'reject', 'reassign', 'recall'] as const

/** One of {@link approvalActs}. */
export type ApprovalAct = (typeof approvalActs)[number]

/** A state as it is shown: its label on its colour. */
export interface ShownState {
  readonly label: string
  readonly className: string
}

/** A state of a workflow; one the workflow does not know is called by its name. */
export function shownState({ states }: Pick<Workflow, 'states'>, name: string | null): ShownState {
  if (name === null) return { label: t('workflow.none'), className: 'field-hue-none' }
  const at = states.findIndex((state) => state.name === name)
  const state = states[at]
  if (!state) return { label: name, className: 'field-hue-none' }
  return { label: state.label, className: hueClass({ value: name, ...state }, at) }
}

/** What a transition is called; its name where the workflow does not know it. */
export function transitionLabel(workflow: Pick<Workflow, 'transitions'> | undefined, name: string): string {
  return workflow?.transitions.find((transition) => transition.name === name)?.label ?? name
}

/** Several people in one line; those without a name are counted. */
export function peopleText(ids: readonly string[], nameOf: NameOf): string {
  const names = ids.flatMap((id) => nameOf(id) ?? [])
  const others = ids.length - names.length
  const counted = others === 0 ? [] : [tn(names.length === 0 ? 'who.people' : 'who.others', others)]
  return new Intl.ListFormat(locale).format([...names, ...counted])
}

/** What somebody may do with an approval, in the order it is offered. */
export function actsOf(
  approval: Pick<Approval, 'status' | 'approvers' | 'decisions' | 'submitterId'>,
  person: { readonly id: string | undefined; readonly isAdministrator: boolean },
): ApprovalAct[] {
  const { id, isAdministrator } = person
  if (approval.status !== 'pending' || id === undefined) return []
  const decides = waitsFor(approval, id)
  const hasDecided = approval.decisions.some(
    ({ userId, decision }) => userId === id && (decision === 'approve' || decision === 'reject'),
  )
  const may: Readonly<Record<ApprovalAct, boolean>> = {
    approve: decides,
    reject: decides,
    reassign: !hasDecided && (decides || isAdministrator),
    recall: approval.submitterId === id || isAdministrator,
  }
  return approvalActs.filter((act) => may[act])
}

/** The colour of how an approval stands. */
export function approvalTone(status: Approval['status']): 'good' | 'bad' | 'warn' | 'quiet' {
  return ({ pending: 'warn', approved: 'good', rejected: 'bad', recalled: 'quiet' } as const)[status]
}

/** Why a transition was refused. */
export function stepProblem(error: unknown): string {
  const isNobody = hasCode(error, 'validation_error') && error.fieldErrors[0]?.field === 'approvers'
  return isNobody ? t('workflow.noApprovers') : problemText(error)
}
