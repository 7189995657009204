// Validation rules written inside of an object's definition: their names and what each of them says (D-92, D-96).
import type { FieldError } from '#shared/errors.ts'
import { namePattern } from '#shared/object-names.ts'
import { valueTypeOfSystemField } from '#shared/formulas/value-type-of-field.ts'
import type { RuleGround } from './rule-definition.ts'
import { checkRule } from './rule-definition.ts'

type FieldDefinitions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The problems of the inline rules of a definition that is otherwise right. */
export function checkInlineRules(
  definition: Readonly<{ fields: FieldDefinitions; validations?: unknown }>,
): FieldError[] {
  const { validations } = definition
  if (validations === undefined || validations === null) return []
  if (!Array.isArray(validations)) {
    return [{ field: 'validations', code: 'invalid_type', message: 'The rules of an object are a list.' }]
  }
  const ground = groundOf(definition.fields)
  const names = new Set<unknown>()
  let told = 0
  return validations.flatMap((rule: unknown, index): FieldError[] => {
    // No more are told (D-22), and a rule is much to look at.
    if (told >= 100) return []
    const at = `validations.${index}`
    const problems = checkRule(rule, at, ground)
    const name: unknown = typeof rule === 'object' && rule !== null ? (rule as { name?: unknown }).name : undefined
    if (typeof name !== 'string') {
      if (problems.length === 0)
        problems.push({ field: `${at}.name`, code: 'required', message: 'A rule needs a name.' })
    } else if (!namePattern.test(name)) {
      problems.push({
        field: `${at}.name`,
        code: 'invalid_format',
        message: 'The name is not of the form of D-09.',
        value: name,
      })
    } else if (names.has(name)) {
      problems.push({ field: `${at}.name`, code: 'duplicate_value', message: 'Two rules have this name.', value: name })
    }
    names.add(name)
    told += problems.length
    return problems
  })
}

/** What rules may know of an object's fields. */
export function groundOf(fields: FieldDefinitions): RuleGround {
  return {
    isField: (name) => Object.hasOwn(fields, name) || valueTypeOfSystemField(name) !== undefined,
    optionsOf(field) {
      const options: unknown = Object.hasOwn(fields, field) ? fields[field]?.['options'] : undefined
      if (!Array.isArray(options)) return null
      return options.map((option: unknown) =>
        typeof option === 'object' && option !== null ? String((option as { value?: unknown }).value) : String(option),
      )
    },
  }
}
