// Checks one field of a definition: its common keys, the settings of its type, and what both say together.
import { z } from 'zod'
import { parseInstant } from '../calendar/iso.ts'
import { ExpressionError } from '../expression/expression-error.ts'
import { compilePattern } from '../expression/user-pattern.ts'
import { maxNesting } from '../field-types/composite.ts'
import type { FieldType } from '../field-types/field-type.ts'
import { canBeSum, fieldTypeNames, findFieldType, isInnerType } from '../field-types/registry.ts'
import { namePattern } from '../object-names.ts'
import { fieldErrorsOf } from '../schema-errors.ts'
import { shortenLists } from '../shorten-lists.ts'
import type { Findings } from './definition-problems.ts'
import { definitionError, isPlainObject, warnUnknown } from './definition-problems.ts'
import type { FieldDefinition } from './field-shape.ts'
import { commonFieldShape, commonFieldZod } from './field-shape.ts'

/** Where a field stands: its path in the item, and how many groups it is inside of. */
export interface FieldPlace extends Findings {
  readonly path: string
  readonly depth: number
}

/** Checks a field of an object, or, with a depth, an inner field of a composite or repeater. */
export function checkField(fieldName: string, field: unknown, place: FieldPlace): void {
  const { path, errors, warnings } = place
  if (!namePattern.test(fieldName)) {
    errors.push(definitionError(path, 'invalid_format', 'The field name is not of the form of D-92.', fieldName))
  }
  const common = commonFieldZod.safeParse(field)
  if (!common.success) {
    errors.push(...fieldErrorsOf(common.error.issues, field, path))
    return
  }
  const { type } = common.data
  const fieldType = findFieldType(type)
  if (fieldType === undefined) {
    const message = 'There is no such field type.'
    errors.push(definitionError(`${path}.type`, 'invalid_option', message, type, fieldTypeNames()))
    return
  }
  if (place.depth > 0 && !isInnerType(fieldType)) {
    const message = 'Fields of this type cannot be inside of another field.'
    errors.push(definitionError(`${path}.type`, 'not_allowed', message, type))
    return
  }
  const shorter = shortenLists(settingsZod(fieldType), field)
  const settings = settingsZod(fieldType).safeParse(shorter)
  if (!settings.success) errors.push(...fieldErrorsOf(settings.error.issues, shorter, path))
  warnUnknown(common.data, { ...commonFieldShape, ...fieldType.settings }, `${path}.`, warnings)
  checkPattern(common.data, place)
  checkOptions(common.data, fieldType, place)
  checkBounds(common.data, place)
  checkKeys(common.data, fieldType, place)
  if (settings.success && fieldType.holdsFields) checkInner(common.data, place)
}

const settingsZods = new WeakMap<FieldType, z.ZodType>()

/** The shape of a type's own settings; made once, because making it costs far more than using it. */
function settingsZod(type: FieldType): z.ZodType {
  let schema = settingsZods.get(type)
  if (schema === undefined) settingsZods.set(type, (schema = z.looseObject(type.settings)))
  return schema
}

function checkPattern(field: FieldDefinition, { path, errors }: FieldPlace): void {
  const { pattern } = field as { pattern?: unknown }
  if (typeof pattern !== 'string') return
  try {
    compilePattern(pattern)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    // Look-around and back-references have no matching in linear time.
    errors.push(definitionError(`${path}.pattern`, 'invalid_format', error.message, pattern))
  }
}

function checkOptions(field: FieldDefinition, type: FieldType, { path, errors }: FieldPlace): void {
  const { options } = field as { options?: unknown }
  if (!Array.isArray(options)) return
  const seen = new Set<unknown>()
  let defaults = 0
  options.forEach((option: unknown, index) => {
    // No more are told (D-22).
    if (errors.length >= 100) return
    const value = isPlainObject(option) ? option['value'] : option
    if (seen.has(value)) {
      errors.push(definitionError(`${path}.options.${index}`, 'duplicate_value', 'The option occurs twice.', value))
    }
    seen.add(value)
    if (!isPlainObject(option) || option['default'] !== true) return
    defaults++
    if (defaults > 1 && type.alwaysMultiple !== true) {
      const message = 'A field of one value has one default.'
      errors.push(definitionError(`${path}.options.${index}.default`, 'not_allowed', message, true))
    }
  })
}

