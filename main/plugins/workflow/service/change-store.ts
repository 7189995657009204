// The table of changes of states. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A change of a state as it is stored; `approvers` is a JSON list, `object` a uid. */
export interface ChangeRow {
  /** The same on every machine. */
  readonly id: string
  readonly object: string
  readonly record_id: string
  readonly workflow: string
  readonly from_state: string | null
  readonly to_state: string | null
  readonly action: string
  readonly user_id: string
  readonly at: string
  readonly comment: string | null
  readonly approvers: string | null
}

/** Adds a change; one that is there already stays as it is. @returns whether it is new */
export function addChange(tx: Tx, row: ChangeRow): boolean {
  const { changes } = tx.run(
    statement(
      `INSERT INTO workflow_change
       (id, object, record_id, workflow, from_state, to_state, action, user_id, at, comment, approvers)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      [
        row.id,
        row.object,
        row.record_id,
        row.workflow,
        row.from_state,
        row.to_state,
        row.action,
        row.user_id,
        row.at,
        row.comment,
        row.approvers,
      ],
    ),
  )
  return changes === 1
}

/** The changes of a record in a workflow, newest first. */
export function readChanges(
  read: Pick<Reads, 'all'>,
  { object, recordId, workflow, limit }: { object: string; recordId: string; workflow: string; limit: number },
): ChangeRow[] {
  const sql = `SELECT * FROM workflow_change WHERE record_id = ? AND workflow = ? AND object = ?
    ORDER BY at DESC, seq DESC LIMIT ?`
  return read.all(statement<ChangeRow>(sql, [recordId, workflow, object, limit]))
}

/** All changes of a record, oldest first. */
export function changesOf(read: Pick<Reads, 'all'>, object: string, recordId: string): ChangeRow[] {
  const sql = 'SELECT * FROM workflow_change WHERE record_id = ? AND object = ? ORDER BY at, seq'
  return read.all(statement<ChangeRow>(sql, [recordId, object]))
}

/** Removes the changes of a record that is gone for good; without one, those of an object that is. */
export function forgetChanges(tx: Tx, object: string, recordId?: string): void {
  const sql = `DELETE FROM workflow_change WHERE object = ? ${recordId === undefined ? '' : 'AND record_id = ?'}`
  tx.run(statement(sql, recordId === undefined ? [object] : [object, recordId]))
}
