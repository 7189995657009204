// Owns what a draft was made of while others save: a version that arrives meanwhile takes no unsaved work away.
import { useReducer, useRef, useState } from 'react'

/** What the draft of an editor is based on. */
export interface DraftBase<T> {
  readonly base: T
  /** Another one where an editor is to begin anew, as there is another base and no draft. */
  readonly key: number
  onChanged: (isChanged: boolean) => void
  /** The draft goes on, over what was just saved of it. */
  onSaved: (saved: T) => void
}

/**
 * The latest version, or the one there was when `onChanged` was last told true: what the draft of an editor is based on,
 * until it is told that nothing of it is unsaved.
 */
export function useDraftBase<T>(latest: T): DraftBase<T> {
  const [isChanged, setChanged] = useState(false)
  const held = useRef({ base: latest, key: 0 })
  const [, show] = useReducer((count: number) => count + 1, 0)
  if (!isChanged && held.current.base !== latest) held.current = { base: latest, key: held.current.key + 1 }
  return {
    ...held.current,
    onChanged: setChanged,
    onSaved(saved) {
      held.current = { ...held.current, base: saved }
      show()
    },
  }
}
