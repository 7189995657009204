// Owns asking for groups: one grouped list for the headings of all levels, one for the totals, and the condition that
// leaves the records of one group. Pure.
import { findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { hasSeveral, isDated, isSwitch } from './group-terms.ts'
import type { Bucket, GroupTerm, TotalTerm } from './group-terms.ts'
import type { SortTerm } from './record-query.ts'

/** Headings of the deepest level that are asked for; what is beyond is told, not shown. */
export const maxGroups = 5_000

/** A row of the answer: `g0`… are the levels, `l0`… what links show, `n` the count, the rest is made of totals. */
export type GroupRow = Readonly<Record<string, unknown>>

type Filter = Readonly<Record<string, unknown>>

/** What is asked. */
export interface HeadingsQuery {
  terms: readonly GroupTerm[]
  totals: readonly TotalTerm[]
  fields: readonly FieldDefinition[]
  filter: Filter | undefined
  sort: readonly SortTerm[]
  search: string
}

/** Parameters of the list that answers with one record per group of the deepest level. @source D-90 */
export function headingsQuery(query: HeadingsQuery): Record<string, string | number> {
  const { terms, fields, sort } = query
  const groupBy = terms.flatMap(({ field, bucket }, level) => {
    const shown = linkMember(fields.find(({ name }) => name === field))
    return [
      { field, alias: `g${level}`, ...(bucket === undefined ? {} : { dateGranularity: bucket }) },
      ...(shown === undefined ? [] : [{ field: shown, alias: `l${level}` }]),
    ]
  })
  const order = terms.flatMap(({ field }, level) => {
    const sign = sort.find((term) => term.field === field)?.order === 'desc' ? '-' : ''
    const shown = linkMember(fields.find(({ name }) => name === field))
    return [...(shown === undefined ? [] : [`${sign}l${level}`]), `${sign}g${level}`]
  })
  return {
    groupBy: JSON.stringify(groupBy),
    ...totalsQuery(query),
    sort: order.join(','),
    top: maxGroups,
  }
}

/** Parameters of the list that answers with one record over everything. */
export function totalsQuery(query: Omit<HeadingsQuery, 'terms' | 'sort'>): Record<string, string> {
  const { totals, fields, filter, search } = query
  return {
    aggregations: JSON.stringify([{ function: 'count', alias: 'n' }, ...aggregationsOf(totals, fields)]),
    ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    ...(search === '' ? {} : { search }),
  }
}

/** An average is asked for as sum and count: only these can be put together to the average of a level above. */
function aggregationsOf(totals: readonly TotalTerm[], fields: readonly FieldDefinition[]): Record<string, unknown>[] {
  return totals.flatMap(({ field: name, fn }): Record<string, unknown>[] => {
    const field = fields.find((candidate) => candidate.name === name)
    const item = (word: string): Record<string, unknown> => ({
      function: word,
      field: name,
      alias: figureAlias(name, word),
    })
    if (fn === 'avg') return [item('sum'), item('count')]
    if (fn === 'count' && field && isSwitch(field)) return [{ ...item('count'), filter: { [name]: true } }]
    return [item(fn)]
  })
}

/** Key of a figure in an answer. */
export function figureAlias(field: string, word: string): string {
  return `${word}.${field}`
}

/** The condition of the records in a group. `values` are those of its levels. @source D-79, D-82 */
export function groupCondition(
  values: readonly unknown[],
  terms: readonly GroupTerm[],
  fields: readonly FieldDefinition[],
): Filter[] {
  return terms.map(({ field: name, bucket }, level): Filter => {
    const value = values[level]
    const field = fields.find((candidate) => candidate.name === name)
    if (value === null || value === undefined) return { [name]: { $null: true } }
    if (bucket !== undefined && typeof value === 'string')
      return { [name]: { $between: [value, lastDay(value, bucket)] } }
    if (field && hasSeveral(field)) return { [name]: { $contains: value } }
    return { [name]: { $eq: value } }
  })
}

/** Last day of the period that begins with a day. */
export function lastDay(first: string, bucket: Bucket): string {
  const day = new Date(`${first}T00:00:00Z`)
  if (bucket === 'week') day.setUTCDate(day.getUTCDate() + 6)
  if (bucket === 'month') day.setUTCMonth(day.getUTCMonth() + 1, 0)
  if (bucket === 'quarter') day.setUTCMonth(day.getUTCMonth() + 3, 0)
  if (bucket === 'year') day.setUTCFullYear(day.getUTCFullYear() + 1, 0, 0)
  return day.toISOString().slice(0, 10)
}

/** Several conditions as one. */
export function allOf(conditions: readonly (Filter | undefined)[]): Filter | undefined {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 1 ? { $and: given } : given[0]
}

/** Tells that what a field holds is a link, and which member of it is shown. */
function linkMember(field: FieldDefinition | undefined): string | undefined {
  if (!field || isDated(field) || findFieldType(field.type)?.link !== 'object') return undefined
  return field.displayField === undefined ? undefined : `${field.name}.${field.displayField}`
}
