// The type a field's values are of, where the type of the field says less.
import type { FieldSchema } from './field-schema.ts'

/** Name of the field type whose values the field holds: a formula's result, else the field's own type. */
export function valueTypeOf({ type, settings }: Pick<FieldSchema, 'type' | 'settings'>): string {
  return type === 'formula' ? (settings.returnType ?? 'text') : type
}
