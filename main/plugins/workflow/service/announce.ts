// Tells of approvals: an item in the feed of the record, notifications, events for screens. All in the transaction of what
// happened; none of them says more of the record than that there is an approval (D-257).
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { NotificationsService } from '#main/plugins/notifications/api.ts'
import type { ApprovalRow } from '../store.ts'

/** The events of approvals. */
export const approvalEvents = ['approval.requested', 'approval.decided'] as const

/** An approval, as far as it is told of. */
export type ToldApproval = Pick<
  ApprovalRow,
  'id' | 'record_id' | 'submitter_id' | 'organization_id' | 'workflow' | 'transition'
>

/** Tells of approvals; one per host. */
export interface Announcer {
  /** Somebody is asked to decide. @param round tells one asking of the same people from another */
  requested(tx: Tx, ctx: RequestContext, about: Told, userIds: readonly string[], round: string): void
  /** It was decided or taken back. */
  decided(tx: Tx, ctx: RequestContext, about: Told, status: Exclude<ApprovalRow['status'], 'pending'>): void
  /** Another machine asks, or decided: its item in the feed comes by itself, people here are told here. */
  heard(tx: Tx, ctx: RequestContext, about: Told, status: ApprovalRow['status']): void
  /** Nobody decided in time. */
  late(tx: Tx, about: Told, userIds: readonly string[]): void
}

/** About what is told. */
export interface Told {
  readonly schema: ObjectSchema
  readonly approval: ToldApproval
  /** Who decides it. */
  readonly approvers: readonly string[]
}

/** Makes the announcer. */
export function createAnnouncer(parts: {
  readonly feed: () => Pick<FeedService, 'addSystemItem'> | undefined
  readonly notifications: () => Pick<NotificationsService, 'notify'> | undefined
  /** Whether somebody has an account on this machine. */
  readonly isHere: (userId: string) => boolean
}): Announcer {
  const notify = (
    tx: Tx,
    { schema, approval }: Told,
    userIds: readonly string[],
    title: string,
    status: ApprovalRow['status'] | 'late',
    cause: string,
  ): void => {
    for (const userId of new Set(userIds)) {
      parts.notifications()?.notify(tx, {
        userId,
        type: 'approval',
        title,
        body: schema.label,
        data: { object: schema.name, recordId: approval.record_id, approvalRequestId: approval.id, status },
        actionUrl: `#/o/${schema.name}?rec=${approval.record_id}&tab=activity`,
        dedupeKey: `workflow:${approval.id}:${cause}`,
        organizationId: approval.organization_id,
      })
    }
  }

  const item = (tx: Tx, ctx: RequestContext, { schema, approval }: Told, status: ApprovalRow['status'], body: string) =>
    parts.feed()?.addSystemItem(tx, ctx, {
      object: schema.name,
      recordId: approval.record_id,
      type: 'approval',
      body,
      data: { approvalRequestId: approval.id, status },
    })

  const emit = (
    tx: Tx,
    ctx: RequestContext,
    type: (typeof approvalEvents)[number],
    { schema, approval }: Told,
    more: { readonly status: ApprovalRow['status']; readonly userIds: readonly string[] },
  ): void => {
    const { id, record_id: recordId, organization_id: organizationId, workflow, transition } = approval
    const payload = { approvalRequestId: id, workflow, transition, organizationId, ...more }
    tx.emit(ctx, { type, object: schema.name, recordId, payload })
  }

  return {
    requested(tx, ctx, about, userIds, round) {
      item(tx, ctx, about, 'pending', 'An approval is asked for.')
      emit(tx, ctx, 'approval.requested', about, { status: 'pending', userIds })
      const others = userIds.filter((id) => id !== ctx.actor.id)
      notify(tx, about, others, 'An approval is asked of you', 'pending', `requested:${round}`)
    },
    decided(tx, ctx, about, status) {
      const { submitter_id: submitter } = about.approval
      item(tx, ctx, about, status, said[status])
      emit(tx, ctx, 'approval.decided', about, { status, userIds: [submitter, ...about.approvers] })
      const others = [submitter, ...(status === 'recalled' ? about.approvers : [])].filter((id) => id !== ctx.actor.id)
      notify(tx, about, others, said[status], status, status)
    },
    heard(tx, ctx, about, status) {
      const { submitter_id: submitter } = about.approval
      const userIds = status === 'pending' ? about.approvers : [submitter, ...about.approvers]
      emit(tx, ctx, status === 'pending' ? 'approval.requested' : 'approval.decided', about, { status, userIds })
      const told = status === 'pending' ? about.approvers : status === 'recalled' ? userIds : [submitter]
      const here = told.filter((id) => id !== ctx.actor.id && parts.isHere(id))
      const title = status === 'pending' ? 'An approval is asked of you' : said[status]
      notify(tx, about, here, title, status, status === 'pending' ? 'requested:first' : status)
    },
    late: (tx, about, userIds) => notify(tx, about, userIds, 'An approval is still waiting', 'late', 'late'),
  }
}

const said: Readonly<Record<Exclude<ApprovalRow['status'], 'pending'>, string>> = {
  approved: 'The approval was given.',
  rejected: 'The approval was refused.',
  recalled: 'The approval is not asked for any more.',
}
