// Owns asking the host, while something is typed, whether a definition can be saved and what saving would do.
import { useEffect, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import type { ObjectItem } from './object-item.ts'
import type { PlanStep } from './save-object.ts'

/** One problem of a definition; `path` leads to the key. */
export type DraftProblem = NonNullable<CallResult<'validateMetadata'>['errors']>[number]

/** What the host said of the definition asked about last. */
export interface DraftCheck {
  /** True until the answer belongs to what is on the screen. */
  waiting: boolean
  problems: readonly DraftProblem[]
  plan: readonly PlanStep[]
}

const restMs = 350
const nothing: DraftCheck = { waiting: false, problems: [], plan: [] }

/** Asks after a short rest; undefined asks nothing. A host that does not answer reports no problems: saving asks again. */
export function useDraftCheck(item: ObjectItem | undefined): DraftCheck {
  const { etag: _etag, ...definition } = item ?? { name: '', fields: {} }
  const text = item === undefined ? '' : JSON.stringify(definition)
  const [answer, setAnswer] = useState<{ text: string; check: DraftCheck }>({ text: '', check: nothing })
  useEffect(() => {
    if (text === '') return
    const controller = new AbortController()
    const take = (check: DraftCheck): void => {
      if (!controller.signal.aborted) setAnswer({ text, check })
    }
    const ask = async (): Promise<void> => {
      const data = JSON.parse(text) as Record<string, unknown>
      const { errors = [], plan = [] } = await call('validateMetadata', {
        body: { type: 'object', data },
        signal: controller.signal,
      })
      take({ waiting: false, problems: errors, plan })
    }
    const timer = setTimeout(() => void ask().catch(() => take(nothing)), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  if (text === '') return nothing
  return answer.text === text ? answer.check : { ...answer.check, waiting: true }
}

/** The problems below a path, with paths that begin there; the path itself becomes empty. */
export function problemsBelow(problems: readonly DraftProblem[], path: string): DraftProblem[] {
  return problems.flatMap((problem) => {
    if (problem.path === path) return [{ ...problem, path: '' }]
    return problem.path.startsWith(`${path}.`) ? [{ ...problem, path: problem.path.slice(path.length + 1) }] : []
  })
}
