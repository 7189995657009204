// Owns where the focus goes when a dialog closes: back to what had it. The kit asks who that was in an effect, which on a
// busy machine comes after the dialog has taken the focus itself.
import { useLayoutEffect } from 'react'

/** The dialog is gone by then, and whoever closed it may have led the focus elsewhere. */
const afterCloseMs = 10

/** Keeps what has the focus when `opened` becomes true, and gives it back when the dialog is closed or unmounted. */
export function useReturnedFocus(opened: boolean): void {
  useLayoutEffect(() => {
    const opener = document.activeElement
    if (!opened || !(opener instanceof HTMLElement)) return undefined
    // The opener's own page: this one may be gone when the timer ends.
    const { ownerDocument } = opener
    return () => {
      setTimeout(() => {
        const { activeElement, body } = ownerDocument
        if (activeElement === null || activeElement === body) opener.focus({ preventScroll: true })
      }, afterCloseMs)
    }
  }, [opened])
}
