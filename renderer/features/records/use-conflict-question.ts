// Owns asking the person about a value that was changed elsewhere while it was being edited.
import { useCallback, useRef, useState } from 'react'
import type { OpenConflict } from './conflict-dialog.tsx'
import type { Decision } from './record-writes.ts'

/** The question that waits for an answer, and how one is asked; after the answer the focus goes where `refocus` puts it. */
export function useConflictQuestion(refocus?: () => void) {
  const [conflict, setConflict] = useState<OpenConflict>()
  const latest = useRef(refocus)
  latest.current = refocus
  const ask = useCallback(async (open: Omit<OpenConflict, 'answer'>): Promise<Decision> => {
    const opener = document.activeElement
    return new Promise((resolve) => {
      setConflict({
        ...open,
        answer: (decision) => {
          setConflict(undefined)
          resolve(decision)
          setTimeout(latest.current ?? (() => opener instanceof HTMLElement && opener.focus()))
        },
      })
    })
  }, [])
  return { conflict, ask }
}
