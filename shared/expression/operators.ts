// The operators of expressions over JSON values and moments. Null in arithmetic gives null, in an order false (D-97).
import type { Budget } from './budget.ts'
import { ExpressionError } from './expression-error.ts'
import type { Machine, Value } from './machine.ts'
import { Moment, Span, instantOf } from './moments.ts'

/** What reading a date or timestamp out of text costs. */
const stepsPerInstant = 6

/** The name of a value's kind, as messages and `type()` show it. */
export function kindOf(value: Value): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Moment) return 'timestamp'
  if (value instanceof Span) return 'duration'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'object' ? 'map' : typeof value
}

/** Whether the value is a JSON object; moments and lists are none. */
export function isMap(value: Value): value is Readonly<Record<string, Value>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Moment) &&
    !(value instanceof Span)
  )
}

/** The own member of an object, else null; nothing inherited is ever reached. */
export function memberOf(of: Value, name: string): Value {
  return isMap(of) && Object.hasOwn(of, name) ? jsonValue(of[name]) : null
}

/** The element of a list or the own member of an object, else null. */
export function elementOf(of: Value, index: Value): Value {
  if (Array.isArray(of)) return typeof index === 'number' && Object.hasOwn(of, index) ? jsonValue(of[index]) : null
  return typeof index === 'string' ? memberOf(of, index) : null
}

/** What is no JSON counts as null; the scope is the caller's. */
export function jsonValue(value: unknown): Value {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return null
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return new Moment(value.getTime())
  return value
}

/** Numbers that are none become null: NaN and infinities do not exist (D-11). */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** Addition of numbers, texts, lists, moments and durations. @throws ExpressionError `value` */
export function add(left: Value, right: Value, machine: Machine): Value {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right)
  if (right instanceof Span) return addSpan(left, right.ms, '+', right, machine)
  if (left instanceof Span) return addSpan(right, left.ms, '+', left, machine)
  if (typeof left === 'string' && typeof right === 'string') {
    machine.budget.spendMade(left.length + right.length)
    return left + right
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    machine.budget.spend(left.length + right.length)
    return [...(left as Value[]), ...(right as Value[])]
  }
  throw mismatch('+', left, right)
}

/** Subtraction of numbers, moments and durations; two moments give a duration. @throws ExpressionError `value` */
export function subtract(left: Value, right: Value, machine: Machine): Value {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return finite(left - right)
  if (right instanceof Span) return addSpan(left, -right.ms, '-', right, machine)
  const from = instantOf(right, machine.scope.timeZone)
  const to = instantOf(left, machine.scope.timeZone)
  if (from !== null && to !== null) return new Span(to - from)
  throw mismatch('-', left, right)
}

function addSpan(value: Value, ms: number, operator: string, span: Span, machine: Machine): Value {
  if (value instanceof Span) return new Span(value.ms + ms)
  const instant = instantOf(value, machine.scope.timeZone)
  if (instant === null) throw mismatch(operator, value, span)
  return new Moment(instant + ms)
}

/** Product, quotient or remainder. Division is never cut to integers; by zero it gives null. */
export function calculate(operator: '*' | '/' | '%', left: Value, right: Value): Value {
  if (left === null || right === null) return null
  if (typeof left !== 'number' || typeof right !== 'number') throw mismatch(operator, left, right)
  return finite(operator === '*' ? left * right : operator === '/' ? left / right : left % right)
}

/**
 * Compares two values for order: negative, zero, positive; null when one of them is null.
 * @throws ExpressionError `value` for kinds without a common order
 */
export function compare(operator: string, left: Value, right: Value, machine: Machine): number | null {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  if (left instanceof Span && right instanceof Span) return left.ms - right.ms
  const instants = bothInstants(left, right, machine)
  if (instants !== null) return instants[0] - instants[1]
  if (typeof left === 'string' && typeof right === 'string') {
    machine.budget.spendText(Math.min(left.length, right.length))
    return left < right ? -1 : left > right ? 1 : 0
  }
  throw mismatch(operator, left, right)
}

/** Whether two values are the same: null equals null, moments equal their ISO text, lists and maps compare deeply. */
export function equals(left: Value, right: Value, machine: Machine): boolean {
  machine.budget.spend(1)
  if (left === right) return true
  if (left === null || right === null) return false
  if (typeof left === 'string' && typeof right === 'string') {
    machine.budget.spendText(Math.min(left.length, right.length))
  }
  if (left instanceof Span && right instanceof Span) return left.ms === right.ms
  const instants = bothInstants(left, right, machine)
  if (instants !== null) return instants[0] === instants[1]
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => equals(jsonValue(item), jsonValue(right[index]), machine))
    )
  }
  if (isMap(left) && isMap(right)) {
    const names = Object.keys(left)
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && equals(memberOf(left, name), memberOf(right, name), machine))
    )
  }
  return false
}

/** Whether a list has the element, an object the key, or a text the part; nothing is in null. */
export function isIn(needle: Value, haystack: Value, machine: Machine): boolean {
  if (haystack === null) return false
  if (Array.isArray(haystack)) return haystack.some((item) => equals(jsonValue(item), needle, machine))
  if (typeof haystack === 'string') {
    if (needle === null) return false
    if (typeof needle !== 'string') throw mismatch('in', needle, haystack)
    return occurs(needle, haystack, machine.budget)
  }
  if (isMap(haystack)) return typeof needle === 'string' && Object.hasOwn(haystack, needle)
  throw mismatch('in', needle, haystack)
}

/** Whether one text occurs in another. */
export function occurs(needle: string, haystack: string, budget: Budget): boolean {
  budget.spendText(haystack.length + needle.length)
  return haystack.includes(needle)
}

/** What a condition is: true, false, or false for null. @throws ExpressionError `value` for anything else */
export function truth(value: Value): boolean {
  if (value === true) return true
  if (value === false || value === null) return false
  throw new ExpressionError('value', `A condition must be true or false, not a ${kindOf(value)}.`)
}

/** Two values as instants when both are moments or ISO texts; two equal-shaped plain texts stay texts. */
function bothInstants(left: Value, right: Value, machine: Machine): readonly [number, number] | null {
  const zone = machine.scope.timeZone
  const first = instantOf(left, zone)
  if (first === null) return null
  machine.budget.spend(stepsPerInstant)
  const second = instantOf(right, zone)
  return second === null ? null : [first, second]
}

/** The error of an operator or function that has no meaning for these kinds. */
export function mismatch(operator: string, left: Value, right: Value): ExpressionError {
  return new ExpressionError('value', `"${operator}" has no meaning for ${kindOf(left)} and ${kindOf(right)}.`)
}
