// Owns asking the person about values that were changed elsewhere while they were being edited, one after the other.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { OpenConflict } from './conflict-dialog.tsx'
import type { Decision } from './record-writes.ts'

/**
 * The question that waits for an answer, and how one is asked; after the last answer the focus goes where `refocus` puts
 * it. What nobody is left to answer is answered with `later`.
 */
export function useConflictQuestion(refocus?: () => void) {
  const [conflict, setConflict] = useState<OpenConflict>()
  const waiting = useRef<OpenConflict[]>([])
  const isThere = useRef(true)
  const latest = useRef(refocus)
  latest.current = refocus
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
      // A write without an answer would hold up every undo.
      for (const { answer } of [...waiting.current]) answer('later')
    }
  }, [])
  const ask = useCallback(async (open: Omit<OpenConflict, 'answer'>): Promise<Decision> => {
    if (!isThere.current) return 'later'
    const opener = document.activeElement
    return new Promise((resolve) => {
      const asked: OpenConflict = {
        ...open,
        answer: (decision) => {
          waiting.current = waiting.current.filter((other) => other !== asked)
          setConflict(waiting.current[0])
          resolve(decision)
          if (!isThere.current || waiting.current.length > 0) return
          setTimeout(latest.current ?? (() => opener instanceof HTMLElement && opener.focus()))
        },
      }
      waiting.current.push(asked)
      setConflict(waiting.current[0])
    })
  }, [])
  return { conflict, ask }
}
