// Owns asking: a question, what it was understood as, and who answered.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** What a question was understood as. */
export type Understood = CallResult<'askAi'>

/** The query of an answer, as the data endpoints take it. */
export type MadeQuery = Understood['query']

/** Who answers; null for a caller who may not see it. */
export const providerQuery = queryOptions({
  queryKey: ['ai', 'config'] as const,
  queryFn: async ({ signal }) => {
    try {
      return await call('getAiConfig', { signal })
    } catch (error) {
      if (hasCode(error, 'permission_denied')) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** Whether a claim of confidence deserves no second look, a look, or doubt. */
export function trustOf(confidence: number): 'sure' | 'likely' | 'guess' {
  return confidence > 0.8 ? 'sure' : confidence > 0.5 ? 'likely' : 'guess'
}
