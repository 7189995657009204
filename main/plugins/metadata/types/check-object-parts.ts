// Checks the parts of an object's definition that are no fields: hooks, triggers and list views written inside of it,
// and what it says for analytics (D-92, D-123). Pure.
import { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { shortenLists } from '#shared/shorten-lists.ts'
import type { ItemCheck, ItemWarning } from './shape-parts.ts'
import { cel, filter, flag, map, text } from './shape-parts.ts'
import { unknownKeys } from './unknown-keys.ts'

/** Checks an item of a type. */
type CheckItem = (type: MetadataType, item: Readonly<Record<string, unknown>>) => ItemCheck

const measure = z.looseObject({
  type: z.enum(['sum', 'avg', 'min', 'max', 'count', 'count_distinct', 'number']),
  field: text.optional(),
  expression: cel.optional(),
  filter: filter.optional(),
  title: text.optional(),
  format: text.optional(),
})

const dimension = z.looseObject({
  type: z.string().max(50).optional(),
  field: text.optional(),
  expression: cel.optional(),
  title: text.optional(),
})

/** Shape of an object's `analytics` key. */
export const analyticsZod = z.looseObject({
  title: text.optional(),
  public: flag.optional(),
  measures: z.record(z.string(), measure).optional(),
  dimensions: z.record(z.string(), dimension).optional(),
  joins: z.union([map, z.array(z.unknown())]).optional(),
})

/** What stands behind so many problems is not looked at (D-22). */
const maxTold = 100

/** The problems and unknown keys of these parts of a definition that is otherwise right. */
export function checkObjectParts(definition: Readonly<Record<string, unknown>>, checkItem: CheckItem): ItemCheck {
  const { name: object } = definition
  const errors: FieldError[] = []
  const warnings: ItemWarning[] = []
  for (const [key, type] of [
    ['hooks', 'hook'],
    ['triggers', 'trigger'],
  ] as const) {
    const list = definition[key]
    if (list === undefined || list === null) continue
    if (!Array.isArray(list)) {
      errors.push({ field: key, code: 'invalid_type', message: 'Expected a list.' })
      continue
    }
    list.forEach((item: unknown, index) => {
      if (errors.length >= maxTold) return
      const at = `${key}.${index}`
      if (typeof item !== 'object' || item === null || Array.isArray(item)) {
        errors.push({ field: at, code: 'invalid_type', message: 'Expected an object.', value: item })
        return
      }
      const check = checkItem(type, { object, ...item })
      errors.push(...check.errors.map((error) => ({ ...error, field: `${at}.${error.field}` })))
      warnings.push(...check.warnings.map((warning) => ({ ...warning, path: `${at}.${warning.path}` })))
    })
  }
  const given = definition['analytics']
  if (given !== undefined && given !== null) {
    const shorter = shortenLists(analyticsZod, given)
    const parsed = analyticsZod.safeParse(shorter)
    if (!parsed.success) errors.push(...fieldErrorsOf(parsed.error.issues, shorter, 'analytics'))
    for (const path of unknownKeys(analyticsZod, given, 'analytics')) {
      warnings.push({ path, message: 'The key is not known and was kept.' })
    }
  }
  return { errors, warnings }
}
