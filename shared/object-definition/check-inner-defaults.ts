// Checks the defaults of inner fields: only literals, and only values the inner field takes.
import type { FieldError } from '../errors.ts'
import type { FieldSchema } from '../field-types/field-schema.ts'
import { fieldTypeOf, findFieldType } from '../field-types/registry.ts'
import type { ObjectDefinition } from '../object-definition.ts'
import { compileObject } from '../object-schema.ts'
import { definitionError } from './definition-problems.ts'
import { isLiteralDefault } from './literal-default.ts'

/** The problems of inner defaults in a definition that is otherwise right. @source D-93, D-94 */
export function checkInnerDefaults(definition: ObjectDefinition): FieldError[] {
  const groups = Object.values(definition.fields).some(({ type }) => findFieldType(type)?.holdsFields)
  if (!groups) return []
  return compileObject(definition).fields.flatMap((field) => checkGroup(field, `fields.${field.name}`))
}

function checkGroup(group: FieldSchema, path: string): FieldError[] {
  return group.inner.flatMap((field) => {
    const at = `${path}.fields.${field.name}`
    return [...checkDefault(field, `${at}.defaultValue`), ...checkGroup(field, at)]
  })
}

function checkDefault(field: FieldSchema, path: string): readonly FieldError[] {
  const { defaultValue } = field
  if (defaultValue === undefined || defaultValue === null) return []
  if (!isLiteralDefault(defaultValue)) {
    return [definitionError(path, 'not_allowed', 'An inner field has a literal default.', defaultValue)]
  }
  const result = fieldTypeOf(field).parse(defaultValue, field, { timeZone: 'UTC' })
  if (result.ok) return []
  return result.errors.map((error) => ({ ...error, field: `${path}${error.field.slice(field.name.length)}` }))
}
