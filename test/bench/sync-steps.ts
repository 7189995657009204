// The steps of a run about sync, in the order they run: what a machine does alone, then two machines, and last what
// restarts them.
import { syncCatchUpSteps } from './sync-catch-up-steps.ts'
import { syncPairSteps } from './sync-pair-steps.ts'
import type { SyncStep } from './sync-world.ts'
import { syncWriteSteps } from './sync-write-steps.ts'

/** Every step in the order they run. */
const syncSteps: readonly SyncStep[] = [...syncWriteSteps, ...syncCatchUpSteps, ...syncPairSteps]

/**
 * The steps of a run: every one, or those a name selects, which is the step of that id or else all that begin with it.
 * @throws Error on a name without steps
 */
export function selectSyncSteps(only: readonly string[]): SyncStep[] {
  const named = only.flatMap((name) => {
    const exact = syncSteps.filter((step) => step.id === name)
    const found = exact.length > 0 ? exact : syncSteps.filter((step) => step.id.startsWith(name))
    if (found.length === 0) throw new Error(`no step ${name}; steps: ${syncSteps.map((step) => step.id).join(', ')}`)
    return found
  })
  return syncSteps.filter((step) => only.length === 0 || named.includes(step))
}
