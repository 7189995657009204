// Owns the question before a screen with unsaved work is left: by a link, a key, the browser's own buttons, or by closing
// or reloading the page, where the browser or the desktop shell words it.
import { useCallback, useEffect, useRef } from 'react'
import { confirmAction } from './confirm.ts'
import { guardLocation, leavesPath } from './hash-location.ts'

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

/** How long a save that is under way is waited for before anybody is asked, and how often it is looked for, in milliseconds. */
const savingMs = 1_000
const lookMs = 20

/**
 * Asks before the screen is left, closed or loaded anew, as long as what is answered was last told that something is unsaved.
 * What has the focus is left first, as by a click elsewhere, and what is under way is waited for.
 * @param leaves whether a search part of the same path shows another screen
 */
export function useHeldPage(
  question: LeaveQuestion,
  leaves: (search: string) => boolean,
): (isUnsaved: boolean, isUnderWay: boolean) => void {
  const latest = useRef({ question, leaves })
  latest.current = { question, leaves }
  const isSaving = useRef(false)
  const release = useRef<() => void>(undefined)
  const hold = useCallback((): (() => void) => {
    const needless = new AbortController()
    const free = guardLocation(
      async () => {
        const typedInto = document.activeElement
        if (typedInto instanceof HTMLElement && typedInto.matches('input, textarea, select')) typedInto.blur()
        for (let waited = 0; isSaving.current && waited < savingMs; waited += lookMs) {
          await new Promise((resolve) => setTimeout(resolve, lookMs))
        }
        return needless.signal.aborted || confirmAction(latest.current.question, needless.signal)
      },
      leavesPath((search) => latest.current.leaves(search)),
    )
    const keep = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', keep)
    return () => {
      needless.abort()
      free()
      window.removeEventListener('beforeunload', keep)
    }
  }, [])
  useEffect(
    () => () => {
      release.current?.()
      release.current = undefined
    },
    [],
  )
  return useCallback(
    (isUnsaved, isUnderWay) => {
      isSaving.current = isUnderWay
      if (isUnsaved) {
        release.current ??= hold()
        return
      }
      release.current?.()
      release.current = undefined
    },
    [hold],
  )
}
