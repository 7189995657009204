// Functions over lists. Null is the empty list.
import { listArgument, numberArgument, wholeArgument, wrong } from './arguments.ts'
import type { FunctionTable } from './functions.ts'
import type { Machine, Value } from './machine.ts'
import { compare, equals, finite, isMap, jsonValue } from './operators.ts'

/** List functions by name. */
export const listFunctions: FunctionTable = {
  size: {
    least: 1,
    most: 1,
    result: 'number',
    run([value], machine) {
      if (value === null) return 0
      if (Array.isArray(value)) return value.length
      if (isMap(value)) return Object.keys(value).length
      if (typeof value !== 'string') throw wrong('size', 'a text, list or map', value)
      machine.budget.spendText(value.length)
      let count = 0
      for (const point of value) count += point === '' ? 0 : 1
      return count
    },
  },
  sum: {
    least: 1,
    most: 1,
    result: 'number',
    run: ([value], machine) => total(items('sum', value, machine)),
  },
  avg: {
    least: 1,
    most: 1,
    result: 'number',
    run([value], machine) {
      const numbers = items('avg', value, machine).filter((item) => item !== null)
      return numbers.length === 0 ? null : finite(total(numbers)! / numbers.length)
    },
  },
  first: { least: 1, most: 1, result: 'any', run: ([value], machine) => items('first', value, machine)[0] ?? null },
  last: { least: 1, most: 1, result: 'any', run: ([value], machine) => items('last', value, machine).at(-1) ?? null },
  sort: {
    least: 1,
    most: 1,
    result: 'list',
    run([value], machine) {
      return [...items('sort', value, machine)].sort((left, right) => {
        machine.budget.spend(1)
        if (left === null || right === null) return Number(right === null) - Number(left === null)
        return compare('sort', left, right, machine)!
      })
    },
  },
  distinct: {
    least: 1,
    most: 1,
    result: 'list',
    run([value], machine) {
      const found: Value[] = []
      for (const item of items('distinct', value, machine)) {
        if (!found.some((other) => equals(item, other, machine))) found.push(item)
      }
      return found
    },
  },
  reverse: {
    least: 1,
    most: 1,
    result: 'same',
    run([value], machine) {
      if (typeof value !== 'string') return [...items('reverse', value, machine)].reverse()
      machine.budget.spendText(value.length * 4)
      return Array.from(value).reverse().join('')
    },
  },
  slice: {
    least: 2,
    most: 3,
    result: 'list',
    run([value, from, to], machine) {
      return items('slice', value, machine).slice(
        Math.max(0, wholeArgument('slice', from)),
        to === undefined ? undefined : Math.max(0, wholeArgument('slice', to)),
      )
    },
  },
}

function items(name: string, value: Value, machine: Machine): readonly Value[] {
  const list = listArgument(name, value)
  machine.budget.spend(list.length)
  return list.map(jsonValue)
}

/** The sum of the numbers that are there; nulls are left out, nothing gives 0. */
function total(values: readonly Value[]): number | null {
  return finite(values.reduce<number>((sum, value) => (value === null ? sum : sum + numberArgument('sum', value)), 0))
}
