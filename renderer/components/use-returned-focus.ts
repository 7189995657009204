// Owns where the focus goes when a dialog closes: back to what had it. The kit asks who that was in an effect, which on a
// busy machine comes after the dialog has taken the focus itself.
import { useLayoutEffect } from 'react'

/** The dialog is gone by then, and whoever closed it may have led the focus elsewhere. */
const afterCloseMs = 10

/** Keeps what has the focus when `opened` becomes true, and gives it back when the dialog is closed or unmounted. */
export function useReturnedFocus(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return undefined
    const opener = document.activeElement
    return () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body
        if (isLost && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
      }, afterCloseMs)
    }
  }, [opened])
}
