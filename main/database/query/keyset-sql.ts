// "After this row" as SQL, for any mix of directions and nulls. Nulls are smallest (D-78).
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { Scope } from './scope.ts'
import { bind } from './scope.ts'
import type { SortKey } from './sort-sql.ts'

/**
 * The conditions of the rows after the one with these values (by {@link SortKey.value}), in the order in which they
 * follow each other: two where the first key still has nulls before or behind it, so that an index serves each part from
 * its start. Every condition is written, and its values bound, when it is called.
 */
export function writeAfter(scope: Scope, keys: readonly SortKey[], values: readonly SqlValue[]): (() => string)[] {
  const first = keys[0]!
  const value = values[first.value] ?? null
  const isNull = `${first.sql} IS NULL`
  if (value === null) {
    const rest = keys.filter((key) => key.value !== first.value)
    const after = () => `${isNull} AND ${rest.length > 0 ? writeFollowing(scope, rest, values) : '0'}`
    return first.descending ? [after] : [after, () => `${first.sql} IS NOT NULL`]
  }
  if (!first.nullable || !first.descending) return [() => writeFollowing(scope, keys, values)]
  const present = keys.map((key) => (key.value === first.value ? { ...key, nullable: false } : key))
  return [() => writeFollowing(scope, present, values), () => isNull]
}

function writeFollowing(scope: Scope, keys: readonly SortKey[], values: readonly SqlValue[]): string {
  const valueOf = (key: SortKey): SqlValue => values[key.value] ?? null
  const noNulls = keys.every((key) => valueOf(key) !== null)
  const ascending = keys.every((key) => !key.descending)
  const descendingWithoutNulls = keys.every((key) => key.descending && !key.nullable)
  if (noNulls && (ascending || descendingWithoutNulls)) {
    // Rows with a null lie before the cursor when ascending, and NULL in a row comparison drops them as it should.
    const left = keys.map(collated).join(', ')
    const right = keys.map((key) => bind(scope, valueOf(key))).join(', ')
    return keys.length === 1
      ? `${left} ${ascending ? '>' : '<'} ${right}`
      : `(${left}) ${ascending ? '>' : '<'} (${right})`
  }
  const bound = rangeBound(scope, keys[0]!, valueOf(keys[0]!))
  // The unary plus keeps SQLite from splitting the OR over several indexes and sorting afterwards.
  return `${bound}+(${writeStep(scope, keys, 0, valueOf)})`
}

function collated(key: SortKey): string {
  return key.noCase ? `${key.sql} COLLATE NOCASE` : key.sql
}

/** A simple range on the first key lets the index start at the cursor. */
function rangeBound(scope: Scope, key: SortKey, value: SqlValue): string {
  if (value === null || (key.descending && key.nullable)) return ''
  return `${collated(key)} ${key.descending ? '<=' : '>='} ${bind(scope, value)} AND `
}

function writeStep(scope: Scope, keys: readonly SortKey[], index: number, valueOf: (key: SortKey) => SqlValue): string {
  const key = keys[index]!
  const value = valueOf(key)
  const beyond = writeBeyond(scope, key, value)
  if (index === keys.length - 1) return beyond
  const same = value === null ? `${key.sql} IS NULL` : `${collated(key)} = ${bind(scope, value)}`
  const rest = writeStep(scope, keys, index + 1, valueOf)
  return `${beyond} OR (${same} AND (${rest}))`
}

function writeBeyond(scope: Scope, key: SortKey, value: SqlValue): string {
  if (value === null) return key.descending ? '0' : `${key.sql} IS NOT NULL`
  if (!key.descending) return `${collated(key)} > ${bind(scope, value)}`
  const smaller = `${collated(key)} < ${bind(scope, value)}`
  return key.nullable ? `(${smaller} OR ${key.sql} IS NULL)` : smaller
}
