// Sort expressions of D-78. Pure; field names are not checked here.
import { invalidQuery } from '#shared/errors.ts'
import { parseJson } from './parse-filter.ts'

/** One term: a field or dotted path, and the direction. */
export interface SortTerm {
  readonly path: readonly string[]
  readonly descending: boolean
}

/** Most terms of one sort. */
export const maxSortTerms = 8

/**
 * Parses `a desc,-b`, JSON arrays of strings, `{field, order}` and `[field, order]`; nothing given means no terms.
 * @throws invalid_query
 * @source D-78
 */
export function parseSort(input: unknown, parameter = 'sort'): SortTerm[] {
  if (input === undefined || input === null || input === '') return []
  const given = typeof input === 'string' && input.trim().startsWith('[') ? parseJson(input, parameter) : input
  const items = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [given]
  const terms = (items as unknown[]).flatMap((item): SortTerm[] => {
    if (typeof item === 'string') {
      return item
        .split(',')
        .filter((part) => part.trim() !== '')
        .map((part) => parseTerm(part, parameter))
    }
    if (Array.isArray(item)) return [term(item[0], item[1] ?? 'asc', parameter)]
    if (typeof item === 'object' && item !== null) {
      const { field, order, direction } = item as { field?: unknown; order?: unknown; direction?: unknown }
      return [term(field, order ?? direction ?? 'asc', parameter)]
    }
    throw invalidQuery(parameter, 'A sort term must be text, an object or a pair.', { path: '' })
  })
  if (terms.length > maxSortTerms)
    throw invalidQuery(parameter, `There are more than ${maxSortTerms} terms.`, { path: '' })
  return terms
}

/** Writes terms as `a,-b`. */
export function printSort(terms: readonly SortTerm[]): string {
  return terms.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`).join(',')
}

function parseTerm(text: string, parameter: string): SortTerm {
  const [field = '', order, ...rest] = text.trim().split(/\s+/)
  if (rest.length > 0)
    throw invalidQuery(parameter, `"${text.trim().slice(0, 100)}" is not a sort term.`, { path: text.trim() })
  if (!/^[+-]/.test(field)) return term(field, order ?? 'asc', parameter)
  return term(field.slice(1), order ?? (field.startsWith('-') ? 'desc' : 'asc'), parameter)
}

function term(field: unknown, order: unknown, parameter: string): SortTerm {
  const path = typeof field === 'string' ? field.split('.') : []
  if (path.length === 0 || path.length > 10 || path.some((segment) => segment === '')) {
    throw invalidQuery(parameter, 'A sort term needs a field.', {
      path: typeof field === 'string' ? field.slice(0, 100) : '',
    })
  }
  const direction = typeof order === 'string' ? order.toLowerCase() : order
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalidQuery(parameter, 'The order must be asc or desc.', { path: path.join('.') })
  }
  return { path, descending: direction === 'desc' }
}
