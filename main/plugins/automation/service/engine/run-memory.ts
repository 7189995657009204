// A run in memory: what it started with, the steps that are stored, and its variables. Built from rows alone, so that a
// run goes on after a restart as if nothing had happened.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { FlowDefinition } from '../flow.ts'
import type { RunRow, StepRow } from '../../store.ts'

/** What a run knows of its cause. */
export interface RunInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly record?: Readonly<Record<string, unknown>> | null
  readonly previous?: Readonly<Record<string, unknown>> | null
  readonly event?: Readonly<Record<string, unknown>> | null
}

/** What a step leaves for the run: stored as `memo`. */
export interface StepMemo {
  readonly output?: unknown
  /** The node that follows; null ends the graph. Absent of a failure nobody takes care of. */
  readonly next?: string | null
  /** What a waiting step was resumed with. */
  readonly resumed?: { readonly output?: unknown; readonly label?: string; readonly error?: unknown }
  /** Keys of the steps below that failed with it. */
  readonly keys?: readonly string[]
}

/** A run in memory. */
export interface RunMemory {
  readonly row: RunRow
  readonly flow: FlowDefinition
  readonly input: RunInput
  /** The context of a node that begins, without its own signal. @throws permission_denied as the context of a run does */
  readonly ctx: () => RequestContext
  readonly user: Readonly<Record<string, unknown>> | null
  /** The last stored step of each key. */
  readonly steps: Map<string, StepRow>
  /** Failed attempts of each key. */
  readonly attempts: Map<string, number>
  variables: Readonly<Record<string, unknown>>
  /** Makes a pending run a running one: goes with its first step, and is gone once that is stored. @throws RunEnded */
  opening: ((tx: Tx) => void) | undefined
  /** Stores the end node: goes with the end of the run. @throws RunEnded */
  closing: ((tx: Tx) => void) | undefined
}

/** Takes stored steps into memory. */
export function rememberSteps(rows: readonly StepRow[]): Pick<RunMemory, 'steps' | 'attempts'> {
  const steps = new Map<string, StepRow>()
  const attempts = new Map<string, number>()
  for (const row of rows) {
    if (isAttempt(row)) attempts.set(row.key, row.retryAttempt + 1)
    else steps.set(row.key, row)
  }
  return { steps, attempts }
}

/** Whether a failure was followed by another try. */
export function isAttempt({ status, memo }: Pick<StepRow, 'status' | 'memo'>): boolean {
  return status === 'failure' && memo === null
}

/** What a step left; nothing when it left nothing. */
export function memoOf({ memo }: Pick<StepRow, 'memo'>): StepMemo {
  return memo === null ? {} : (JSON.parse(memo) as StepMemo)
}
