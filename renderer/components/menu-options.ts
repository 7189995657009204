// Owns how menus open: at once, beside their button in the order of the page, with the focus on their first entry; and what
// comes after them.
import { useRef } from 'react'
import type { RefObject } from 'react'

/** Properties of every menu; where it opens is its own. */
export const menuOptions = {
  transitionProps: { duration: 0 },
  withinPortal: false,
  withInitialFocusPlaceholder: false,
} as const

/** What {@link useMenu} makes of what an entry is to do. */
export type AfterMenu = (act: () => void) => () => void

/**
 * A menu whose entries do something once it is gone, with the focus on `home`: a dialog gives it back to where it was, and
 * an entry is nowhere by then. `options` are the menu's properties; `returns` has `home` take the focus however it closes.
 */
export function useMenu(home: RefObject<{ focus(): void } | null>, returns = false) {
  const chosen = useRef<() => void>(undefined)
  const onExitTransitionEnd = (): void => {
    const act = chosen.current
    chosen.current = undefined
    if (!act && !returns) return
    // The kit looks who has the focus at this moment, and gives it to the menu's button where nobody takes it from there.
    queueMicrotask(() => {
      home.current?.focus()
      act?.()
    })
  }
  const after: AfterMenu = (act) => () => {
    chosen.current = act
  }
  return { options: { ...menuOptions, onExitTransitionEnd }, after }
}
