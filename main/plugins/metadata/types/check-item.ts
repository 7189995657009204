// Checks an item against the shape of its type: problems stop a save, unknown keys are kept and reported (D-107).
import type { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
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
    return { errors: result.ok ? checkDefaults(result.definition) : result.errors, warnings: result.warnings }
  }
  const schema = itemSchema(type)
  if (schema === undefined) return { errors: [], warnings: [] }
  const parsed = schema.safeParse(item)
  return {
    errors: parsed.success ? [] : parsed.error.issues.map((issue) => toFieldError(issue, item)),
    warnings: Object.keys(item)
      .filter((key) => !Object.hasOwn(schema.shape, key))
      .map((key) => ({ path: key, message: 'The key is not known and was kept.' })),
  }
}

function toFieldError(issue: z.core.$ZodIssue, item: unknown): FieldError {
  const value = issue.path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<PropertyKey, unknown>)[key]
        : undefined,
    item,
  )
  return {
    field: issue.path.map(String).join('.'),
    code: codeOf(issue, value),
    message: issue.message,
    ...(value === undefined ? {} : { value }),
  }
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): FieldErrorCode {
  if (value === undefined) return 'required'
  switch (issue.code) {
    case 'invalid_value':
      return 'invalid_option'
    case 'too_small':
      return issue.origin === 'string' ? 'min_length' : issue.origin === 'array' ? 'min_items' : 'min_value'
    case 'too_big':
      return issue.origin === 'string' ? 'max_length' : issue.origin === 'array' ? 'max_items' : 'max_value'
    case 'invalid_format':
      return 'invalid_format'
    default:
      return 'invalid_type'
  }
}
