// Owns the columns of a kanban: the values a field may have, how many records have each, and what is added up. Pure.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { offeredOptions } from '../../fields/options.ts'
import { t } from '../../lib/strings.ts'
import { figureAlias, isSwitch, singleText } from '../records/index.ts'

/** A column; `key` tells it apart, `value` is what its records have: null for none. */
export interface BoardColumn {
  key: string
  value: unknown
  label: string
  /** Class of the colour of its value; undefined where values have none. */
  hue: string | undefined
  count: number
  /** The sum of the records as people read it; empty where nothing is added up. */
  sum: string
}

/** A row of the grouped answer: `g0` is the value, `l0` what a link shows, `n` the count. */
type Row = Readonly<Record<string, unknown>>

/** The key of the column of a value. */
export function columnKey(value: unknown): string {
  return JSON.stringify(value ?? null)
}

/**
 * The columns in order: none first, then options as the field has them, or other values as the host orders them. Values a
 * field offers have a column also without records; no value has one where the field may be empty.
 */
export function boardColumns(
  rows: readonly Row[],
  field: FieldDefinition,
  sumField: FieldDefinition | undefined,
  context: FieldContext,
): BoardColumn[] {
  const byKey = new Map(rows.map((row) => [columnKey(row['g0']), row]))
  const offered: unknown[] = isSwitch(field) ? [false, true] : offeredOptions(field).map(({ value }) => value)
  const found = rows.map((row) => row['g0'] ?? null)
  const isNone = (value: unknown): boolean => value === null || value === ''
  const values = [
    ...(found.some(isNone) || field.required !== true ? [null] : []),
    ...offered,
    ...found.filter((value) => !isNone(value) && !offered.includes(value)),
  ]
  return values.map((value): BoardColumn => {
    const key = columnKey(value)
    const row = byKey.get(key) ?? (value === null ? byKey.get(columnKey('')) : undefined)
    const sum = sumField && row?.[figureAlias(sumField.name, 'sum')]
    return {
      key,
      value,
      label: value === null ? t('kinds.emptyValue') : labelOf(value, row, field, context),
      hue: value === null ? undefined : fieldTypeOf(field).chips?.(value, field, context)?.[0]?.className,
      count: Number(row?.['n'] ?? 0),
      sum: sumField && sum !== undefined && sum !== null ? sumText(sum, sumField, context) : '',
    }
  })
}

function labelOf(value: unknown, row: Row | undefined, field: FieldDefinition, context: FieldContext): string {
  const shown = row?.['l0']
  if (typeof shown === 'string' && shown !== '') return shown
  return singleText(value, field, context)
}

function sumText(sum: unknown, field: FieldDefinition, context: FieldContext): string {
  const type = fieldTypeOf(field)
  if (type.figuresAsValues) return type.format(sum, field, context)
  return new Intl.NumberFormat(context.locale, { maximumFractionDigits: 2 }).format(Number(sum))
}
