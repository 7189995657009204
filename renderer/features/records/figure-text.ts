// Owns figures of measures as people read them. Pure.
import { fieldTypeOf, findFieldType } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { isDated } from './group-terms.ts'
import { measureChoices } from './summary-query.ts'

/** A figure of a measure; amounts and dates as their field writes them. '' for none. */
export function figureText(
  value: unknown,
  measure: string,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string {
  if (value === null || value === undefined) return ''
  const [name = '', fn] = measure.split('.')
  const field = fn === 'count' || fn === 'count_distinct' ? undefined : fields.find((one) => one.name === name)
  if (field && (isDated(field) || findFieldType(field.type)?.figuresAsValues)) {
    return fieldTypeOf(field).format(value, field, context)
  }
  if (typeof value !== 'number') return String(value)
  return new Intl.NumberFormat(context.locale, { maximumFractionDigits: 2 }).format(value)
}

/** A figure beside an axis: 12,300 as 12.3K. */
export function shortFigure(value: number, { locale }: FieldContext): string {
  return new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 }).format(value)
}

/** What a measure is called. */
export function measureLabel(measure: string, fields: readonly FieldDefinition[], told: string | undefined): string {
  return measureChoices(fields).find(({ value }) => value === measure)?.label ?? told ?? measure
}
