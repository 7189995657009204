// Which bytes of a file a request wants. Pure. @source RFC 9110, sections 13 and 14
/** What is sent of a file. */
export type Wanted =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'whole' }
  /** `last` is sent too. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' }

/** What of a file a request is compared with. */
export interface Representation {
  readonly size: number
  /** Without quotes. */
  readonly eTag: string
  /** Milliseconds. */
  readonly lastModified: number
}

type Headers = Readonly<Record<string, string | undefined>>

/** Reads the conditions and the range of a request. Several ranges are answered with the whole file (D-188). */
export function wantedBytes(headers: Headers, file: Representation): Wanted {
  const known = headers['if-none-match']
  if (known !== undefined && namesTag(known, file.eTag)) return { kind: 'nothing' }
  const range = headers['range']
  if (range === undefined || !holds(headers['if-range'], file)) return { kind: 'whole' }
  const [unit, list] = range.split('=', 2)
  // A unit nobody knows is passed over.
  if (unit!.trim().toLowerCase() !== 'bytes' || list === undefined) return { kind: 'whole' }
  if (list.includes(',')) return { kind: 'whole' }
  const [, from, to] = /^\s*(\d*)\s*-\s*(\d*)\s*$/.exec(list) ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return { kind: 'unsatisfiable' }
  const { size } = file
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if ((from === '' && Number(to) === 0) || first >= size || last < first) return { kind: 'unsatisfiable' }
  return { kind: 'part', first, last }
}

/** Whether a list of tags names one; weak ones compare like strong ones here. */
function namesTag(list: string, eTag: string): boolean {
  return list.split(',').some((one) => {
    const tag = one.trim()
    return tag === '*' || tag.replace(/^W\//, '') === `"${eTag}"`
  })
}

/** A range is for the very bytes the client has begun with, else it gets all of them. */
function holds(condition: string | undefined, { eTag, lastModified }: Representation): boolean {
  if (condition === undefined) return true
  const given = condition.trim()
  if (given.startsWith('"') || given.startsWith('W/')) return given === `"${eTag}"`
  return Date.parse(given) === Math.floor(lastModified / 1_000) * 1_000
}
