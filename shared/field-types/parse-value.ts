// One value against a field whose type is at hand: missing values, required fields, then the type's own rules.
import { isBlankText } from './code-points.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType, ParseEnv, ParseResult } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

/**
 * Validates and normalises a value; null and, where the type has no blank text, blank text become null. A required
 * field refuses missing, null and blank values with `required`.
 * @param stored the value the record has now, when it has one
 * @source D-94, D-95
 */
export function parseValue(
  type: FieldType,
  field: FieldSchema,
  value: unknown,
  env: ParseEnv,
  stored?: unknown,
): ParseResult {
  const blank = typeof value === 'string' && isBlankText(value)
  if (value === undefined || value === null || (blank && type.blankIsNull)) {
    return field.required ? refused(field, 'required', 'The field needs a value.', value) : parsed(null)
  }
  if (field.required && (blank || (field.multiple && Array.isArray(value) && value.length === 0))) {
    return refused(field, 'required', 'The field needs a value.', value)
  }
  return type.parse(value, field, env, stored)
}
