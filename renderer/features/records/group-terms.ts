// Owns what the grid is grouped by and what is worked out per column: the words of both in the address and in views,
// and what may be chosen. Pure.
import { fieldLabel, findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'

/** Lengths of time that dates are grouped by. */
export const buckets = ['day', 'week', 'month', 'quarter', 'year'] as const

/** One of {@link buckets}. */
export type Bucket = (typeof buckets)[number]

/** One level of a grouping; `bucket` is there for dates only. */
export interface GroupTerm {
  field: string
  bucket?: Bucket | undefined
}

/** What can be worked out of a column; `count` counts values, of yes-and-no fields the ticked ones. */
export const totalFunctions = ['sum', 'avg', 'min', 'max', 'count'] as const

/** One of {@link totalFunctions}. */
export type TotalFunction = (typeof totalFunctions)[number]

/** What is worked out of one column. */
export interface TotalTerm {
  field: string
  fn: TotalFunction
}

/** Deepest grouping. */
export const maxLevels = 3

/** Tells that a record stands in several groups of the field. */
export function hasSeveral(field: FieldDefinition): boolean {
  return findFieldType(field.type)?.elementType !== undefined || field.multiple === true
}

/** Tells that the field is ticked or not. */
export function isSwitch(field: FieldDefinition): boolean {
  return findFieldType(field.type)?.toggle !== undefined
}

/** Tells that the values are days or instants. */
export function isDated(field: FieldDefinition): boolean {
  return findFieldType(field.type)?.dated === true
}

/** A level as the address writes it, for example `bought.month`. */
export function termWord({ field, bucket }: GroupTerm): string {
  return bucket === undefined ? field : `${field}.${bucket}`
}

/** The levels of a comma list; undefined when there are none. Deeper ones and doubles are left out. */
export function readTerms(text: string | null): readonly GroupTerm[] | undefined {
  const terms = (text ?? '').split(',').flatMap((word): GroupTerm[] => {
    const [field = '', length] = word.split('.')
    if (!/^[a-z][a-z0-9_]*$/.test(field)) return []
    const bucket = buckets.find((known) => known === length)
    return [bucket === undefined ? { field } : { field, bucket }]
  })
  const distinct = terms.filter((term, at) => terms.findIndex(({ field }) => field === term.field) === at)
  return distinct.length === 0 ? undefined : distinct.slice(0, maxLevels)
}

/** The columns' functions of a comma list, for example `pages.sum,price.avg`; undefined when there are none. */
export function readTotals(text: string | null): readonly TotalTerm[] | undefined {
  const totals = (text ?? '').split(',').flatMap((word): TotalTerm[] => {
    const [field = '', name] = word.split('.')
    const fn = totalFunctions.find((known) => known === name)
    return fn !== undefined && /^[a-z][a-z0-9_]*$/.test(field) ? [{ field, fn }] : []
  })
  const distinct = totals.filter((total, at) => totals.findIndex(({ field }) => field === total.field) === at)
  return distinct.length === 0 ? undefined : distinct
}

/**
 * The levels that the object can serve: fields that exist and can be grouped, dates with a length of time. A field of
 * several values stands first or not at all: below another one its records would be counted twice.
 */
export function usableTerms(terms: readonly GroupTerm[], fields: readonly FieldDefinition[]): readonly GroupTerm[] {
  return terms.flatMap((term, level): GroupTerm[] => {
    const field = fields.find(({ name }) => name === term.field)
    if (!field || !canGroup(field) || (level > 0 && hasSeveral(field))) return []
    return [isDated(field) ? { field: field.name, bucket: term.bucket ?? 'month' } : { field: field.name }]
  })
}

/** The functions that the shown columns can serve. */
export function usableTotals(totals: readonly TotalTerm[], fields: readonly FieldDefinition[]): readonly TotalTerm[] {
  return totals.filter(({ field: name, fn }) => {
    const field = fields.find((candidate) => candidate.name === name)
    return field !== undefined && functionsOf(field).includes(fn)
  })
}

/** What can be worked out of a field; empty for nothing. */
export function functionsOf(field: FieldDefinition): readonly TotalFunction[] {
  const { withoutFigures, measured } = findFieldType(field.type) ?? {}
  if (withoutFigures) return []
  if (measured) return totalFunctions
  return isDated(field) ? ['min', 'max', 'count'] : ['count']
}

/** The word a figure of a column is announced by. */
export function functionLabel(fn: TotalFunction, field: FieldDefinition): string {
  if (fn === 'count') return t(isSwitch(field) ? 'groups.fn.ticked' : 'groups.fn.count')
  if (isDated(field)) return t(fn === 'min' ? 'groups.fn.first' : 'groups.fn.last')
  return t(`groups.fn.${fn}` as StringKey)
}

/** A level in words. */
export function termLabel({ bucket }: GroupTerm, field: FieldDefinition): string {
  return bucket === undefined ? fieldLabel(field) : t(`summary.by.${bucket}` as StringKey, { field: fieldLabel(field) })
}

/** What a level may be, in the order it is offered in; dates come by month, then by the other lengths of time. */
export function termChoices(fields: readonly FieldDefinition[], level: number): { value: string; label: string }[] {
  const usable = fields.filter((field) => canGroup(field) && (level === 0 || !hasSeveral(field)))
  const plain = usable
    .filter((field) => !isDated(field))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((field) => ({ value: field.name, label: fieldLabel(field) }))
  const byTime = usable.filter(isDated).flatMap((field) =>
    (['month', 'day', 'week', 'quarter', 'year'] as const).map((bucket) => {
      const term = { field: field.name, bucket }
      return { value: termWord(term), label: termLabel(term, field) }
    }),
  )
  return [...plain, ...byTime]
}

/** Links are told apart by what they show; computed values may be worked out on reading, where nothing groups. */
function canGroup(field: FieldDefinition): boolean {
  if (isDated(field)) return true
  const { groupRank, link, computed } = findFieldType(field.type) ?? {}
  if (groupRank === undefined || field.caseSensitive === false) return false
  return link === 'object' ? field.multiple !== true : computed !== true
}

function rankOf(field: FieldDefinition): number {
  return findFieldType(field.type)?.groupRank ?? 0
}
