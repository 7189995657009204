// Says what the record query refuses in the words of the analytic query it was made of (D-81). Pure.
import { PlatformError, invalidQuery } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { FilterPart } from '#shared/filter/parse-filter.ts'

/** A parsed condition with its place in the request. */
export interface PlacedFilter extends Pick<FilterPart, 'parameter' | 'path'> {
  readonly filter: Filter
}

/** A column of the record query with the member it stands for. */
export interface PlacedMember {
  /** The member as the caller spelt it. */
  readonly name: string
  readonly alias: string
  /** The field; null for what is worked out. */
  readonly path: string | null
  readonly parameter: string
}

/** Where the parts of a record query come from. */
export interface QueryOrigins {
  readonly where: readonly PlacedFilter[]
  readonly having: readonly PlacedFilter[]
  readonly measures: readonly PlacedMember[]
  readonly groups: readonly PlacedMember[]
}

/** Names of parameters that differ and nothing else. */
const sameElsewhere: Readonly<Record<string, string>> = { sort: 'order', top: 'limit', skip: 'offset' }

/** The error in the caller's words; any other error as it is. */
export function inCallersWords(error: unknown, origins: QueryOrigins): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'invalid_query') return error
  const { parameter, reason, path = '', field: _field, ...rest } = error.details
  if (typeof parameter !== 'string' || typeof path !== 'string') return error
  const place = placeOf(parameter, path, origins)
  return place === null ? error : invalidQuery(place.parameter, String(reason), { path: place.path, ...rest })
}

function placeOf(parameter: string, path: string, origins: QueryOrigins): { parameter: string; path: string } | null {
  const { where, having, measures, groups } = origins
  switch (parameter) {
    case 'filter':
      return placeIn(where, path, path)
    case 'having':
      return placeIn(having, path, measures.find(({ alias }) => alias === path)?.name ?? path)
    case 'aggregations':
      return memberAt(measures, path) ?? { parameter: 'measures', path: '' }
    case 'groupBy':
      return memberAt(groups, path) ?? { parameter: 'dimensions', path: '' }
    default: {
      const word = sameElsewhere[parameter]
      return word === undefined ? null : { parameter: word, path: memberAt([...groups, ...measures], path)?.path ?? '' }
    }
  }
}

/** Of a filter of section 7 the path is a member; of the other parts it is where they stand. */
function placeIn(
  placed: readonly PlacedFilter[],
  path: string,
  member: string,
): { parameter: string; path: string } | null {
  const found = placed.find(({ filter }) => mentions(filter, path)) ?? placed.at(-1)
  return found === undefined ? null : { parameter: found.parameter, path: found.path ?? member }
}

function memberAt(members: readonly PlacedMember[], path: string): { parameter: string; path: string } | undefined {
  const found =
    members.find((member) => member.path === path || member.alias === path) ??
    (path === 'expression' ? members.find((member) => member.path === null) : undefined)
  return found === undefined ? undefined : { parameter: found.parameter, path: found.name }
}

/** Whether a condition of the filter is about the path. */
export function mentions(filter: Filter, path: string): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.children.some((child) => mentions(child, path))
  if (filter.kind === 'not') return mentions(filter.child, path)
  if (filter.kind === 'search') return path === '$search' || filter.fields.includes(path)
  return filter.kind === 'condition' && filter.path.join('.') === path
}
