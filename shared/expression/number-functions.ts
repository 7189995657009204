// Functions over numbers, and the choice among values. Null gives null but for coalesce.
import { listArgument, numberArgument, wholeArgument, wrong } from './arguments.ts'
import type { ExpressionFunction, FunctionTable } from './functions.ts'
import type { Machine, Value } from './machine.ts'
import { Moment, Span } from './moments.ts'
import { compare, finite, jsonValue, kindOf } from './operators.ts'

function change(name: string, work: (value: number) => number): ExpressionFunction {
  return {
    least: 1,
    most: 1,
    result: 'number',
    run: ([value]) => (value === null ? null : finite(work(numberArgument(name, value)))),
  }
}

/** The smallest or largest of the arguments, or of one list; null when any of them is null. */
function extreme(name: string, sign: 1 | -1): ExpressionFunction {
  return {
    least: 1,
    most: 32,
    result: 'same',
    run(args, machine) {
      const values = args.length === 1 && !isSingle(args[0]) ? listArgument(name, args[0]) : args
      let best: Value | undefined
      for (const item of values) {
        machine.budget.spend(1)
        const value = jsonValue(item)
        if (value === null) return null
        if (best === undefined || sign * compare(name, value, best, machine)! > 0) best = value
      }
      return best ?? null
    },
  }
}

function isSingle(value: Value): boolean {
  return typeof value === 'number' || typeof value === 'string' || value instanceof Moment || value instanceof Span
}

/** Rounds half away from zero, as number fields do (D-94). */
function roundAway(value: number, digits: number): number {
  const places = Math.min(15, Math.max(-15, digits))
  const [mantissa, exponent = '0'] = Math.abs(value).toExponential().split('e')
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + places}`))
  const [head, power = '0'] = String(shifted).split('e')
  return Math.sign(value) * Number(`${head}e${Number(power) - places}`)
}

function toNumber(name: string, value: Value, machine: Machine): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof Moment) return value.ms / 1000
  if (value instanceof Span) return value.ms / 1000
  if (typeof value !== 'string') throw wrong(name, 'a number or text', value)
  machine.budget.spendText(value.length)
  const text = value.trim()
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? finite(Number(text)) : null
}

/** Number functions by name. A text that is no number becomes null. */
export const numberFunctions: FunctionTable = {
  abs: change('abs', Math.abs),
  floor: change('floor', Math.floor),
  ceil: change('ceil', Math.ceil),
  sqrt: change('sqrt', Math.sqrt),
  sign: change('sign', Math.sign),
  round: {
    least: 1,
    most: 2,
    result: 'number',
    run([value, digits]) {
      if (value === null || digits === null) return null
      return finite(
        roundAway(numberArgument('round', value), digits === undefined ? 0 : wholeArgument('round', digits)),
      )
    },
  },
  pow: {
    least: 2,
    most: 2,
    result: 'number',
    run: ([base, exponent]) =>
      base === null || exponent === null
        ? null
        : finite(numberArgument('pow', base) ** numberArgument('pow', exponent)),
  },
  min: extreme('min', -1),
  max: extreme('max', 1),
  int: {
    least: 1,
    most: 1,
    result: 'number',
    run([value], machine) {
      const number = value === null ? null : toNumber('int', value, machine)
      return number === null ? null : Math.trunc(number)
    },
  },
  uint: {
    least: 1,
    most: 1,
    result: 'number',
    run([value], machine) {
      const number = value === null ? null : toNumber('uint', value, machine)
      return number === null || number < 0 ? null : Math.trunc(number)
    },
  },
  double: {
    least: 1,
    most: 1,
    result: 'number',
    run: ([value], machine) => (value === null ? null : toNumber('double', value, machine)),
  },
  bool: {
    least: 1,
    most: 1,
    result: 'boolean',
    run([value]) {
      if (value === null || typeof value === 'boolean') return value
      if (value === 'true' || value === 1) return true
      if (value === 'false' || value === 0) return false
      throw wrong('bool', 'true or false', value)
    },
  },
  type: { least: 1, most: 1, result: 'text', run: ([value]) => kindOf(value) },
  dyn: { least: 1, most: 1, result: 'same', run: ([value]) => value },
  coalesce: { least: 1, most: 32, result: 'same', run: (args) => args.find((value) => value !== null) ?? null },
}
