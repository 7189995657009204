// The `object` item of D-92 and D-93 as its author writes it: shape, limits and the checks inside one object.
// Knows nothing of other objects: whether a reference exists is the metadata service's question.
import { z } from 'zod'
import type { FieldError, FieldErrorCode } from './errors.ts'
import { isFieldTypeName, fieldTypes } from './field-types/registry.ts'
import { fieldErrorsOf } from './schema-errors.ts'

/** Form of object and field names (D-09, D-92). */
export const namePattern = /^[a-z][a-z0-9_]{0,62}$/

/** Most characters of such a name. */
export const maxNameLength = 63

/** Most fields an object may have. */
export const maxFields = 500

/** Names no field may have: the system fields of D-51 and `rowid`. */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'owner',
  'deleted_at',
  'deleted_by',
  'organization_id',
  'rowid',
])

/** Names no object may have: they are words of the paths below /data (D-68). */
export const reservedObjectNames: ReadonlySet<string> = new Set(['import'])

const name = z.string().regex(namePattern)
const text = z.string().max(10_000)

/** Field keys every type reads. @source D-93 */
const commonFieldShape = {
  type: z.string(),
  uid: z.string().max(128).optional(),
  label: text.optional(),
  description: text.optional(),
  help: text.optional(),
  inlineHelpText: text.optional(),
  placeholder: text.optional(),
  required: z.boolean().optional(),
  unique: z.boolean().optional(),
  index: z.boolean().optional(),
  externalId: z.boolean().optional(),
  searchable: z.boolean().optional(),
  sortable: z.boolean().optional(),
  hidden: z.boolean().optional(),
  readonly: z.boolean().optional(),
  defaultValue: z.unknown().optional(),
  multiple: z.boolean().optional(),
  caseSensitive: z.boolean().optional(),
  group: z.string().optional(),
  conditionalRequired: z.unknown().optional(),
  visibleOn: z.unknown().optional(),
  trackFeedHistory: z.boolean().optional(),
  renamedFrom: name.optional(),
  merge: z.enum(['sum']).optional(),
} as const

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

/** Shape of the keys that fields of every type share; unknown keys pass. */
export const commonFieldZod = z.looseObject(commonFieldShape)

/** One field as its author writes it; unknown keys are kept. */
export type FieldDefinition = z.infer<typeof commonFieldZod>

/** An object as its author writes it; unknown keys are kept. */
export type ObjectDefinition = z.infer<typeof objectZod> & { fields: Record<string, FieldDefinition> }

/** A key that was kept but is not understood (D-107). */
export interface DefinitionWarning {
  readonly path: string
  readonly message: string
}

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
  const result = objectZod.safeParse(input)
  if (!result.success) errors.push(...fieldErrorsOf(result.error.issues, input))
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
    for (const fieldName of names) checkField(fieldName, definition.fields[fieldName], errors, warnings)
  }
  if (errors.length === 0) checkReferences(definition, errors)
  return errors.length > 0 ? { ok: false, errors, warnings } : { ok: true, definition, warnings }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function warnUnknownKeys(definition: ObjectDefinition, warnings: DefinitionWarning[]): void {
  warnUnknown(definition, objectShape, '', warnings)
  if (definition.enable) warnUnknown(definition.enable, enableShape, 'enable.', warnings)
  definition.indexes?.forEach((index, i) => warnUnknown(index, indexShape, `indexes.${i}.`, warnings))
}

function checkField(fieldName: string, field: unknown, errors: FieldError[], warnings: DefinitionWarning[]): void {
  const path = `fields.${fieldName}`
  if (!namePattern.test(fieldName)) {
    errors.push(definitionError(path, 'invalid_format', 'The field name is not of the form of D-92.', fieldName))
  }
  if (reservedFieldNames.has(fieldName)) {
    errors.push(definitionError(path, 'not_allowed', 'The field name is reserved.', fieldName))
  }
  const common = commonFieldZod.safeParse(field)
  if (!common.success) {
    errors.push(...fieldErrorsOf(common.error.issues, field, path))
    return
  }
  const { type } = common.data
  if (!isFieldTypeName(type)) {
    errors.push(
      definitionError(`${path}.type`, 'invalid_option', 'There is no such field type.', type, Object.keys(fieldTypes)),
    )
    return
  }
  const settings = z.looseObject(fieldTypes[type].settings).safeParse(field)
  if (!settings.success) errors.push(...fieldErrorsOf(settings.error.issues, field, path))
  warnUnknown(common.data, { ...commonFieldShape, ...fieldTypes[type].settings }, `${path}.`, warnings)
  const { pattern } = common.data as { pattern?: unknown }
  if (typeof pattern === 'string' && !isSafePattern(pattern)) {
    errors.push(
      definitionError(`${path}.pattern`, 'invalid_format', 'The pattern is no valid or no safe expression.', pattern),
    )
  }
  checkOptions(path, common.data, errors)
}

function checkOptions(path: string, field: FieldDefinition, errors: FieldError[]): void {
  const options = (field as { options?: unknown }).options
  if (!Array.isArray(options)) return
  const seen = new Set<unknown>()
  options.forEach((option: unknown, index) => {
    const value = typeof option === 'object' && option !== null ? (option as { value?: unknown }).value : option
    if (seen.has(value)) {
      errors.push(definitionError(`${path}.options.${index}`, 'duplicate_value', 'The option occurs twice.', value))
    }
    seen.add(value)
  })
}

function checkReferences(definition: ObjectDefinition, errors: FieldError[]): void {
  const known = (fieldName: string) => Object.hasOwn(definition.fields, fieldName) || systemFieldNames.has(fieldName)
  const need = (path: string, fieldName: string) => {
    if (!known(fieldName)) {
      errors.push(definitionError(path, 'unknown_field', 'The object has no such field.', fieldName))
    }
  }
  if (definition.displayNameField !== undefined) need('displayNameField', definition.displayNameField)
  definition.search?.fields?.forEach((fieldName, i) => need(`search.fields.${i}`, fieldName))
  definition.indexes?.forEach((index, i) => {
    index.fields.forEach((fieldName, j) => need(`indexes.${i}.fields.${j}`, fieldName))
  })
  for (const [fieldName, field] of Object.entries(definition.fields)) {
    const clash = `${fieldName}__currency`
    if (field.type === 'currency' && Object.hasOwn(definition.fields, clash)) {
      errors.push(
        definitionError(`fields.${clash}`, 'not_allowed', 'The name belongs to the currency field beside it.', clash),
      )
    }
  }
}

const systemFieldNames: ReadonlySet<string> = new Set([...reservedFieldNames].filter((field) => field !== 'rowid'))

/** A pattern that compiles and has no repetition of a repetition, whose matching time could explode. */
function isSafePattern(pattern: string): boolean {
  try {
    new RegExp(`^(?:${pattern})$`, 'u')
  } catch {
    return false
  }
  const plain = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return (
    !/\([^()]*(?:[+*]|\{\d+,\d*\})[^()]*\)(?:[+*]|\{\d+,\d*\})/.test(plain) && !/\([^()]*\|[^()]*\)[+*]/.test(plain)
  )
}

function warnUnknown(value: object, shape: object, prefix: string, warnings: DefinitionWarning[]): void {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key))
      warnings.push({ path: `${prefix}${key}`, message: 'The key is not known and was kept.' })
  }
}

function definitionError(
  path: string,
  code: FieldErrorCode,
  message: string,
  value: unknown,
  constraint?: unknown,
): FieldError {
  return { field: path, code, message, value, ...(constraint === undefined ? {} : { constraint }) }
}
