// Owns asking the host, while something is typed, whether a permission set could be saved.
import { useEffect, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import type { RightType } from '../../lib/right-sets.ts'
import type { SetDraft } from './set-draft.ts'

/** What the host said of the set asked about last. */
export interface SetCheck {
  /** True until the answer belongs to what is on the screen. */
  waiting: boolean
  problems: readonly { path: string; message: string }[]
}

const restMs = 350
const nothing: SetCheck = { waiting: false, problems: [] }

/** Asks after a short rest; undefined asks nothing. A host that does not answer reports no problems: saving asks again. */
export function useSetCheck(type: RightType, draft: SetDraft | undefined): SetCheck {
  const text = draft === undefined ? '' : JSON.stringify(draft)
  const [answer, setAnswer] = useState<{ text: string; check: SetCheck }>({ text: '', check: nothing })
  useEffect(() => {
    if (text === '') return
    const controller = new AbortController()
    const take = (check: SetCheck): void => {
      if (!controller.signal.aborted) setAnswer({ text, check })
    }
    const ask = async (): Promise<void> => {
      const data = JSON.parse(text) as Record<string, unknown>
      const { errors = [] } = await call('validateMetadata', { body: { type, data }, signal: controller.signal })
      take({ waiting: false, problems: errors })
    }
    const timer = setTimeout(() => void ask().catch(() => take(nothing)), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, type])
  if (text === '') return nothing
  return answer.text === text ? answer.check : { ...answer.check, waiting: true }
}
