// Owns where steps of an earlier visit find what takes them back, and whose list is open.
import { useEffect } from 'react'
import { useOwnId } from '../lib/me.ts'
import { openUndo, setUndoLoaders } from '../lib/undo.ts'

setUndoLoaders({
  records: async () =>
    Promise.all([import('../features/records/cell-step.ts'), import('../features/records/record-steps.ts')]),
  dashboards: async () => import('../features/dashboards/dashboard-steps.ts'),
  conflicts: async () => import('../features/conflicts/decision-step.ts'),
  sharing: async () => import('../features/sharing/share-steps.ts'),
  objects: async () => import('../features/objects/object-step.ts'),
  trash: async () => import('../features/trash/trash-tasks.ts'),
  views: async () => import('../features/records/view-steps.ts'),
})

/** Keeps the list of steps of whoever is in front of the screen. */
export function useKeptUndo(): void {
  const owner = useOwnId()
  useEffect(() => {
    if (owner === undefined) return
    void openUndo(owner)
  }, [owner])
}
