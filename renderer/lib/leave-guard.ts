// Owns the question before a screen with unsaved work is left: by a link, a key, the browser's own buttons, or by closing
// or reloading the page, where the browser or the desktop shell words it.
import { useCallback, useEffect, useRef } from 'react'
import { confirmAction } from './confirm.ts'
import { guardLocation } from './hash-location.ts'

/** What is asked. */
export interface LeaveQuestion {
  title: string
  body: string
  confirmLabel: string
  cancelLabel: string
}

/**
 * Asks before the screen is left; undefined asks nothing. An open question answers itself with yes when nothing is unsaved
 * any more, as when a save that was under way has ended.
 */
export function useLeaveGuard(question: LeaveQuestion | undefined): void {
  const text = question && JSON.stringify(question)
  const needless = useRef<AbortController>(undefined)
  useEffect(() => {
    if (text === undefined) return needless.current?.abort()
    const free = guardLocation(async () => {
      needless.current = new AbortController()
      return confirmAction(JSON.parse(text) as LeaveQuestion, needless.current.signal)
    })
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', hold)
    return () => {
      free()
      window.removeEventListener('beforeunload', hold)
    }
  }, [text])
}

/** Has the browser ask before the page is closed or loaded anew, as long as what is answered was last told true. */
export function useHeldPage(): (isUnsaved: boolean) => void {
  const held = useRef(false)
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent): void => {
      if (held.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', hold)
    return () => window.removeEventListener('beforeunload', hold)
  }, [])
  return useCallback((isUnsaved) => {
    held.current = isUnsaved
  }, [])
}
