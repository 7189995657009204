// Checks an item against the shape of its type: problems stop a save, unknown keys are kept and reported (D-107).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { checkInlineRules } from '#shared/rules/inline-rules.ts'
import { checkRule } from '#shared/rules/rule-definition.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { checkDefaults } from './check-defaults.ts'
import { itemSchema } from './type-schemas.ts'

/** A key that was kept although nothing reads it. */
export interface ItemWarning {
  readonly path: string
  readonly message: string
}

/** What a check found. */
export interface ItemCheck {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly ItemWarning[]
}

/** Checks an item of any type but `field`, which is checked as part of its object. */
export function checkItem(type: MetadataType, item: Readonly<Record<string, unknown>>): ItemCheck {
  if (type === 'object') {
    const result = checkObjectDefinition(item)
    if (!result.ok) return { errors: result.errors, warnings: result.warnings }
    const { definition, warnings } = result
    return { errors: [...checkDefaults(definition), ...checkInlineRules(definition)], warnings }
  }
  const schema = itemSchema(type)
  if (schema === undefined) return { errors: [], warnings: [] }
  const parsed = schema.safeParse(item)
  const problems = parsed.success ? furtherProblems(type, item) : fieldErrorsOf(parsed.error.issues, item)
  return {
    errors: problems,
    warnings: Object.keys(item)
      .filter((key) => !Object.hasOwn(schema.shape, key))
      .map((key) => ({ path: key, message: 'The key is not known and was kept.' })),
  }
}

/** What the shape alone cannot say: the keys a rule of some type needs, and its expressions. */
function furtherProblems(type: MetadataType, item: Readonly<Record<string, unknown>>): readonly FieldError[] {
  // The object of a rule may be saved in the same write; whether its fields exist is the data plugin's question.
  return type === 'validation' ? checkRule(item, '', null) : []
}
