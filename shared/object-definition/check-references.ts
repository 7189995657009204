// Checks what a definition says about its own fields by name, and what fields say about each other.
import type { FieldError } from '../errors.ts'
import { findFieldType } from '../field-types/registry.ts'
import { filterFieldProblems } from '../filter/filter-fields.ts'
import type { ObjectDefinition } from '../object-definition.ts'
import { reservedFieldNames } from '../object-names.ts'
import { definitionError } from './definition-problems.ts'

/** Most owners a record may have. @source D-94 */
export const maxMasterDetails = 2

const systemFieldNames: ReadonlySet<string> = new Set([...reservedFieldNames].filter((field) => field !== 'rowid'))

/** Checks names of fields in a definition whose shape is right. */
export function checkReferences(definition: ObjectDefinition, errors: FieldError[]): void {
  const known = (fieldName: string) => Object.hasOwn(definition.fields, fieldName) || systemFieldNames.has(fieldName)
  const need = (path: string, fieldName: string) => {
    if (!known(fieldName)) {
      errors.push(definitionError(path, 'unknown_field', 'The object has no such field.', fieldName))
    }
  }
  if (definition.displayNameField !== undefined) need('displayNameField', definition.displayNameField)
  const display = definition.fields[definition.displayNameField ?? '']
  if (findFieldType(display?.type)?.concealed !== undefined) {
    errors.push(definitionError('displayNameField', 'not_allowed', 'A concealed field names no record.', undefined))
  }
  definition.search?.fields?.forEach((fieldName, i) => need(`search.fields.${i}`, fieldName))
  definition.indexes?.forEach((index, i) => {
    index.fields.forEach((fieldName, j) => need(`indexes.${i}.fields.${j}`, fieldName))
    errors.push(...filterFieldProblems(`indexes.${i}.where`, index.where, known))
  })
  let owners = 0
  for (const [fieldName, field] of Object.entries(definition.fields)) {
    const clash = `${fieldName}__currency`
    if (field.type === 'currency' && Object.hasOwn(definition.fields, clash)) {
      errors.push(
        definitionError(`fields.${clash}`, 'not_allowed', 'The name belongs to the currency field beside it.', clash),
      )
    }
    if (field.type === 'master_detail' && ++owners > maxMasterDetails) {
      const message = `An object has at most ${maxMasterDetails} fields of this type.`
      errors.push(definitionError(`fields.${fieldName}.type`, 'max_items', message, field.type, maxMasterDetails))
    }
  }
}
