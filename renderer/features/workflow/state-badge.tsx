// Owns a state as it is drawn everywhere: its label on its colour.
import type { Workflow } from './workflow-queries.ts'
import { shownState } from './workflow-words.ts'

/** The badge. */
export function StateBadge(props: { workflow: Pick<Workflow, 'states'>; state: string | null }) {
  const { label, className } = shownState(props.workflow, props.state)
  return <span className={`field-chip ${className}`}>{label}</span>
}
