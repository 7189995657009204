// Owns a filter in words: field, operator and value of each condition. Pure.
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import { operatorOf } from './record-query.ts'
import type { FilterGroup } from './record-query.ts'

/** The conditions that can be used, each in words. */
export function conditionWords(
  { conditions }: FilterGroup,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string[] {
  return conditions.flatMap((condition) => {
    const found = operatorOf(condition, fields)
    if (!found) return []
    const words = [fieldLabel(found.field), context.translate(found.operator.label), condition.texts.join(' – ')]
    return [words.filter((word) => word !== '').join(' ')]
  })
}

/** All of them as one phrase; undefined where nothing can be used. */
export function filterWords(
  filter: FilterGroup,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): string | undefined {
  const words = conditionWords(filter, fields, context)
  return words.length === 0 ? undefined : words.join(` ${t(filter.any ? 'filter.or' : 'filter.and')} `)
}
