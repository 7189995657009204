// Owns the addresses of the API page. Pure.

/** The parts of the page, in their order. */
export const apiParts = ['requests', 'reference', 'graphql', 'assistants'] as const

/** One of {@link apiParts}. */
export type ApiPart = (typeof apiParts)[number]

/** Path of a part, and of an object in it; `search` is what the page is to show of it. */
export function apiPath(part: ApiPart, object?: string, search = ''): string {
  const path = `/api/${part}${object === undefined ? '' : `/${object}`}`
  return search === '' ? path : `${path}?${search}`
}

/** Path of the requests behind a view: what it shows, and the names of its columns where not all are shown. */
export function requestsPath(object: string, view: string, columns: readonly string[] | undefined): string {
  const params = new URLSearchParams(view)
  if (columns !== undefined) params.set('c', columns.join(','))
  return apiPath('requests', object, params.toString())
}
