// What the parsers of all forms share: limits, paths, operands, and the error with the place in the input.
import { isDateMacro } from '#shared/calendar/macros.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import { readRecordLink } from '#shared/field-types/record.ts'
import { isUserMacro } from '#shared/field-types/user.ts'
import type { FieldMacro, Filter, Operand } from './filter.ts'

/** Most conditions of one filter (D-79). */
export const maxConditions = 100
/** Deepest nesting of one filter (D-79). */
export const maxDepth = 16
/** Most elements of a list operand (D-79). */
export const maxListLength = 1_000

/** The operator of `like` patterns in the tree; the object form has none (D-79, D-80). */
export const patternOperator = '$like'

/** State of one parse: where we are, and how much was read. */
export interface FilterReader {
  readonly parameter: string
  conditions: number
}

/** The error of a place in the filter. */
export function filterError(reader: FilterReader, path: string, reason: string): PlatformError {
  return invalidQuery(reader.parameter, reason, { path })
}

/** Refuses nesting beyond {@link maxDepth}. */
export function checkDepth(reader: FilterReader, depth: number, path: string): void {
  if (depth > maxDepth) throw filterError(reader, path, `The filter is nested deeper than ${maxDepth} levels.`)
}

/** Splits a dotted path; names of six hops would already be refused later, so twenty segments are plenty. */
export function readPath(reader: FilterReader, text: string, path: string): string[] {
  const segments = text.split('.')
  if (segments.length > 20 || segments.some((segment) => segment === '') || text.startsWith('$')) {
    throw filterError(reader, path, `"${text.slice(0, 100)}" is not a field path.`)
  }
  return segments
}

/** Builds a condition of a canonical or alias operator, checking the form of its operand. */
export function readCondition(
  reader: FilterReader,
  fieldPath: readonly string[],
  operator: string,
  operand: unknown,
  path: string,
): Filter {
  if (++reader.conditions > maxConditions) {
    throw filterError(reader, path, `The filter has more than ${maxConditions} conditions.`)
  }
  switch (operator) {
    case '$eq':
      return operand === null ? isNull(fieldPath, true) : scalar(reader, fieldPath, '$eq', operand, path)
    case '$ne':
      return operand === null ? isNull(fieldPath, false) : scalar(reader, fieldPath, '$ne', operand, path)
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
    case '$contains':
    case '$notContains':
    case '$startsWith':
    case '$endsWith':
    case patternOperator:
      return scalar(reader, fieldPath, operator, operand, path)
    case '$in':
    case '$nin':
      return membership(reader, fieldPath, operator, operand, path)
    case '$any':
    case '$all':
      return { kind: 'condition', path: fieldPath, operator, operand: list(reader, operand, path) }
    case '$between': {
      const bounds = list(reader, operand, path)
      if (bounds.length !== 2) throw filterError(reader, path, 'A range needs exactly two bounds.')
      return { kind: 'condition', path: fieldPath, operator, operand: bounds }
    }
    case '$null':
    case '$exists': {
      const flag = operand === 'true' ? true : operand === 'false' ? false : operand
      if (typeof flag !== 'boolean') throw filterError(reader, path, 'The operand must be true or false.')
      return isNull(fieldPath, operator === '$null' ? flag : !flag)
    }
    case '$during':
      if (typeof operand !== 'string') throw filterError(reader, path, 'The operand must be the name of a date range.')
      return { kind: 'condition', path: fieldPath, operator, operand }
    case '$search':
      if (typeof operand !== 'string') throw filterError(reader, path, 'The operand must be text.')
      return { kind: 'search', query: operand, fields: [fieldPath.join('.')] }
    case '$regex':
      throw filterError(reader, path, 'Regular expressions are not supported.')
    default:
      throw filterError(reader, path, `There is no operator "${operator.slice(0, 50)}".`)
  }
}

/** Whether the value is `{"$field": "name"}`. */
export function isFieldMacro(value: unknown): value is FieldMacro {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false
  const name = (value as Record<string, unknown>)['$field']
  return Object.hasOwn(value, '$field') && typeof name === 'string' && name !== ''
}

/** Whether the value is a macro object of D-85. */
export function isMacro(value: unknown): value is Exclude<Operand, string | number | boolean> {
  return isDateMacro(value) || isUserMacro(value) || isFieldMacro(value)
}

function isNull(fieldPath: readonly string[], flag: boolean): Filter {
  return { kind: 'condition', path: fieldPath, operator: '$null', operand: flag }
}

function scalar(
  reader: FilterReader,
  fieldPath: readonly string[],
  operator: FilterOperator,
  value: unknown,
  path: string,
): Filter {
  return { kind: 'condition', path: fieldPath, operator, operand: readOperand(reader, value, path) }
}

/** `null` in a list means "is null" beside the rest. */
function membership(
  reader: FilterReader,
  fieldPath: readonly string[],
  operator: '$in' | '$nin',
  value: unknown,
  path: string,
): Filter {
  if (!Array.isArray(value) || !value.includes(null)) {
    return { kind: 'condition', path: fieldPath, operator, operand: list(reader, value, path) }
  }
  const rest = value.filter((item) => item !== null)
  const nullCondition = isNull(fieldPath, operator === '$in')
  if (rest.length === 0) return nullCondition
  const condition: Filter = { kind: 'condition', path: fieldPath, operator, operand: list(reader, rest, path) }
  return { kind: operator === '$in' ? 'or' : 'and', children: [condition, nullCondition] }
}

function list(reader: FilterReader, value: unknown, path: string): Operand[] {
  if (!Array.isArray(value)) throw filterError(reader, path, 'The operand must be a list.')
  if (value.length < 1 || value.length > maxListLength) {
    throw filterError(reader, path, `The list must have 1 to ${maxListLength} elements.`)
  }
  return value.map((item: unknown) => readOperand(reader, item, path))
}

function readOperand(reader: FilterReader, value: unknown, path: string): Operand {
  if (typeof value === 'string' || typeof value === 'boolean' || isMacro(value)) return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const link = readRecordLink(value)
  if (link !== null) return `${link.object}/${link.id}`
  if (value === null) throw filterError(reader, path, 'The operand must not be null; use $null.')
  throw filterError(reader, path, 'The operand must be text, a number, a boolean or a macro.')
}
