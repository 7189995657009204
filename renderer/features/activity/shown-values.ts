// Owns reading stored values of changes as people read them: as the table shows them, where it can.
import { fieldTypeOf, findFieldType } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { ShowValue } from './field-changes.tsx'

/** Shows values of an object's fields; undefined for fields that are not known, and for links. */
export function valuesAs(fields: readonly FieldDefinition[], context: FieldContext): ShowValue {
  return (name, value) => {
    const field = fields.find((one) => one.name === name)
    return field && !findFieldType(field.type)?.namedByHost
      ? fieldTypeOf(field).format(value, field, context)
      : undefined
  }
}
