// Approvals as they are shown, and to whom: those who may read the record, those who decide, and who asked (D-256).
import type { ApprovalDecision, ApprovalRequest } from '#shared/contracts/workflow.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { PageQuery } from '#main/kernel/list-page.ts'
import { cutPage, readPage, standardBounds } from '#main/kernel/list-page.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { workflowError } from '../errors.ts'
import type { ApprovalFilter, ApprovalKey, ApprovalRow } from '../store.ts'
import { approvalKeys, approvalsAt, approversOf, readApproval } from '../store.ts'
import type { Machines } from './machines.ts'

/** What showing approvals works with. */
export interface RequestParts {
  readonly read: Reads
  readonly data: Pick<DataService, 'readable' | 'stateMachines' | 'canReadField'>
  readonly machines: Machines
  readonly authorizer: () => Authorizer
}

/** What a list asks for; lists of words mean any of them. */
export interface RequestQuery extends PageQuery {
  readonly object?: readonly string[] | undefined
  readonly recordId?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
  readonly approverId?: readonly string[] | undefined
  readonly submitterId?: readonly string[] | undefined
}

/** A page of a list. */
export interface RequestPage {
  requests: ApprovalRequest[]
  total: number
  hasMore: boolean
  nextCursor?: string
}

/** The approvals of one host. */
export interface Requests {
  /** Whether a caller may see an approval at this moment. */
  canSee(ctx: RequestContext, row: ApprovalRow): boolean
  /** @throws approval_not_found also for what the caller may not see */
  require(ctx: RequestContext, id: string): ApprovalRow
  show(ctx: RequestContext, row: ApprovalRow): ApprovalRequest
  /** @throws validation_error */
  list(ctx: RequestContext, query: RequestQuery): RequestPage
}

const slice = 500

/** Makes the view of approvals. */
export function createRequests(parts: RequestParts): Requests {
  const { read, data, machines } = parts

  /** A credential narrowed to permission sets reaches no further than these, whoever it belongs to. */
  const isWhole = ({ scope }: RequestContext): boolean => (scope?.permissionSets ?? null) === null

  const isOwn = (ctx: RequestContext, row: ApprovalRow): boolean =>
    isWhole(ctx) && (row.submitter_id === ctx.actor.id || approversOf(read, row.id).includes(ctx.actor.id))

  const canSee: Requests['canSee'] = (ctx, row) => {
    const schema = machines.byUid(row.object)
    if (schema === undefined) return false
    if (row.organization_id !== null && row.organization_id !== ctx.organizationId) return false
    return isOwn(ctx, row) || data.readable(ctx, schema.name, [row.record_id]).has(row.record_id)
  }

  const show: Requests['show'] = (ctx, row) => {
    const { name } = machines.byUid(row.object)!
    const machine = data.stateMachines(name).find((one) => one.name === row.workflow)
    // What is asked for tells of the state: it is shown to those who may read that.
    const tells = machine === undefined || data.canReadField(ctx, name, machine.field) || isOwn(ctx, row)
    const { behavior, lockRecord, requireRejectReason } = JSON.parse(row.definition) as ApprovalDefinition
    return {
      id: row.id,
      object: name,
      recordId: row.record_id,
      ...(row.workflow === null || !tells ? {} : { workflow: row.workflow }),
      ...(row.transition === null || !tells ? {} : { transition: row.transition }),
      ...(row.flow_run_id === null ? {} : { flowRunId: row.flow_run_id }),
      ...(row.flow_node_id === null ? {} : { nodeId: row.flow_node_id }),
      submitterId: row.submitter_id,
      ...(row.comment === null ? {} : { comment: row.comment }),
      status: row.status,
      behavior,
      lockRecord,
      requireRejectReason,
      approvers: approversOf(read, row.id),
      decisions: JSON.parse(row.decisions) as ApprovalDecision[],
      createdAt: row.created_at,
      ...(row.escalate_at === null ? {} : { escalatesAt: new Date(row.escalate_at).toISOString() }),
      ...(row.decided_at === null ? {} : { decidedAt: row.decided_at }),
    }
  }

  /** Of these, the approvals the caller sees, in their order; one statement for each object and some hundred records. */
  const seenOf = (ctx: RequestContext, keys: readonly ApprovalKey[]): ApprovalKey[] => {
    const open = new Set<ApprovalKey>()
    for (const [uid, own] of Map.groupBy(keys, ({ object }) => object)) {
      const name = machines.byUid(uid)?.name
      if (name === undefined) continue
      for (let from = 0; from < own.length; from += slice) {
        const some = own.slice(from, from + slice)
        const readable = data.readable(ctx, name, [...new Set(some.map((key) => key.record_id))])
        for (const key of some) if ((key.own === 1 && isWhole(ctx)) || readable.has(key.record_id)) open.add(key)
      }
    }
    return keys.filter((key) => open.has(key))
  }

  return {
    canSee,
    show,
    require(ctx, id) {
      requireOpenRecords(parts.authorizer(), ctx)
      const row = readApproval(read, id.toLowerCase())
      if (row === undefined || !canSee(ctx, row)) throw workflowError('approval_not_found', { id: id.slice(0, 200) })
      return row
    },
    list(ctx, query) {
      requireOpenRecords(parts.authorizer(), ctx)
      const { limit, cursor, ...asked } = query
      const binding = ['approvals', ctx.actor.id, ctx.organizationId, asked]
      const start = readPage({ limit, cursor }, standardBounds, binding)
      const uids = query.object?.flatMap((name) => machines.named(name)?.uid ?? [])
      const filter: ApprovalFilter = {
        object: uids,
        record_id: query.recordId?.map((id) => id.toLowerCase()),
        status: query.status,
        submitter_id: query.submitterId,
        approver: query.approverId,
        organization: ctx.organizationId,
      }
      const all = seenOf(ctx, approvalKeys(read, ctx.actor.id, filter))
      // Cursors hold ids: places would tell how many there are that the caller may not see.
      const { after } = start
      const at = all.findIndex(({ id }) => id === after)
      // One that is gone meanwhile: ids rise with time.
      const rest = at === -1 && after !== null ? all.filter(({ id }) => id < after) : all.slice(at + 1)
      const { shown, ...page } = cutPage(rest, start, ({ id }) => id, binding)
      const places = shown.map(({ seq }) => seq)
      const requests = approvalsAt(read, places).map((row) => show(ctx, row))
      return { requests, total: all.length, ...page }
    },
  }
}
