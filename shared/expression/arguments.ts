// Checks of function arguments. Null is handled by each function before it asks here.
import { ExpressionError } from './expression-error.ts'
import type { Value } from './machine.ts'
import { kindOf } from './operators.ts'

/** @throws ExpressionError `value` when the argument is no text */
export function textArgument(name: string, value: Value): string {
  if (typeof value === 'string') return value
  throw wrong(name, 'a text', value)
}

/** @throws ExpressionError `value` when the argument is no number */
export function numberArgument(name: string, value: Value): number {
  if (typeof value === 'number') return value
  throw wrong(name, 'a number', value)
}

/** A whole number; fractions are cut. @throws ExpressionError `value` */
export function wholeArgument(name: string, value: Value): number {
  return Math.trunc(numberArgument(name, value))
}

/** The list; null is the empty list. @throws ExpressionError `value` */
export function listArgument(name: string, value: Value): readonly Value[] {
  if (value === null) return []
  if (Array.isArray(value)) return value as Value[]
  throw wrong(name, 'a list', value)
}

/** The error of an argument of a wrong kind. */
export function wrong(name: string, wanted: string, value: Value): ExpressionError {
  return new ExpressionError('value', `${name}() takes ${wanted}, not a ${kindOf(value)}.`)
}
