// Checks that a validation rule of its own names fields its object has, among the items as they will be.
import { validationError } from '#shared/errors.ts'
import { groundOf } from '#shared/rules/inline-rules.ts'
import { checkRule } from '#shared/rules/rule-definition.ts'
import type { MetadataItem } from '../api.ts'
import type { ItemCache } from './item-cache.ts'

/**
 * Refuses a rule whose expressions, fields or states its object does not have: it would judge nothing, silently. A rule
 * of an object that is still to come is let through.
 * @throws validation_error
 */
export function requireRuleFields(items: Pick<ItemCache, 'objectSchema'>, item: MetadataItem): void {
  if (item.type !== 'validation' || item.state === 'archived') return
  const object = String(item.item['object'])
  const schema = items.objectSchema(object)
  if (schema === undefined) return
  const dot = item.name.indexOf('.')
  if (dot !== -1 && item.name.slice(0, dot) !== object) {
    const message = 'The rule is named after another object.'
    throw validationError([{ field: 'object', code: 'invalid_reference', message, value: object }])
  }
  const problems = checkRule(item.item, '', groundOf(schema.definition.fields))
  if (problems.length > 0) throw validationError(problems)
}
