// Owns what of a field matters to the languages requests are written in. Pure.
import { findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import type { AskedField } from './asked-records.ts'

/** The fields of an object as examples ask for them: all, or those of the names. */
export function askedFields(fields: readonly FieldDefinition[], names: readonly string[] | undefined): AskedField[] {
  return fields
    .filter(({ name }) => names === undefined || names.includes(name))
    .map(({ name, type, multiple }) => {
      const traits = findFieldType(type)
      return {
        name,
        leadsOn: traits?.link !== undefined,
        multiple: multiple === true || traits?.elementType !== undefined,
        dated: traits?.dated === true,
      }
    })
}
