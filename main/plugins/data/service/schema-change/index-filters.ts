// Whether the filters of an object's indexes can be asked of its records: one that cannot would refuse every write.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/**
 * The problems of the filters of unique indexes. Conditions over relations are left out: what they name may come, or be
 * renamed, in the same save.
 * @source D-92, D-94
 */
export function indexFilterProblems(schema: ObjectSchema, env: QueryEnv): FieldError[] {
  return schema.indexes.flatMap(({ unique, where }, at): FieldError[] => {
    if (!unique || where === null) return []
    try {
      resolveFilter(schema, ownConditions(parseFilter(where)), env)
      return []
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const message = String(error.details['reason'] ?? error.message)
      return [{ field: `indexes.${at}.where`, code: 'not_allowed', message }]
    }
  })
}

function ownConditions(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, children: filter.children.map(ownConditions) }
    case 'not':
      return { kind: 'not', child: ownConditions(filter.child) }
    case 'search':
    case 'some':
    case 'among':
    case 'related':
      return filter
    case 'condition':
      return filter.path.length === 1 ? filter : { kind: 'and', children: [] }
  }
}
