// The tables of approvals. SQL only; changes of states stand in service/change-store.ts.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** An approval as it is stored; `definition` and `decisions` are JSON, `object` is a uid. */
export interface ApprovalRow {
  readonly seq: number
  readonly id: string
  readonly object: string
  readonly record_id: string
  readonly workflow: string | null
  readonly transition: string | null
  readonly flow_run_id: string | null
  readonly flow_node_id: string | null
  readonly flow_key: string | null
  readonly organization_id: string | null
  readonly submitter_id: string
  readonly comment: string | null
  readonly definition: string
  readonly locks: number
  readonly status: 'pending' | 'approved' | 'rejected' | 'recalled'
  readonly decisions: string
  readonly escalate_at: number | null
  readonly created_at: string
  readonly decided_at: string | null
  /** Whether it was asked for on this machine. */
  readonly is_own: number
  /** When somebody last decided it on this machine; null for never. */
  readonly last_own_at: string | null
}

/** An approval that begins. */
export type NewApproval = Omit<ApprovalRow, 'seq' | 'status' | 'decisions' | 'decided_at' | 'last_own_at'>

/** What an act changes of an approval. */
export type ApprovalChange = Pick<
  ApprovalRow,
  'id' | 'status' | 'decisions' | 'escalate_at' | 'decided_at' | 'last_own_at'
>

/** Which approvals a list is about; lists of words mean any of them. */
export interface ApprovalFilter {
  readonly object?: readonly string[] | undefined
  readonly record_id?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
  readonly submitter_id?: readonly string[] | undefined
  readonly approver?: readonly string[] | undefined
  readonly organization: string | null
}

/** An approval as lists look for it. */
export interface ApprovalKey {
  readonly seq: number
  readonly id: string
  readonly object: string
  readonly record_id: string
  /** Whether the caller asked for it or decides it. */
  readonly own: number
}

/** Adds an approval with those who decide it. */
export function addApproval(tx: Tx, row: NewApproval, approvers: readonly string[]): void {
  tx.run(
    statement(
      `INSERT INTO workflow_approval (id, object, record_id, workflow, transition, flow_run_id, flow_node_id, flow_key,
       organization_id, submitter_id, comment, definition, locks, status, escalate_at, created_at, is_own)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)`,
      [
        row.id,
        row.object,
        row.record_id,
        row.workflow,
        row.transition,
        row.flow_run_id,
        row.flow_node_id,
        row.flow_key,
        row.organization_id,
        row.submitter_id,
        row.comment,
        row.definition,
        row.locks,
        row.escalate_at,
        row.created_at,
        row.is_own,
      ],
    ),
  )
  putApprovers(tx, row.id, approvers)
}

/** Sets who decides an approval. */
export function putApprovers(tx: Tx, id: string, approvers: readonly string[]): void {
  tx.run(statement('DELETE FROM workflow_approver WHERE approval_id = ?', [id]))
  approvers.forEach((userId, position) => {
    const sql = 'INSERT INTO workflow_approver (approval_id, user_id, position) VALUES (?, ?, ?)'
    tx.run(statement(sql, [id, userId, position]))
  })
}

/** Stores what an act made of an approval. */
export function changeApproval(tx: Tx, change: ApprovalChange): void {
  const { id, status, decisions, escalate_at: escalateAt, decided_at: decidedAt, last_own_at: lastOwnAt } = change
  const sql = `UPDATE workflow_approval
    SET status = ?, decisions = ?, escalate_at = ?, decided_at = ?, last_own_at = ? WHERE id = ?`
  tx.run(statement(sql, [status, decisions, escalateAt, decidedAt, lastOwnAt, id]))
}

/** One approval. */
export function readApproval(read: Pick<Reads, 'get'>, id: string): ApprovalRow | undefined {
  return read.get(statement<ApprovalRow>('SELECT * FROM workflow_approval WHERE id = ?', [id]))
}

/** Who decides an approval, in order. */
export function approversOf(read: Pick<Reads, 'all'>, id: string): string[] {
  const sql = 'SELECT user_id FROM workflow_approver WHERE approval_id = ? ORDER BY position'
  return read.all(statement<{ user_id: string }>(sql, [id])).map(({ user_id: userId }) => userId)
}

/** The approvals of a record, oldest first. */
export function approvalsOf(
  read: Pick<Reads, 'all'>,
  { object, recordId, pendingOnly }: { object: string; recordId: string; pendingOnly: boolean },
): ApprovalRow[] {
  const sql = `SELECT * FROM workflow_approval WHERE record_id = ? AND object = ?
    ${pendingOnly ? "AND status = 'pending'" : ''} ORDER BY seq`
  return read.all(statement<ApprovalRow>(sql, [recordId, object]))
}

