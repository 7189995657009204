// Values that several records share although they are to be unique: asked of the table as it is, for the promise of the
// definition as it will be (D-92, D-100).
import { PlatformError } from '#shared/errors.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Statement } from '#main/kernel/database.ts'
import { writeConditions } from './build-find.ts'
import { quoteLiteral } from '../schema/sql-text.ts'
import { column, rootScope } from './scope.ts'

/** A promise of uniqueness in the words of the new definition. */
export interface UniquePromise {
  readonly before: ObjectSchema
  readonly after: ObjectSchema
  readonly fields: readonly string[]
  /** The filter of the index as it is written; null for every live record. */
  readonly where: unknown
}

/** The questions about a promise. */
export interface SharedTuples {
  /** How many records share their values with another one. */
  readonly count: Statement<{ records: number }>
  /** At most 20 shared tuples, most frequent first. */
  readonly list: Statement<Record<string, SqlValue>>
  /** The fields as the table has them. */
  readonly fields: readonly FieldSchema[]
}

/** The questions about a promise; null when it looks at fields the table does not have yet. */
export function sharedTuples({ before, after, fields, where }: UniquePromise, env: QueryEnv): SharedTuples | null {
  const found = fields.flatMap((name) => {
    const next = after.byName.get(name)
    const old = before.fields.find((field) => field.uid === next?.uid)
    return next === undefined || old === undefined ? [] : [{ old, caseSensitive: next.caseSensitive }]
  })
  if (found.length < fields.length) return null
  const scope = rootScope(before, env)
  const columns = found.map(({ old }) => column(scope, old.column))
  const keys = found.map(({ caseSensitive }, at) => (caseSensitive ? columns[at] : `cairn_fold(${columns[at]})`))
  const organization = env.recordOrganization?.(before.uid, column(scope, 'id'), quoteLiteral)
  if (organization !== undefined) keys.push(organization)
  const conditions = columns.map((text) => `${text} IS NOT NULL`)
  try {
    const filter = inOldNames(parseFilter(where), before, after)
    conditions.push(...writeConditions(scope, resolveFilter(before, filter, env), 'exclude'))
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'invalid_query') return null
    throw error
  }
  const rest = `FROM "${before.table}" AS ${scope.alias} WHERE ${conditions.join(' AND ')} GROUP BY ${keys.join(', ')} HAVING count(*) > 1`
  const { parameters } = scope
  return {
    count: { sql: `SELECT coalesce(sum(n), 0) AS "records" FROM (SELECT count(*) AS n ${rest})`, parameters },
    list: {
      sql: `SELECT ${columns.join(', ')}, count(*) AS "$count" ${rest} ORDER BY "$count" DESC LIMIT 20`,
      parameters,
    },
    fields: found.map(({ old }) => old),
  }
}

function inOldNames(filter: Filter, before: ObjectSchema, after: ObjectSchema): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, children: filter.children.map((child) => inOldNames(child, before, after)) }
    case 'not':
      return { kind: 'not', child: inOldNames(filter.child, before, after) }
    case 'search':
    case 'some':
    case 'among':
    case 'related':
      return filter
    case 'condition': {
      const [first = '', ...rest] = filter.path
      const next = after.fields.find((field) => field.name === first)
      const old = next === undefined ? undefined : before.fields.find((field) => field.uid === next.uid)
      return { ...filter, path: [old?.name ?? first, ...rest] }
    }
  }
}
