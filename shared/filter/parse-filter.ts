// The door of the filter language: every accepted form in, one tree out. Pure; nothing is looked up.
import { invalidQuery } from '#shared/errors.ts'
import { isRule, parseArrayForm, parseRule } from './array-form.ts'
import type { Filter } from './filter.ts'
import { matchAll } from './filter.ts'
import type { FilterReader } from './filter-reader.ts'
import { checkDepth, filterError } from './filter-reader.ts'
import { parseObjectForm } from './object-form.ts'

/**
 * Parses the object, array or rule form. `undefined`, null and an empty object or array mean every record.
 * @throws invalid_query with the parameter, the path inside of it and the reason
 * @source D-79, D-80, D-81
 */
export function parseFilter(input: unknown, parameter = 'filter'): Filter {
  if (input === undefined || input === null) return matchAll
  return parseAny({ parameter, conditions: 0 }, input, 1, '')
}

/** One of several filters: where it stands in the request. */
export interface FilterPart {
  readonly input: unknown
  readonly parameter: string
  /** Where the part stands in its parameter; default: it is all of it. */
  readonly path?: string
}

/**
 * Parses filters that must all hold; their conditions count together, their depth does not.
 * @throws invalid_query
 */
export function parseFilters(parts: readonly FilterPart[]): Filter[] {
  let conditions = 0
  return parts.map(({ input, parameter, path = '' }) => {
    if (input === undefined || input === null) return matchAll
    const reader: FilterReader = { parameter, conditions }
    const filter = parseAny(reader, input, 1, path)
    conditions = reader.conditions
    return filter
  })
}

/**
 * Parses a filter given as JSON text, as a query string carries it; empty text means every record.
 * @throws invalid_query
 */
export function parseFilterText(text: string, parameter = 'filter'): Filter {
  if (text.trim() === '') return matchAll
  return parseFilter(parseJson(text, parameter), parameter)
}

/**
 * Reads JSON text of a parameter.
 * @throws invalid_query
 */
export function parseJson(text: string, parameter: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalidQuery(parameter, 'The value is not JSON.', { path: '' })
  }
}

/**
 * The filter of query parameters that are no keywords: each an equality, ANDed; `null` means null, repetition `$in`.
 * @throws invalid_query
 * @source D-73
 */
export function parseLooseConditions(conditions: Readonly<Record<string, string | readonly string[]>>): Filter {
  const names = Object.keys(conditions)
  const children = names.map((name) => {
    const given = conditions[name]!
    const values = (typeof given === 'string' ? [given] : given).map((text) => (text === 'null' ? null : text))
    const reader: FilterReader = { parameter: name, conditions: names.length - 1 }
    return parseObjectForm(reader, { [name]: values.length === 1 ? values[0] : values }, 1, '', parseAny)
  })
  return children.length === 1 ? children[0]! : { kind: 'and', children }
}

function parseAny(reader: FilterReader, input: unknown, depth: number, path: string): Filter {
  checkDepth(reader, depth, path)
  if (Array.isArray(input)) return parseArrayForm(reader, input, depth, path, parseAny)
  if (typeof input !== 'object' || input === null)
    throw filterError(reader, path, 'A filter must be an object or a list.')
  if (isRule(input)) return parseRule(reader, input, path)
  return parseObjectForm(reader, input, depth, path, parseAny)
}
