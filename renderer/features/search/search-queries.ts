// Owns asking for records of all objects by their words.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** A record that was found. */
export type SearchHit = CallResult<'searchEverything'>['results'][number]

/** The records with some words, the best first. `object` narrows to one; the answer before stays until this one is there. */
export function searchQuery(words: string, options: { object?: string | undefined; limit: number; count?: boolean }) {
  const { object, limit, count } = options
  return queryOptions({
    queryKey: ['search', words, object ?? null, limit, count === true] as const,
    queryFn: async ({ signal }) =>
      call('searchEverything', {
        query: { q: words, limit, ...(object === undefined ? {} : { object }), ...(count ? { count: 'true' } : {}) },
        signal,
      }),
    enabled: words !== '',
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  })
}
