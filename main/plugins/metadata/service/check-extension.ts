// Checks an object extension by itself (D-92); whether it fits the object it extends is judged with that object. Pure.
import type { FieldError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { namePattern } from '#shared/object-names.ts'
import type { ItemCheck } from '../types/shape-parts.ts'
import { extensionKeys, fieldWords, isRelabelling } from './extensions.ts'
import type { Body } from './json-values.ts'

const maxPriority = 999
const expressionPath = /^fields\.[^.]+\.(?:expression|conditionalRequired|visibleOn|defaultValue)$/

/**
 * The problems of an extension.
 * @param checkDefinition checks a whole object; it is asked for the fields the extension defines
 */
export function checkExtension(item: Body, checkDefinition: (definition: Body) => ItemCheck): ItemCheck {
  const { extend, priority, fields } = item
  const errors: FieldError[] = []
  if (typeof extend !== 'string' || !namePattern.test(extend)) {
    const message = 'The name of an object is expected.'
    errors.push({ field: 'extend', code: 'invalid_format', message, value: extend })
  }
  if (priority !== undefined) errors.push(...checkPriority(priority))
  if (fields !== undefined && !isJsonMap(fields)) {
    errors.push({ field: 'fields', code: 'invalid_type', message: 'Fields are a map.', value: fields })
  }
  const all = Object.entries(isJsonMap(fields) ? fields : {})
  for (const [name, field] of all) if (isRelabelling(field)) errors.push(...checkLabels(name, field as Body))
  const defined = Object.fromEntries(all.filter(([, field]) => !isRelabelling(field)))
  const { name, label, pluralLabel, description, icon, color, tags, fieldGroups } = item
  const own = { name, label, pluralLabel, description, icon, color, tags, fieldGroups, fields: defined }
  const check = checkDefinition(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)))
  const unused = Object.keys(item)
    .filter((key) => !extensionKeys.has(key))
    .map((path) => ({ path, message: 'An extension does not use the key; it was kept.' }))
  // Expressions may read fields of the extended object; those that exist nowhere are found with that object.
  const found = check.errors.filter((error) => !(error.code === 'unknown_field' && expressionPath.test(error.field)))
  return { errors: [...errors, ...found], warnings: [...check.warnings, ...unused] }
}

function checkPriority(value: unknown): FieldError[] {
  const problem = (code: FieldError['code'], constraint: unknown): FieldError[] => [
    { field: 'priority', code, message: `A priority is an integer from 0 to ${maxPriority}.`, value, constraint },
  ]
  if (typeof value !== 'number' || !Number.isInteger(value)) return problem('invalid_number', [0, maxPriority])
  if (value < 0) return problem('min_value', 0)
  return value > maxPriority ? problem('max_value', maxPriority) : []
}

/** A field without a type only names a field of the extended object in other words. */
function checkLabels(name: string, field: Body): FieldError[] {
  return Object.entries(field).flatMap(([key, value]): FieldError[] => {
    if (key === 'uid') return []
    const path = `fields.${name}.${key}`
    if (!(fieldWords as readonly string[]).includes(key)) {
      const message = 'A field without a type changes labels only; a new field needs a type.'
      return [{ field: path, code: 'not_allowed', message, value, constraint: fieldWords }]
    }
    return typeof value === 'string' ? [] : [{ field: path, code: 'invalid_type', message: 'A label is text.', value }]
  })
}
