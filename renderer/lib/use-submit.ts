// Owns the sending of a form: whether that was tried, whether it is under way, and what went wrong. Knows no field.
import { useState } from 'react'
import type { SyntheticEvent } from 'react'

/** A form that can be sent. */
export interface Submit {
  /** Sending was tried: fields may complain. */
  readonly tried: boolean
  /** It is under way. */
  readonly busy: boolean
  /** What the last try failed with; undefined for nothing. */
  readonly problem: unknown
  readonly onSubmit: (event: SyntheticEvent) => void
}

/**
 * Sends a form, only when it is `ready`. A rejection of `run` becomes the problem and leaves the form as it is.
 * @param ready absent for forms that always are
 */
export function useSubmit(run: () => Promise<void>, ready = true): Submit {
  const [tried, setTried] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setProblem(undefined)
    if (!ready) return
    setBusy(true)
    try {
      await run()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return { tried, busy, problem, onSubmit: (event) => void submit(event) }
}
