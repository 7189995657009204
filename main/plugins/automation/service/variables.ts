// Variables of a flow: what a run begins with, and whether a value fits (D-150). Pure.
import { isDate, parseInstant } from '#shared/calendar/iso.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { FlowVariable } from './flow.ts'

/** The variables of a run nobody gives inputs to. */
export function defaultVariables(variables: readonly FlowVariable[]): Record<string, unknown> {
  return Object.fromEntries(variables.map(({ name, defaultValue }) => [name, defaultValue]))
}

/**
 * The variables of a run that begins.
 * @throws validation_error naming every input that is missing or of another type
 */
export function initialVariables(
  variables: readonly FlowVariable[],
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const problems: FieldError[] = []
  const values = variables.map(({ name, type, isInput, required, defaultValue }): [string, unknown] => {
    const value = isInput && Object.hasOwn(params, name) ? (params[name] ?? null) : defaultValue
    const field = `params.${name}`
    if (value === null && required && isInput)
      problems.push({ field, code: 'required', message: 'The flow needs this input.' })
    else if (!fitsType(value, type))
      problems.push({ field, code: 'invalid_type', message: `The input is of type ${type}.`, value })
    return [name, value]
  })
  if (problems.length > 0) throw validationError(problems)
  return Object.fromEntries(values)
}

/** Whether a variable of the type takes the value; null fits every type. */
export function fitsType(value: unknown, type: FlowVariable['type']): boolean {
  if (value === null) return true
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'date':
      return typeof value === 'string' && isDate(value)
    case 'datetime':
      return typeof value === 'string' && parseInstant(value, 'UTC') !== null
    case 'array':
    case 'records':
      return Array.isArray(value)
    case 'object':
    case 'record':
      return typeof value === 'object' && !Array.isArray(value)
  }
}
