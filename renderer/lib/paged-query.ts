// What queries of lists share that are read page by page. Knows no list.
import { keepPreviousData } from '@tanstack/react-query'

/** Members of the options of every such query: where it begins, what comes next, and that the old pages stay meanwhile. */
export const paged = {
  initialPageParam: '',
  getNextPageParam: (page: { readonly hasMore?: boolean; readonly nextCursor?: string | undefined }) =>
    page.hasMore === false ? undefined : page.nextCursor,
  placeholderData: keepPreviousData,
}

/** The parameter that asks for the page after a cursor; none for the first page. */
export function after(cursor: string): { cursor?: string } {
  return cursor === '' ? {} : { cursor }
}
