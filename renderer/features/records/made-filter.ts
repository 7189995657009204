// Owns turning a filter of the API into conditions a person can read and change. Pure.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { listToText } from '../../fields/list-text.ts'
import { stableText } from '../../lib/stable-text.ts'
import { buildGroup, conditionsOf, isWritten, operatorOf, operatorWord } from './record-query.ts'
import type { FilterGroup, FilterNode, RecordFilter } from './record-query.ts'
import type { StoredView } from './record-views.ts'

/** What a filter says as conditions: none, some, or null where a part of it has no words in the table's filter. */
export type MadeConditions = FilterGroup | undefined | null

/** Reads a filter in the object form of D-79. */
export function madeConditions(
  filter: Readonly<Record<string, unknown>>,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): MadeConditions {
  const made = saidConditions(filter, fields, context)
  return made?.conditions.some(isWritten) ? null : made
}

/** The same, with what has no words as it is written. */
function saidConditions(
  filter: Readonly<Record<string, unknown>>,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): FilterGroup | undefined {
  const entries = Object.entries(filter)
  if (entries.length === 0) return undefined
  const [key, value] = entries[0]!
  const isGroup = entries.length === 1 && (key === '$or' || key === '$and') && Array.isArray(value)
  const parts = isGroup ? (value as unknown[]) : entries.map(([name, operand]) => ({ [name]: operand }))
  const conditions = parts.map(
    (part): FilterNode => conditionOf(part, fields, context) ?? { written: part as Record<string, unknown> },
  )
  return { any: isGroup && key === '$or', conditions }
}

/**
 * A stored view with the conditions its filter says, where it keeps no conditions of its own, because packages and scripts
 * write the filter alone, or where they say something else to whoever reads them: operands are kept as they were typed, and
 * numbers and days are typed in the order and with the marks of a language. What has no words in the editor stays as it is
 * written, and in force.
 */
export function withConditions(
  view: StoredView,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): StoredView {
  const { filter, conditions } = view.config
  const { filter: kept } = view.query
  if (!isFilter(filter)) return view
  if (kept === undefined ? (conditions ?? null) !== null : saysSame(kept, filter, fields, context)) return view
  return { ...view, query: { ...view.query, filter: saidConditions(filter, fields, context) } }
}

/** Whether conditions say to this reader what a filter does; of what is there no longer that is not asked. */
export function saysSame(
  kept: FilterGroup,
  filter: object,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): boolean {
  const isKnown = conditionsOf(kept).every((node) => isWritten(node) || operatorOf(node, fields) !== undefined)
  return !isKnown || stableText(buildGroup(kept, fields, context)) === stableText(filter)
}

function isFilter(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function conditionOf(part: unknown, fields: readonly FieldDefinition[], context: FieldContext): RecordFilter | null {
  const entries = Object.entries((part ?? {}) as Record<string, unknown>)
  const [name, given] = entries[0] ?? []
  const field = entries.length === 1 ? fields.find((one) => one.name === name) : undefined
  if (field === undefined) return null
  const isPlain = typeof given !== 'object' || given === null
  const operators = isPlain ? [['$eq', given] as const] : Object.entries(given)
  const [word, operand] = operators[0] ?? []
  if (operators.length !== 1 || word === undefined) return null
  return writtenOf(field, given === null ? '$null' : word, given === null ? true : operand, context)
}

function writtenOf(field: FieldDefinition, word: string, operand: unknown, context: FieldContext): RecordFilter | null {
  const type = fieldTypeOf(field)
  const operator = type
    .operators(field)
    .find((one) => one.operator === word && (one.operand !== 'none' || (one.fixed ?? true) === operand))
  if (operator === undefined) return null
  const single: FieldDefinition = { ...field, required: false, multiple: false }
  // A value that is worked out when it is asked for cannot be typed.
  const isValue = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
  const values = Array.isArray(operand) ? (operand as unknown[]) : [operand]
  if (operator.operand !== 'none' && !values.every(isValue)) return null
  // The editor of one value of a choice holds the value itself, all others what people type.
  const isPlain =
    operator.operand === 'text' ||
    operator.operand === 'period' ||
    (operator.operand === 'value' && (field.options?.length ?? 0) > 0)
  const textOf = (value: unknown): string => (isPlain ? String(value) : type.toText(value, single, context))
  const texts = operator.operand === 'none' ? [] : values.map(textOf)
  return {
    field: field.name,
    operator: operatorWord(operator),
    texts: operator.operand === 'list' ? [listToText(texts)] : texts,
  }
}