const bounds = [
  ['min', 'max', 'min_value'],
  ['minLength', 'maxLength', 'min_length'],
  ['minItems', 'maxItems', 'min_items'],
  ['minSize', 'maxSize', 'min_value'],
] as const

/** A bound as a number: dates and timestamps as instants; NaN, which is never larger, for anything else. */
function comparable(bound: unknown): number {
  if (typeof bound === 'number') return bound
  return typeof bound === 'string' ? (parseInstant(bound, 'UTC') ?? Number.NaN) : Number.NaN
}

/** Bounds that no value can meet. */
function checkBounds(field: FieldDefinition, { path, errors }: FieldPlace): void {
  const check = (holder: Record<string, unknown>, prefix: string) => {
    for (const [low, high, code] of bounds) {
      const [least, most] = [holder[low], holder[high]]
      const isCrossed = comparable(least) > comparable(most)
      if (!isCrossed) continue
      errors.push(definitionError(`${prefix}.${low}`, code, `The lower bound is above ${high}.`, least, most))
    }
  }
  check(field, path)
  const { fileAttachmentConfig } = field as { fileAttachmentConfig?: unknown }
  if (isPlainObject(fileAttachmentConfig)) check(fileAttachmentConfig, `${path}.fileAttachmentConfig`)
}

/** Common keys that the type, or the place inside of another field, cannot keep. */
function checkKeys(field: FieldDefinition, type: FieldType, place: FieldPlace): void {
  const { path, errors, warnings } = place
  const refuse = (key: string, message: string) =>
    errors.push(definitionError(`${path}.${key}`, 'not_allowed', message, (field as Record<string, unknown>)[key]))
  const isOpaque = type.storage === 'converted' || type.innerPaths === true || type.file === true
  for (const key of ['unique', 'externalId', 'index'] as const) {
    if (field[key] !== true) continue
    if (place.depth > 0) refuse(key, 'A field inside of another has no index.')
    else if (isOpaque) refuse(key, 'Values of this type are not compared with each other.')
  }
  if (field.multiple === true && type.canBeMultiple !== true && type.alwaysMultiple !== true) {
    if (type.relation === true) refuse('multiple', 'A relation of this type leads to one record.')
    else warnings.push({ path: `${path}.multiple`, message: 'Fields of this type have one value.' })
  }
  if (field.merge === 'sum' && (place.depth > 0 || !canBeSum(field)))
    refuse('merge', 'Only numbers and percentages of a record are summed up.')
  if (type.concealed !== undefined && field.defaultValue !== undefined && field.defaultValue !== null) {
    // The default would stand readable in the definition. It is not repeated in the answer either.
    errors.push(definitionError(`${path}.defaultValue`, 'not_allowed', 'A concealed field has no default.', undefined))
  }
  if (field.searchable === true && type.flags.search === 'never') {
    warnings.push({ path: `${path}.searchable`, message: 'Fields of this type are never searched.' })
  }
  if (field.required === false && type.alwaysRequired === true) {
    warnings.push({ path: `${path}.required`, message: 'Fields of this type are always required.' })
  }
}

function checkInner(field: FieldDefinition, place: FieldPlace): void {
  const { fields } = field as { fields?: unknown }
  if (!isPlainObject(fields)) return
  const depth = place.depth + 1
  if (depth > maxNesting) {
    const message = `Groups are at most ${maxNesting} levels deep.`
    place.errors.push(definitionError(`${place.path}.fields`, 'max_items', message, undefined, maxNesting))
    return
  }
  for (const [name, inner] of Object.entries(fields)) {
    checkField(name, inner, { ...place, path: `${place.path}.fields.${name}`, depth })
  }
}
