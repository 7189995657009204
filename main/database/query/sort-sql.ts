// Sort keys of a list: the expressions of ORDER BY and of the keyset cursor, in the order of D-78.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ResolvedSortTerm } from '#shared/filter/resolve-sort.ts'
import type { ResolvedPath } from '#shared/filter/resolve-path.ts'
import type { Scope } from './scope.ts'
import { liveCondition, writeVisible } from './filter-sql.ts'
import { column, innerScope } from './scope.ts'
import { optionOrder } from './test-sql.ts'

/** One expression rows are ordered by. Text gives two keys that share one value: its fold, then itself. */
export interface SortKey {
  readonly sql: string
  readonly noCase: boolean
  readonly descending: boolean
  readonly nullable: boolean
  /** The row's column when the key is a plain column of the main table; else null. */
  readonly column: string | null
  /** Whether the value is that of a related record. */
  readonly crossing: boolean
  /** Number of the distinct value among the keys: keys of one text share it. */
  readonly value: number
}

const neverNull = new Set(['id', 'created_at', 'updated_at'])

/** The keys of the terms, ended by id in the direction of the last term; rows without an id have no tie-break. */
export function sortKeys(scope: Scope, terms: readonly ResolvedSortTerm[], hasId = true): SortKey[] {
  const keys: SortKey[] = []
  const seen = new Set<string>()
  let value = 0
  const add = (sql: string, field: FieldSchema, descending: boolean, plain: boolean): void => {
    if (seen.has(sql)) return
    seen.add(sql)
    const type = fieldTypeOf(field)
    const isOption = type.collation === 'options'
    const key = {
      sql: isOption ? optionOrder(sql, field) : sql,
      noCase: false,
      descending,
      nullable: !(plain && neverNull.has(field.name)),
      column: plain && !isOption ? field.column : null,
      crossing: !plain,
      value: value++,
    }
    if (type.collation === 'text') keys.push({ ...key, noCase: true })
    keys.push(key)
  }
  for (const { path, descending } of terms) {
    add(pathSql(scope, path, 0), path.field, descending, path.hops.length === 0)
    if (hasId && path.hops.length === 0 && path.field.name === 'id') return keys
  }
  if (!hasId) return keys
  add(column(scope, 'id'), scope.schema.byName.get('id')!, terms.at(-1)?.descending ?? false, true)
  return keys
}

/** ORDER BY without the words. */
export function orderBySql(keys: readonly SortKey[]): string {
  return keys
    .map((key) => `${key.sql}${key.noCase ? ' COLLATE NOCASE' : ''}${key.descending ? ' DESC' : ''}`)
    .join(', ')
}

/**
 * A value of the record itself, or of the record that single-valued relations lead to, as far as it is visible. The text
 * is used several times in a statement, so nothing is bound in it.
 */
function pathSql(scope: Scope, path: ResolvedPath, index: number): string {
  const hop = path.hops[index]
  if (!hop) return column(scope, path.field.column)
  const target = innerScope(scope, hop.target)
  const own = column(scope, hop.field.column)
  const inner = pathSql(target, path, index + 1)
  const visible = writeVisible({ ...target, inline: true }, hop.target)
  return `(SELECT ${inner} FROM "${hop.target.table}" AS ${target.alias} WHERE ${column(target, 'id')} = ${own} AND ${liveCondition(target)}${visible})`
}
