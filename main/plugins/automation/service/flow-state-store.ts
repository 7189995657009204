// What the operator says of a flow, and who saved it last: beside the item, so that a switch is no new version. SQL and
// the copy in memory that decides without a query.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** What is kept beside a flow's item. */
export interface FlowState {
  readonly isEnabled: boolean
  /** The user who saved the flow last; null for one nobody saved here, {@link nobody} once the account is removed. */
  readonly savedBy: string | null
  /** The organization that user was in. */
  readonly savedOrganization: string | null
}

/** Who saved a flow whose saver's account is removed: people of other machines have none here either. */
export const nobody = ''

/** The states of all flows. */
export interface FlowStates {
  of(name: string): FlowState
  /** Rises with every change. */
  version(): number
  put(tx: Tx, name: string, state: FlowState): void
  drop(tx: Tx, name: string): void
}

const unknown: FlowState = { isEnabled: true, savedBy: null, savedOrganization: null }

/** Reads the states. */
export function createFlowStates(read: Pick<Reads, 'all'>): FlowStates {
  const rows = read.all<{ name: string; enabled: number; saved_by: string | null; saved_organization: string | null }>(
    statement('SELECT name, enabled, saved_by, saved_organization FROM automation_flow'),
  )
  const states = new Map<string, FlowState>(
    rows.map((row) => [
      row.name,
      { isEnabled: row.enabled === 1, savedBy: row.saved_by, savedOrganization: row.saved_organization },
    ]),
  )
  let version = 0
  return {
    of: (name) => states.get(name) ?? unknown,
    version: () => version,
    put(tx, name, state) {
      tx.run(
        statement(
          `INSERT OR REPLACE INTO automation_flow (name, enabled, saved_by, saved_organization) VALUES (?, ?, ?, ?)`,
          [name, state.isEnabled ? 1 : 0, state.savedBy, state.savedOrganization],
        ),
      )
      tx.afterCommit(() => {
        states.set(name, state)
        version += 1
      })
    },
    drop(tx, name) {
      tx.run(statement('DELETE FROM automation_flow WHERE name = ?', [name]))
      tx.afterCommit(() => {
        states.delete(name)
        version += 1
      })
    },
  }
}
