// Gives every sort term its field, following lookups to what they display. Pure.
import { relationTarget } from './relation-target.ts'
import { invalidQuery } from '#shared/errors.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { QueryEnv } from './query-env.ts'
import type { ResolvedPath } from './resolve-path.ts'
import { maxHops, readableField, resolvePath } from './resolve-path.ts'
import type { SortTerm } from './sort.ts'

/** A sort term on a field of the record or of a record it points at. */
export interface ResolvedSortTerm {
  readonly path: ResolvedPath
  readonly descending: boolean
}

/**
 * Resolves sort terms. A lookup sorts by the display field of its target when the caller may read that.
 * @throws invalid_query for unknown and for non-sortable fields
 * @source D-78, D-94
 */
export function resolveSort(
  schema: ObjectSchema,
  terms: readonly SortTerm[],
  env: QueryEnv,
  parameter = 'sort',
): ResolvedSortTerm[] {
  return terms.map(({ path, descending }) => {
    const name = path.join('.')
    const place = { parameter, path: name }
    const resolved = resolvePath(schema, path, env, place)
    const crossesList = resolved.hops.some((hop) => hop.field.multiple)
    if (!resolved.field.sortable || resolved.inner.length > 0 || crossesList) {
      throw invalidQuery(parameter, `The field "${name.slice(0, 200)}" cannot be sorted by.`, place)
    }
    return { path: byDisplay(resolved, env), descending }
  })
}

function byDisplay(path: ResolvedPath, env: QueryEnv): ResolvedPath {
  const { field, hops } = path
  // People are ordered by id: their names change without a trace in the record.
  if (field.type === 'user' || hops.length === maxHops) return path
  const target = relationTarget(field, env)
  const display = target && readableField(target, target.displayField.name, env)
  if (!target || !display || !display.sortable || fieldTypeOf(display).relation === true) return path
  return { hops: [...hops, { field, target }], field: display, inner: [] }
}
