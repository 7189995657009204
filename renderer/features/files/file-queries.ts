// Owns reading the files of the workspace, and the cache keys they live under.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'

/** A file with whether anything names it. */
export type ListedFile = CallResult<'listFiles'>['files'][number]

const pollMs = 1_000

/** Files, newest first, page by page. */
export function filesQuery(search: string, unused: boolean) {
  return infiniteQueryOptions({
    queryKey: ['files', 'list', search, unused] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listFiles', {
        query: {
          limit: 50,
          ...(search === '' ? {} : { search }),
          ...(unused ? { unused: true } : {}),
          ...after(pageParam),
        },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.files.some(({ place }) => place.receivedBytes !== null)) ? pollMs : false,
    ...paged,
  })
}

/** What is known of one file, asked for anew while its bytes come from another machine. */
export function fileQuery(fileId: string) {
  return queryOptions({
    queryKey: ['files', 'one', fileId] as const,
    queryFn: async ({ signal }) => call('getFileMetadata', { params: { id: fileId }, signal }),
    refetchInterval: ({ state }) => (state.data?.place.here === false ? pollMs : false),
    staleTime: 0,
  })
}

/** What names a file. */
export function usesQuery(fileId: string) {
  return queryOptions({
    queryKey: ['files', 'uses', fileId] as const,
    queryFn: async ({ signal }) => call('getFileUses', { params: { id: fileId }, signal }),
    staleTime: 0,
  })
}

/** Makes everything shown of files be asked for again. */
export async function refreshFiles(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: ['files'] })
}
