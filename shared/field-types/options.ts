// What the types with options share: the definition shape and the check of one value. No type of its own.
import { z } from 'zod'
import type { FieldSchema } from './field-schema.ts'

/** One option as definitions write it; a bare text is its own label. */
export const optionDefinition = z.union([
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/),
  z.looseObject({
    value: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/),
    label: z.string().optional(),
    color: z.string().optional(),
    default: z.boolean().optional(),
    active: z.boolean().optional(),
  }),
])

const indexes = new WeakMap<FieldSchema, Map<string, boolean>>()

/** Whether a value may be written: an active option, or an inactive one that is stored already. */
export function isWritableOption(field: FieldSchema, value: string, isStored: (value: string) => boolean): boolean {
  let index = indexes.get(field)
  if (!index) {
    index = new Map(field.options.map((option) => [option.value, option.active !== false]))
    indexes.set(field, index)
  }
  const active = index.get(value)
  return active === true || (active === false && isStored(value))
}

/** The option a text names, by value first, then by label without regard to case; undefined when there is none. */
export function findOption(field: FieldSchema, text: string): string | undefined {
  const trimmed = text.trim()
  const byValue = field.options.find((option) => option.value === trimmed)
  if (byValue) return byValue.value
  const lower = trimmed.toLowerCase()
  return field.options.find((option) => option.label.toLowerCase() === lower)?.value
}
