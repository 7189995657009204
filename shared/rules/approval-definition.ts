// How an approval is asked for, as the author of a transition or of a flow writes it (D-167, D-252).
import { z } from 'zod'

/** How approvers are named. */
export const approverTypes = ['user', 'role', 'team', 'manager', 'field', 'owner'] as const

/** One way to find approvers; `manager` and `owner` need no value. */
export const Approver = z
  .object({ type: z.enum(approverTypes), value: z.string().min(1).max(255).optional() })
  .refine(({ type, value }) => type === 'manager' || type === 'owner' || value !== undefined, {
    message: 'Approvers of this type need a value: a user, a role, a team or a field.',
    path: ['value'],
  })
  .meta({ id: 'Approver' })

/** One way to find approvers. */
export type Approver = z.output<typeof Approver>

/** What happens to a request nobody decided in time. */
export const Escalation = z.object({
  timeoutHours: z.number().positive().max(87_600),
  action: z.enum(['reassign', 'auto_approve', 'auto_reject', 'notify']),
  /** A user's id, or approvers as above; who is told, or decides from then on. */
  escalateTo: z.union([z.string().min(1).max(255), Approver]).optional(),
})

/** The members of an approval with their defaults. */
export const approvalShape = {
  approvers: z.array(Approver).min(1).max(100),
  behavior: z.enum(['first_response', 'unanimous', 'majority']).default('first_response'),
  lockRecord: z.boolean().default(true),
  escalation: Escalation.optional(),
  requireRejectReason: z.boolean().default(false),
}

/** How an approval is asked for. */
export const ApprovalDefinition = z.object(approvalShape).meta({ id: 'ApprovalDefinition' })

/** How an approval is asked for, with its defaults. */
export type ApprovalDefinition = z.output<typeof ApprovalDefinition>
