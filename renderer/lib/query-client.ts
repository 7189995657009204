// Owns the cache of answers: what is retried, how long an answer counts as fresh.
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

const maxRetries = 2

let cache: QueryClient | undefined

/** Makes answers be asked for again, from code that belongs to no component; nothing before there is a cache. */
export async function refreshAnswers(...keys: readonly (readonly unknown[])[]): Promise<void> {
  await Promise.all(keys.map(async (queryKey) => cache?.invalidateQueries({ queryKey })))
}

/** Creates the one cache of a page. */
export function createQueryClient(): QueryClient {
  cache = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        // The host is on this machine: whether the network is up says nothing about it.
        networkMode: 'always',
        retry: (failures, error) =>
          error instanceof ApiError && error.retryable && error.httpStatus > 0 && failures < maxRetries,
        retryDelay: (attempt, error) =>
          error instanceof ApiError && error.retryAfterSeconds !== undefined
            ? error.retryAfterSeconds * 1000
            : 300 * 2 ** attempt,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return cache
}
