// Owns the addresses of the inbox of approvals inside the window.
import type { ApprovalPart } from './approval-queries.ts'

/** Where a part of the inbox is, or one approval in it. */
export function approvalsPath(part: ApprovalPart, id?: string): string {
  if (id !== undefined) return `/approvals/${part}/${id}`
  return part === 'decide' ? '/approvals' : `/approvals/${part}`
}
