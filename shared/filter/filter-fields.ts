// Whether a filter that is part of a definition can be read and begins at fields that are there. Knows no other object.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError } from '#shared/errors.ts'
import type { Filter } from './filter.ts'
import { parseFilter } from './parse-filter.ts'

/**
 * The problems of a filter inside of a definition: it cannot be read, or a condition begins at a field that is not there.
 * @param at the path of the filter in its definition
 * @param isField null when the fields are not known: then names are not checked
 * @source D-92, D-96
 */
export function filterFieldProblems(
  at: string,
  filter: unknown,
  isField: ((name: string) => boolean) | null,
): FieldError[] {
  let parsed: Filter
  try {
    parsed = parseFilter(filter, at)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return [{ field: at, code: 'invalid_format', message: String(error.details['reason'] ?? error.message) }]
  }
  if (isField === null) return []
  const missing = [...firstNames(parsed)].filter((name) => !isField(name))
  return missing.map((name) => ({
    field: at,
    code: 'unknown_field',
    message: 'The object has no such field.',
    value: name,
  }))
}

/** The field each condition begins at, once each. */
function firstNames(filter: Filter): Set<string> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return new Set(filter.children.flatMap((child) => [...firstNames(child)]))
    case 'not':
      return firstNames(filter.child)
    case 'search':
      return new Set(filter.fields)
    case 'condition':
    case 'some':
      return new Set(filter.path.slice(0, 1))
    case 'among':
    case 'related':
      return new Set([filter.field])
  }
}
