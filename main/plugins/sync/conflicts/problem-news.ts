// Tells of envelopes that were laid aside or taken up again, once per write. Knows no table.
import { internalContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** To be called when an envelope is laid aside for the first time. */
export function noteProblemOpened(tx: Tx): void {
  tx.gather(tellOpened, tx)
}

/** To be called when an envelope does not lie aside any more: applied after all, or given up. */
export function noteProblemClosed(tx: Tx): void {
  tx.gather(tellClosed, tx)
}

function tellOpened(writes: readonly Tx[]): void {
  writes[0]!.emit(internalContext('sync', 'sync'), { type: 'sync.problem.opened', payload: {} })
}

function tellClosed(writes: readonly Tx[]): void {
  writes[0]!.emit(internalContext('sync', 'sync'), { type: 'sync.problem.closed', payload: {} })
}
