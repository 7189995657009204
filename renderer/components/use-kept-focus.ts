// Owns the focus of a part whose buttons go away once they are used: it stays in the part instead of being lost.
import { useEffect, useRef } from 'react'
import type { FocusEvent } from 'react'

/** Dialogs give the focus back a moment after they are closed. */
const afterDialogMs = 50

/** Properties of the part. When `cause` changes and what had the focus is gone, the part itself takes it. */
export function useKeptFocus<E extends HTMLElement = HTMLElement>(cause: unknown) {
  const frame = useRef<E>(null)
  const isInside = useRef(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      const isLost = document.activeElement === null || document.activeElement === document.body
      // An open dialog keeps the focus itself.
      const isFree = document.querySelector('[aria-modal="true"]') === null
      if (isInside.current && isLost && isFree) frame.current?.focus({ preventScroll: true })
    }, afterDialogMs)
    return () => clearTimeout(timer)
  }, [cause])
  return {
    ref: frame,
    tabIndex: -1,
    onFocus: () => {
      isInside.current = true
    },
    // What goes away with the focus names nobody who gets it.
    onBlur: (event: FocusEvent) => {
      if (event.relatedTarget !== null) isInside.current = false
    },
  }
}
