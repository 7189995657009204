// Checks that the JSON Schemas of json fields, inner ones included, can be run: a wrong one would refuse every value.
import type { FieldError } from '#shared/errors.ts'
import { findFieldType } from '#shared/field-types/registry.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'

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
