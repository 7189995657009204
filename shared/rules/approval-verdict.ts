// What decisions make of an approval (D-167, D-252). Pure.
import type { ApprovalDecision } from '../contracts/workflow.ts'
import type { ApprovalDefinition } from './approval-definition.ts'

/** What was decided so far; null while it is open. */
export type Verdict = 'approved' | 'rejected' | null

/** Who decided what, of everything that was done with an approval. */
export function votesOf(
  acts: readonly Pick<ApprovalDecision, 'userId' | 'decision'>[],
): Map<string, 'approve' | 'reject'> {
  const votes = new Map<string, 'approve' | 'reject'>()
  for (const { userId, decision } of acts) {
    if (decision === 'approve' || decision === 'reject') votes.set(userId, decision)
  }
  return votes
}

/**
 * Counts decisions: the first one, all of those who decide, or more than half of them. A majority that cannot be reached
 * any more is a rejection.
 */
export function verdictOf(
  behavior: ApprovalDefinition['behavior'],
  approvers: readonly string[],
  decisions: ReadonlyMap<string, 'approve' | 'reject'>,
): Verdict {
  const count = (word: 'approve' | 'reject'): number =>
    approvers.filter((userId) => decisions.get(userId) === word).length
  const [approved, rejected, all] = [count('approve'), count('reject'), approvers.length]
  switch (behavior) {
    case 'first_response':
      return approved > 0 ? 'approved' : rejected > 0 ? 'rejected' : null
    case 'unanimous':
      return rejected > 0 ? 'rejected' : approved === all && all > 0 ? 'approved' : null
    case 'majority':
      if (approved * 2 > all) return 'approved'
      return (all - rejected) * 2 <= all ? 'rejected' : null
  }
}
