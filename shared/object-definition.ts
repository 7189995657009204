// The `object` item of D-92 and D-93 as its author writes it: shape, limits and the checks inside one object.
// Knows nothing of other objects: whether a reference exists is the metadata service's question.
import { checkDefinitionExpressions } from './formulas/check-definition-expressions.ts'
import { z } from 'zod'
import type { FieldError } from './errors.ts'
import { checkField } from './object-definition/check-field.ts'
import { checkInnerDefaults } from './object-definition/check-inner-defaults.ts'
import { checkReferences } from './object-definition/check-references.ts'
import type { DefinitionWarning } from './object-definition/definition-problems.ts'
import { definitionError, isPlainObject, warnUnknown } from './object-definition/definition-problems.ts'
import type { FieldDefinition } from './object-definition/field-shape.ts'
import { namePattern, reservedFieldNames, reservedObjectNames } from './object-names.ts'
import { fieldErrorsOf } from './schema-errors.ts'
import { shortenLists } from './shorten-lists.ts'

export { commonFieldZod } from './object-definition/field-shape.ts'
export type { FieldDefinition } from './object-definition/field-shape.ts'
export type { DefinitionWarning } from './object-definition/definition-problems.ts'

/** Most fields an object may have. */
export const maxFields = 500

const name = z.string().regex(namePattern)
const text = z.string().max(10_000)
const flag = z.boolean().optional()

/** The operations an object's API may offer (D-92, `enable.apiMethods`). */
export const apiMethods = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'upsert',
  'bulk',
  'aggregate',
  'search',
  'restore',
  'purge',
  'import',
  'export',
  'clone',
] as const

const enableShape = {
  trackHistory: flag,
  searchable: flag,
  apiEnabled: flag,
  apiMethods: z.array(z.enum(apiMethods)).optional(),
  files: flag,
  feeds: flag,
  trash: flag,
  clone: flag,
  sync: flag,
} as const

const indexShape = {
  name: name.optional(),
  fields: z.array(z.string()).min(1).max(8),
  unique: z.boolean().optional(),
  where: z.unknown().optional(),
} as const

const objectShape = {
  name,
  uid: z.string().max(128).optional(),
  label: text.optional(),
  pluralLabel: text.optional(),
  description: text.optional(),
  icon: z.string().max(200).optional(),
  color: z.string().max(100).optional(),
  tags: z.array(z.string()).optional(),
  fields: z.record(z.string(), z.unknown()),
  displayNameField: z.string().optional(),
  indexes: z.array(z.looseObject(indexShape)).max(50).optional(),
  validations: z.unknown().optional(),
  triggers: z.unknown().optional(),
  hooks: z.unknown().optional(),
  sharingModel: z.enum(['private', 'read', 'read_write', 'full']).optional(),
  enable: z.looseObject(enableShape).optional(),
  fieldGroups: z
    .array(z.looseObject({ key: z.string(), label: text.optional(), description: text.optional(), collapsed: flag }))
    .optional(),
  titleFormat: z.string().optional(),
  compactLayout: z.array(z.string()).optional(),
  listViews: z.unknown().optional(),
  search: z.looseObject({ fields: z.array(z.string()).optional() }).optional(),
  analytics: z.unknown().optional(),
  active: flag,
  isSystem: flag,
  abstract: flag,
  namespace: z.string().optional(),
  keyPrefix: z.string().optional(),
  renamedFrom: name.optional(),
  trashRetentionDays: z.number().min(0).optional(),
} as const

/** Shape of an `object` item; unknown keys pass. Each field is checked apart, by its type. */
export const objectZod = z.looseObject(objectShape)

/** An object as its author writes it; unknown keys are kept. */
export type ObjectDefinition = z.infer<typeof objectZod> & { fields: Record<string, FieldDefinition> }

/** A checked definition, or every problem with it. */
export type DefinitionResult =
  | { readonly ok: true; readonly definition: ObjectDefinition; readonly warnings: readonly DefinitionWarning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[]; readonly warnings: readonly DefinitionWarning[] }

/**
 * Checks an `object` item. Unknown keys are kept and reported as warnings; a known key of a wrong type is an error.
 * @source D-92, D-93, D-107
 */
export function checkObjectDefinition(input: unknown): DefinitionResult {
  const errors: FieldError[] = []
  const warnings: DefinitionWarning[] = []
  const shorter = shortenLists(objectZod, input)
  const result = objectZod.safeParse(shorter)
  if (!result.success) errors.push(...fieldErrorsOf(result.error.issues, shorter))
  const definition = (result.success ? result.data : input) as ObjectDefinition
  if (!isPlainObject(definition) || !isPlainObject(definition.fields)) return { ok: false, errors, warnings }
  if (result.success) warnUnknownKeys(definition, warnings)
  if (reservedObjectNames.has(definition.name)) {
    errors.push(definitionError('name', 'not_allowed', 'The name is reserved.', definition.name))
  }
  const names = Object.keys(definition.fields)
  if (names.length > maxFields) {
    const message = `An object has at most ${maxFields} fields.`
    errors.push(definitionError('fields', 'max_items', message, undefined, maxFields))
  } else {
    for (const fieldName of names) {
      const path = `fields.${fieldName}`
      if (reservedFieldNames.has(fieldName)) {
        errors.push(definitionError(path, 'not_allowed', 'The field name is reserved.', fieldName))
      }
      checkField(fieldName, definition.fields[fieldName], { path, depth: 0, errors, warnings })
    }
  }
  if (errors.length === 0) checkReferences(definition, errors)
  if (errors.length === 0)
    errors.push(...checkInnerDefaults(definition), ...checkDefinitionExpressions(definition.fields))
  return errors.length > 0 ? { ok: false, errors, warnings } : { ok: true, definition, warnings }
}

function warnUnknownKeys(definition: ObjectDefinition, warnings: DefinitionWarning[]): void {
  warnUnknown(definition, objectShape, '', warnings)
  if (definition.enable) warnUnknown(definition.enable, enableShape, 'enable.', warnings)
  definition.indexes?.forEach((index, i) => warnUnknown(index, indexShape, `indexes.${i}.`, warnings))
}
