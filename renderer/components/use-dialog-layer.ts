// Owns which of several open dialogs lies on top: the one that opened last, wherever in the page it stands.
import { useLayoutEffect, useState } from 'react'

/** The kit's own number for dialogs; what opens from fields inside of them is at 300. */
const lowest = 200
const taken = new Set<number>()

/** The layer of a dialog, above all that are open by now. */
export function useDialogLayer(opened: boolean): number {
  const [layer, setLayer] = useState(lowest)
  useLayoutEffect(() => {
    if (!opened) return
    const next = Math.max(lowest, ...taken) + 1
    taken.add(next)
    setLayer(next)
    return () => void taken.delete(next)
  }, [opened])
  return layer
}
