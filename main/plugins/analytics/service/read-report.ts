// Reads a report as written: what it shows of records or groups, under the names analytic queries use (D-112). Pure.
import { isJsonMap } from '#shared/merge-patch.ts'
import { parseSort } from '#shared/filter/sort.ts'

/** A column with the label its author gave it. */
export interface ReportColumn {
  readonly name: string
  readonly label: string | null
}

/** A report in members of its object's cube. */
export interface ReportPlan {
  readonly object: string
  /** Fields of records, or groups; the measures of groups follow them. */
  readonly columns: readonly ReportColumn[]
  readonly measures: readonly ReportColumn[]
  readonly isGrouped: boolean
  readonly filter: unknown
  readonly sort: unknown
  /** The sort over members, for a report of groups. */
  readonly order: readonly (readonly [member: string, direction: 'asc' | 'desc'])[]
}

type Item = Readonly<Record<string, unknown>>

/** @throws invalid_query for a sort that cannot be read */
export function readReport(item: Item): ReportPlan {
  const groupings = listOf(item['groupings']).map(readGrouping)
  const measures = readAggregations(item['aggregations'])
  const isGrouped = item['type'] === undefined ? groupings.length > 0 : item['type'] !== 'tabular'
  const sort = item['sort'] ?? null
  const memberOf = (path: string): string =>
    [...groupings, ...measures].find(({ name, field }) => name === path || field === path)?.name ?? path
  return {
    object: String(item['object']),
    columns: isGrouped ? groupings : listOf(item['columns']).flatMap(readColumn),
    measures,
    isGrouped,
    filter: item['filter'] ?? null,
    sort,
    order: isGrouped
      ? parseSort(sort).map(({ path, descending }) => [memberOf(path.join('.')), descending ? 'desc' : 'asc'] as const)
      : [],
  }
}

interface Member extends ReportColumn {
  /** The field it stands on. */
  readonly field: string | null
}

function readColumn(column: unknown): ReportColumn[] {
  if (typeof column === 'string') return [{ name: column, label: null }]
  const { field, label, hidden } = column as Item
  return hidden === true ? [] : [{ name: String(field), label: textOf(label) }]
}

function readGrouping(grouping: unknown): Member {
  if (typeof grouping === 'string') return { name: grouping, label: null, field: grouping }
  const { field, granularity, label } = grouping as Item
  const name = granularity === undefined ? String(field) : `${String(field)}.${String(granularity)}`
  return { name, label: textOf(label), field: String(field) }
}

/** A list of names and entries, or a map from fields to functions. */
function readAggregations(given: unknown): Member[] {
  const entries = isJsonMap(given)
    ? Object.entries(given).map(([field, value]) => ({ field, ...(isJsonMap(value) ? value : { function: value }) }))
    : listOf(given)
  return entries.map((entry): Member => {
    if (typeof entry === 'string') return { name: entry, label: null, field: null }
    const { field, function: name = field === undefined ? 'count' : 'sum', label } = entry as Item
    const member = field === undefined ? String(name) : `${String(field)}.${String(name)}`
    return { name: member, label: textOf(label), field: typeof field === 'string' ? field : null }
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
