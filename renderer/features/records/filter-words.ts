// Owns a filter in words: field, operator and value of each condition. Pure.
import { choiceLabel, fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { locale } from '../../lib/language.ts'
import { periodText } from '../../lib/period-text.ts'
import { t } from '../../lib/strings.ts'
import { conditionsOf, isFilterGroup, isWritten, operatorOf } from './record-query.ts'
import type { FilterGroup, RecordFilter, WrittenFilter } from './record-query.ts'

/** The conditions that can be used, those of inner groups too, each in words. */
export function conditionWords(
  filter: FilterGroup,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string[] {
  return conditionsOf(filter).flatMap((condition) => words(condition, fields, context))
}

/** All of them as one phrase, inner groups in brackets; undefined where nothing can be used. */
export function filterWords(
  filter: FilterGroup,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string | undefined {
  const parts = filter.conditions.flatMap((node) => {
    if (!isFilterGroup(node)) return words(node, fields, context)
    const inner = filterWords(node, fields, context)
    return inner === undefined ? [] : [`(${inner})`]
  })
  return parts.length === 0 ? undefined : parts.join(` ${t(filter.any ? 'filter.or' : 'filter.and')} `)
}

const inSentence = (words: string): string => words.charAt(0).toLocaleLowerCase(locale) + words.slice(1)

function words(
  condition: RecordFilter | WrittenFilter,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string[] {
  if (isWritten(condition)) return [t('filter.written')]
  const found = operatorOf(condition, fields)
  if (!found) return []
  const { field, operator } = found
  const values = condition.texts.map((text) =>
    operator.operand === 'period' ? inSentence(periodText(text)) : (choiceLabel(field, text) ?? text),
  )
  const all = [fieldLabel(field), context.translate(operator.label), values.join(' – ')]
  return [all.filter((word) => word !== '').join(' ')]
}
