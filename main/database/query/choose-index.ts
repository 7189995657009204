// Picks the index of a list query where SQLite's own choice is known to go wrong: with two indexes on one leading
// column it may take the one that does not serve the sort, and then sorts thousands of rows for a page of twenty.
import type { Statement } from '#main/kernel/database.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ResolvedFilter, TestValue } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PhysicalIndex } from '../schema/physical-indexes.ts'
import { usableIndexes } from '../schema/physical-indexes.ts'
import type { MatchEstimator } from './match-estimator.ts'
import { manyMatches } from './match-estimator.ts'
import { isNever } from './simplify-filter.ts'
import type { SortKey } from './sort-sql.ts'

/** A column that a top-level equality fixes to one value. */
interface Fixed {
  readonly value: TestValue
  /** Whether one value is likely to be rare. */
  readonly selective: boolean
}

/**
 * The index to name in `INDEXED BY`, or null to leave the choice to SQLite. One that serves the whole sort is named,
 * unless another has more of the equalities and few records match those: then that one is, and its few rows are sorted.
 * Without an estimator, equalities on fields of many values count as matching few.
 */
export function chooseIndex(
  schema: ObjectSchema,
  filter: ResolvedFilter,
  keys: readonly SortKey[],
  estimator?: MatchEstimator,
): PhysicalIndex | null {
  if (keys.some((key) => key.column === null) || isNever(filter) || holdsSearch(filter)) return null
  const indexes = usableIndexes(schema)
  if (indexes.length === 0) return null
  const fixed = fixedColumns(filter)
  let best: PhysicalIndex | null = null
  let bestPrefix = -1
  for (const index of indexes) {
    const prefix = servedPrefix(index, keys, fixed)
    if (prefix > bestPrefix) {
      best = index
      bestPrefix = prefix
    }
  }
  if (!best || (bestPrefix === 0 && holdsGrant(filter))) return null
  const used = new Set(best.keys.slice(0, bestPrefix).map((key) => key.column))
  const rival = findRival(indexes, fixed, used)
  if (!rival) return best
  if (estimator) return estimator.hasMany(countMatches(rival, fixed)) ? best : rival
  return [...fixed].some(([column, { selective }]) => selective && !used.has(column)) ? null : best
}

/** Whether rights cover the records for several reasons; each may have an index that finds its few records at once. */
function holdsGrant(filter: ResolvedFilter): boolean {
  if (filter.kind === 'and') return filter.children.some(holdsGrant)
  return filter.kind === 'or' && filter.children.some((child) => child.kind === 'among')
}

/** A search drives the query itself, and may be the constant 0 or 1. */
function holdsSearch(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.some(holdsSearch)
    case 'not':
      return holdsSearch(filter.child)
    default:
      return filter.kind === 'search'
  }
}

/** The index with the most fixed leading columns, when they include one that the chosen index does not use. */
function findRival(
  indexes: readonly PhysicalIndex[],
  fixed: ReadonlyMap<string, Fixed>,
  used: ReadonlySet<string>,
): PhysicalIndex | null {
  let rival: PhysicalIndex | null = null
  let most = 0
  for (const index of indexes) {
    const prefix = fixedPrefix(index, fixed)
    const adds = index.keys.slice(0, prefix).some((key) => !used.has(key.column))
    if (adds && prefix > most) {
      rival = index
      most = prefix
    }
  }
  return rival
}

function countMatches(index: PhysicalIndex, fixed: ReadonlyMap<string, Fixed>): Statement<{ matches: number }> {
  const parameters: TestValue[] = []
  const conditions = index.keys.slice(0, fixedPrefix(index, fixed)).map(({ column, noCase }) => {
    parameters.push(fixed.get(column)!.value)
    return `"${column}"${noCase ? ' COLLATE NOCASE' : ''} = ?`
  })
  const rows = `SELECT 1 FROM "${index.table}" INDEXED BY "${index.name}" WHERE ${conditions.join(' AND ')} AND "deleted_at" IS NULL LIMIT ${manyMatches}`
  return { sql: `SELECT count(*) AS "matches" FROM (${rows})`, parameters }
}

function fixedPrefix(index: PhysicalIndex, fixed: ReadonlyMap<string, Fixed>): number {
  let prefix = 0
  while (prefix < index.keys.length && fixed.has(index.keys[prefix]!.column)) prefix++
  return prefix
}

/**
 * Number of index columns fixed by equalities before the sort keys follow in order; -1 when the index does not serve
 * the sort.
 */
function servedPrefix(index: PhysicalIndex, keys: readonly SortKey[], fixed: ReadonlyMap<string, Fixed>): number {
  const direction = keys[0]!.descending
  if (keys.some((key) => key.descending !== direction)) return -1
  for (let start = fixedPrefix(index, fixed); start >= 0; start--) {
    // A sort key that an equality fixes is constant; an index without it still serves.
    const needed = keys.filter((key) => !index.keys.slice(0, start).some((used) => used.column === key.column))
    const matches = needed.every((key, i) => {
      const column = index.keys[start + i]
      return column?.column === key.column && column.noCase === key.noCase
    })
    if (matches && (start > 0 || needed.length > 1)) return start
  }
  return -1
}

/** Columns that top-level equalities fix to one value. */
function fixedColumns(filter: ResolvedFilter): Map<string, Fixed> {
  const fixed = new Map<string, Fixed>()
  const visit = (node: ResolvedFilter): void => {
    if (node.kind === 'and') node.children.forEach(visit)
    if (node.kind !== 'condition' || node.hops.length > 0 || node.inner.length > 0 || node.functions !== undefined)
      return
    const { field, test } = node
    const value =
      test.test === 'eq' ? test.value : test.test === 'in' && test.values.length === 1 ? test.values[0] : undefined
    if (value === undefined || field.multiple || !field.caseSensitive) return
    const type = fieldTypeOf(field)
    const selective = field.unique || field.name === 'id' || type.collation === 'text' || type.relation === true
    fixed.set(field.column, { value, selective })
  }
  visit(filter)
  return fixed
}