/** The pending approvals a run of a flow waits for. */
export function approvalsOfRun(read: Pick<Reads, 'all'>, runId: string): ApprovalRow[] {
  const sql = "SELECT * FROM workflow_approval WHERE flow_run_id = ? AND status = 'pending' ORDER BY seq"
  return read.all(statement<ApprovalRow>(sql, [runId]))
}

/** The approval that holds a record; undefined for none. */
export function lockOf(read: Pick<Reads, 'get'>, object: string, recordId: string): string | undefined {
  const sql = `SELECT id FROM workflow_approval
    WHERE object = ? AND record_id = ? AND status = 'pending' AND locks = 1 ORDER BY seq LIMIT 1`
  return read.get(statement<{ id: string }>(sql, [object, recordId]))?.id
}

/** The uids of objects of which any record is held. */
export function lockedObjects(read: Pick<Reads, 'all'>): string[] {
  const sql = "SELECT DISTINCT object FROM workflow_approval WHERE status = 'pending' AND locks = 1"
  return read.all(statement<{ object: string }>(sql)).map(({ object }) => object)
}

/** The uids of objects that have or had approvals. */
export function objectsWithApprovals(read: Pick<Reads, 'all'>): string[] {
  const sql = 'SELECT DISTINCT object FROM workflow_approval'
  return read.all(statement<{ object: string }>(sql)).map(({ object }) => object)
}

/** Pending approvals whose time is over, the longest over first. */
export function dueApprovals(read: Pick<Reads, 'all'>, now: number, limit: number): ApprovalRow[] {
  const sql = 'SELECT * FROM workflow_approval WHERE escalate_at <= ? ORDER BY escalate_at LIMIT ?'
  return read.all(statement<ApprovalRow>(sql, [now, limit]))
}

/** Pending approvals that were decided on this machine too, the longest ago first. */
export function decidedHere(read: Pick<Reads, 'all'>, limit: number): ApprovalRow[] {
  const sql = `SELECT * FROM workflow_approval WHERE status = 'pending' AND last_own_at IS NOT NULL
    ORDER BY last_own_at LIMIT ?`
  return read.all(statement<ApprovalRow>(sql, [limit]))
}

/** The next records that have approvals or a history. */
export function placesAfter(
  read: Pick<Reads, 'all'>,
  after: { readonly object: string; readonly recordId: string } | null,
  limit: number,
): { object: string; recordId: string }[] {
  const sql = `SELECT object, record_id AS recordId FROM (
      SELECT object, record_id FROM workflow_approval UNION SELECT object, record_id FROM workflow_change
    ) WHERE (object, record_id) > (?, ?) ORDER BY object, record_id LIMIT ?`
  return read.all(
    statement<{ object: string; recordId: string }>(sql, [after?.object ?? '', after?.recordId ?? '', limit]),
  )
}

/** The keys of all approvals a filter matches, newest first. */
export function approvalKeys(read: Pick<Reads, 'all'>, userId: string, filter: ApprovalFilter): ApprovalKey[] {
  const { approver, organization, ...columns } = filter
  const conditions = ['(organization_id IS NULL OR organization_id = ?)']
  const values: (string | null)[] = [organization]
  for (const [column, words] of Object.entries(columns)) {
    if (words === undefined) continue
    conditions.push(`${column} IN (SELECT value FROM json_each(?))`)
    values.push(JSON.stringify(words))
  }
  const decides = (test: string): string =>
    `EXISTS (SELECT 1 FROM workflow_approver WHERE approval_id = workflow_approval.id AND user_id ${test})`
  if (approver !== undefined) {
    conditions.push(decides('IN (SELECT value FROM json_each(?))'))
    values.push(JSON.stringify(approver))
  }
  const sql = `SELECT seq, id, object, record_id, submitter_id = ? OR ${decides('= ?')} AS own
    FROM workflow_approval WHERE ${conditions.join(' AND ')} ORDER BY seq DESC`
  return read.all(statement<ApprovalKey>(sql, [userId, userId, ...values]))
}

/** Approvals by their place in the list, newest first. */
export function approvalsAt(read: Pick<Reads, 'all'>, places: readonly number[]): ApprovalRow[] {
  const sql = 'SELECT * FROM workflow_approval WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC'
  return read.all(statement<ApprovalRow>(sql, [JSON.stringify(places)]))
}

/** Removes the approvals of a record that is gone for good; without one, those of an object that is. */
export function forgetApprovals(tx: Tx, object: string, recordId?: string): void {
  const sql = `DELETE FROM workflow_approval WHERE object = ? ${recordId === undefined ? '' : 'AND record_id = ?'}`
  tx.run(statement(sql, recordId === undefined ? [object] : [object, recordId]))
}
