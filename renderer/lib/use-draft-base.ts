// Owns what a draft was made of while others save: a version that arrives meanwhile takes no unsaved work away.
import { useRef, useState } from 'react'

/**
 * The latest version, or the one there was when `onChanged` was last told true: what the draft of an editor is based on,
 * until it is told that nothing of it is unsaved.
 */
export function useDraftBase<T>(latest: T): { base: T; onChanged: (isChanged: boolean) => void } {
  const [isChanged, setChanged] = useState(false)
  const base = useRef(latest)
  if (!isChanged) base.current = latest
  return { base: base.current, onChanged: setChanged }
}
