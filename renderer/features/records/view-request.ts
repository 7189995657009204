// Owns what a view shows as a request that somebody can take elsewhere: an address, a command line, a program. Pure.
import { sortText } from './record-query.ts'
import type { RecordQuery } from './record-query.ts'

/** Ways to write the request. */
export const requestForms = ['rest', 'curl', 'javascript'] as const

/** One of {@link requestForms}. */
export type RequestForm = (typeof requestForms)[number]

/** What is asked for. */
export interface ViewRequest {
  /** Origin of the host and prefix of its API, for example `http://127.0.0.1:7430/api/v1`. */
  base: string
  object: string
  query: Pick<RecordQuery, 'sort' | 'search'>
  filter: Readonly<Record<string, unknown>> | undefined
  /** Names of the shown fields. */
  columns: readonly string[]
}

/** The address of the records of a view. */
export function requestAddress({ base, object, query, filter, columns }: ViewRequest): string {
  const words = new URLSearchParams({
    select: columns.join(','),
    ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    ...(query.sort.length === 0 ? {} : { sort: sortText(query.sort) }),
    ...(query.search === '' ? {} : { search: query.search }),
  })
  return `${base}/data/${object}?${words.toString()}`
}

/** The request in a form; the key is left to whoever uses it. */
export function requestText(form: RequestForm, request: ViewRequest): string {
  const address = requestAddress(request)
  if (form === 'rest') return `GET ${address}`
  // An apostrophe is the one sign that a quoted text of a shell or a program cannot hold.
  const quoted = `'${address.replaceAll("'", '%27')}'`
  if (form === 'curl') return `curl -H "Authorization: Bearer $CAIRN_API_KEY" ${quoted}`
  return [
    `const answer = await fetch(${quoted}, {`,
    '  headers: { Authorization: `Bearer ${process.env.CAIRN_API_KEY}` },',
    '})',
    'if (!answer.ok) throw new Error(await answer.text())',
    'const { records } = await answer.json()',
    '',
  ].join('\n')
}
