// One value of a write body against its field.
import type { FieldSchema } from './field-schema.ts'
import type { ParseEnv, ParseResult } from './field-type.ts'
import { parseValue } from './parse-value.ts'
import { fieldTypeOf } from './registry.ts'

/**
 * Validates and normalises a value by the field's type; see {@link parseValue}.
 * @param stored the value the record has now, when it has one
 * @source D-94, D-95
 */
export function parseField(field: FieldSchema, value: unknown, env: ParseEnv, stored?: unknown): ParseResult {
  return parseValue(fieldTypeOf(field), field, value, env, stored)
}
