// Owns sending one request and keeping what came back: the answer, or the refusal as the host words it, and how long it took.
import { useState } from 'react'
import { ApiError } from '../../lib/api-error.ts'

/** What came back. */
export interface Attempt {
  /** The answer as text; JSON is laid out. */
  readonly text: string
  readonly isRefused: boolean
  readonly ms: number
}

/** The last attempt, whether one is under way, and how to make one. */
export function useAttempt(): {
  attempt: Attempt | undefined
  busy: boolean
  send: (work: () => Promise<unknown>) => Promise<void>
  forget: () => void
} {
  const [attempt, setAttempt] = useState<Attempt>()
  const [busy, setBusy] = useState(false)
  const send = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    const startedAt = performance.now()
    const done = (value: unknown, isRefused: boolean): void =>
      setAttempt({ text: textOf(value), isRefused, ms: Math.round(performance.now() - startedAt) })
    try {
      done(await work(), false)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { code, message, httpStatus, details, requestId } = error
      done({ code, message, httpStatus, details, requestId }, true)
    } finally {
      setBusy(false)
    }
  }
  return { attempt, busy, send, forget: () => setAttempt(undefined) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
