// Owns how menus open: at once, beside their button in the order of the page, with the focus on their first entry; and what
// comes after them.
import type { RefObject } from 'react'

/** Properties of every menu; where it opens is its own. */
export const menuOptions = {
  transitionProps: { duration: 0 },
  withinPortal: false,
  withInitialFocusPlaceholder: false,
} as const

/** A menu hands the focus over a moment after it has closed. */
const handoverMs = 30

/** What an entry of a menu does, with the focus on the menu's button: a dialog gives it back to where it was. */
export const afterMenu = (button: RefObject<HTMLElement | null>, act: () => void) => (): void => {
  setTimeout(() => {
    button.current?.focus()
    act()
  }, handoverMs)
}
