// Checks that the default of every field is a value the field takes: a wrong one would refuse every new record. Pure.
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf, findFieldType } from '#shared/field-types/registry.ts'
import { defaultExpression } from '#shared/formulas/check-definition-expressions.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'

/** The problems of the defaults in a definition that is otherwise right. @source D-93 */
export function checkDefaults(definition: ObjectDefinition): FieldError[] {
  return compileObject(definition).fields.flatMap((field) =>
    checkDefault(field, definition.fields[field.name]?.defaultValue),
  )
}

/** A schema that cannot be run is reported on its own. */
function checkJsonSchema(schema: unknown, value: unknown): ReturnType<ReturnType<typeof compileSchema>> {
  try {
    return compileSchema(schema)(value)
  } catch {
    return []
  }
}

function checkDefault(field: FieldSchema, value: unknown): readonly FieldError[] {
  if (
    value === null ||
    value === undefined ||
    (typeof value === 'string' && fieldTypeOf(field).defaultWords?.includes(value) === true)
  )
    return []
  const path = `fields.${field.name}.defaultValue`
  // Expressions are checked with the others of the definition; their values meet the field's rules when they are made.
  if (defaultExpression(value) !== undefined) return []
  const type = fieldTypeOf(field)
  if (type.computed === true || (type.blankIsNull && typeof value === 'string' && value.trim() === '')) return []
  const result = type.parse(value, field, { timeZone: 'UTC', checkJsonSchema })
  return result.ok
    ? []
    : result.errors.map((error) => ({ ...error, field: `${path}${error.field.slice(field.name.length)}` }))
}

type Fields = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The problems of the schemas in a definition that is otherwise right. @source D-94 */
export function checkJsonSchemas(definition: { readonly fields: Fields }, path = ''): FieldError[] {
  return Object.entries(definition.fields).flatMap(([name, field]) => {
    const at = `${path}fields.${name}`
    if (findFieldType(field['type'])?.holdsFields)
      return checkJsonSchemas({ fields: field['fields'] as Fields }, `${at}.`)
    if (field['type'] !== 'json' || field['schema'] === undefined) return []
    try {
      compileSchema(field['schema'])
      return []
    } catch (error) {
      const message = error instanceof Error ? error.message : 'The JSON Schema cannot be read.'
      return [{ field: `${at}.schema`, code: 'invalid_format', message }]
    }
  })
}
