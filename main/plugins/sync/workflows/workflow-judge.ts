// Whether what a machine writes of approvals is its person's to say: a member's machine decides in the name of its person
// alone, and an end is what the decisions come to. Pure.
import type { Register } from '#main/replication/core/register.ts'
import { verdictOf, votesOf } from '#shared/rules/approval-verdict.ts'
import { parseWorkflowKey, workflowOf } from './entries.ts'

/** What is judged. */
export interface WorkflowChange {
  readonly changedKeys: ReadonlySet<string>
  /** The document with the change. */
  readonly document: { readonly register: Register }
  /** The document before it; null where there was none. */
  readonly stored: { readonly register: Register } | null
}

/** Whether an approval is asked for that was not there before. */
export function opensApprovals({ changedKeys }: Pick<WorkflowChange, 'changedKeys'>): boolean {
  return [...changedKeys].some((key) => parseWorkflowKey(key)?.kind === 'opening')
}

/** Whether something is said of an approval that is not here: nobody can tell yet who decides it. */
export function isAheadOfApproval({ changedKeys, document }: WorkflowChange): boolean {
  const { approvals } = workflowOf(document.register)
  return [...changedKeys].some((key) => {
    const parsed = parseWorkflowKey(key)
    if (parsed === null || parsed.kind === 'change' || !document.register.has(key)) return false
    return !approvals.some(({ id }) => id === parsed.approval)
  })
}

/** Whether a change says something that is not for its author to say. */
export function forgesWorkflow(author: string, { changedKeys, document, stored }: WorkflowChange): boolean {
  const { approvals } = workflowOf(document.register)
  const before = stored === null ? [] : workflowOf(stored.register).approvals
  return [...changedKeys].some((key) => {
    const parsed = parseWorkflowKey(key)
    if (parsed === null || parsed.kind === 'change') return false
    const approval = approvals.find(({ id }) => id === parsed.approval)
    if (approval === undefined) return false
    const known = before.find(({ id }) => id === parsed.approval)
    switch (parsed.kind) {
      // What an approval was asked for with never changes.
      case 'opening':
        return known !== undefined || approval.submitterId !== author
      case 'act': {
        const value = document.register.get(key)?.winner[1] as { userId?: unknown } | undefined
        return known?.acts.some((act) => key.endsWith(`|act|${act.timestamp}|${act.userId}|${act.decision}`)) === true
          ? true
          : value?.userId !== author
      }
      // Somebody who decides hands on; when it is asked for, it says who decides.
      case 'approvers':
        return known !== undefined && !known.approvers.includes(author)
      case 'end': {
        const status = approval.end?.status
        const { behavior } = approval.definition
        const deciders = known?.approvers ?? approval.approvers
        const verdict = verdictOf(behavior, deciders, votesOf(approval.acts))
        return status === undefined || (status === 'recalled' ? approval.submitterId !== author : status !== verdict)
      }
    }
  })
}
