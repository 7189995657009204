// Owns groups and figures as people read them. Pure.
import { fieldLabel, fieldTypeOf, findFieldType } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { GridFigure } from '../../components/grid/index.ts'
import { t } from '../../lib/strings.ts'
import { functionLabel, isDated } from './group-terms.ts'
import type { Bucket, GroupTerm, TotalTerm } from './group-terms.ts'
import { figureOf } from './group-tree.ts'
import type { GroupNode } from './group-tree.ts'

/** One value of a field that may hold several, as people read it. */
export function singleText(value: unknown, field: FieldDefinition, context: FieldContext): string {
  const single: FieldDefinition = {
    ...field,
    multiple: false,
    type: findFieldType(field.type)?.elementType ?? field.type,
  }
  return fieldTypeOf(single).format(value, single, context) || String(value)
}

/** A length of time by its first instant, or by its first day with the zone UTC. */
export function bucketLabel(instant: string, bucket: string, { locale, timeZone }: FieldContext): string {
  const date = new Date(instant)
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(date)
  if (bucket === 'year') return format({ year: 'numeric' })
  if (bucket === 'month') return format({ year: 'numeric', month: 'short' })
  if (bucket === 'quarter') {
    const month = Number(new Intl.DateTimeFormat('en', { timeZone, month: 'numeric' }).format(date))
    return `Q${Math.ceil(month / 3)} ${format({ year: 'numeric' })}`
  }
  return format({ dateStyle: 'medium' })
}

/** A group of a summary as people read it: the value's own text, a bucket of time by its name. */
export function dimensionText(
  value: unknown,
  dimension: string,
  { field, bucket }: { field: FieldDefinition; bucket: Bucket | undefined },
  context: FieldContext,
): string {
  if (value === null || value === undefined || value === '') return t('summary.empty')
  if (bucket !== undefined && typeof value === 'string') return bucketLabel(value, bucket, context)
  return dimension === field.name ? singleText(value, field, context) : String(value)
}

/** What the records of a group have in common, as people read it. */
export function groupText(node: GroupNode, term: GroupTerm, field: FieldDefinition, context: FieldContext): string {
  const value = node.values[node.level]
  if (value === null || value === undefined || value === '') return t('summary.empty')
  if (term.bucket !== undefined) return periodText(String(value), term.bucket, context)
  if (node.shown !== undefined && node.shown !== null && node.shown !== '') return String(node.shown)
  return singleText(value, field, context)
}

function periodText(day: string, bucket: Bucket, context: FieldContext): string {
  const label = bucketLabel(day, bucket, { ...context, timeZone: 'UTC' })
  return bucket === 'week' ? t('groups.weekOf', { day: label }) : label
}

/** The figures of all columns that have one, by column. */
export function figuresOf(
  raw: Readonly<Record<string, unknown>>,
  totals: readonly TotalTerm[],
  fields: readonly FieldDefinition[],
  context: FieldContext,
): ReadonlyMap<string, GridFigure> {
  const figures = new Map<string, GridFigure>()
  for (const total of totals) {
    const field = fields.find(({ name }) => name === total.field)
    if (!field) continue
    const value = figureOf(raw, total)
    const name = functionLabel(total.fn, field)
    figures.set(field.name, {
      name,
      text: value === null ? '' : figureText(value, total, field, context),
    })
  }
  return figures
}

function figureText(value: unknown, { fn }: TotalTerm, field: FieldDefinition, context: FieldContext): string {
  if (fn !== 'count' && (isDated(field) || findFieldType(field.type)?.figuresAsValues)) {
    return fieldTypeOf(field).format(value, field, context)
  }
  return new Intl.NumberFormat(context.locale, { maximumFractionDigits: 2 }).format(Number(value))
}

/** A grouping in words, for example `Genre, Bought by month`. */
export function groupingText(terms: readonly GroupTerm[], fields: readonly FieldDefinition[]): string {
  return terms
    .map(({ field }) => fieldLabel(fields.find(({ name }) => name === field) ?? { name: field, type: '' }))
    .join(', ')
}
