// Functions over texts. Null gives null, or false where the answer is a boolean.
import { countCodePoints } from '../field-types/code-points.ts'
import { listArgument, numberArgument, textArgument, wholeArgument, wrong } from './arguments.ts'
import { maxText } from './budget.ts'
import type { ExpressionFunction, FunctionTable } from './functions.ts'
import type { Machine, Value } from './machine.ts'
import { isMap, jsonValue, memberOf, occurs } from './operators.ts'
import { compilePattern, isCompiled } from './user-pattern.ts'

/** What reading a pattern costs that was not used of late. */
const stepsPerPattern = 2_000

/** Where the N-th character begins, in units of UTF-16; behind the text its end, and before it what it was. */
function unitAt(text: string, place: number): number {
  let unit = 0
  for (let seen = 0; seen < place; seen += 1) {
    if (unit >= text.length) return unit
    unit += text.codePointAt(unit)! > 0xffff ? 2 : 1
  }
  return place < 0 ? place : unit
}

/** A text from one text. */
function change(name: string, work: (text: string) => string): ExpressionFunction {
  return {
    least: 1,
    most: 1,
    result: 'text',
    run([value], machine) {
      if (value === null) return null
      const text = textArgument(name, value)
      machine.budget.spendText(text.length)
      const changed = work(text)
      machine.budget.spendMade(changed.length)
      return changed
    },
  }
}

/** A yes or no about two texts. */
function ask(name: string, work: (text: string, other: string, machine: Machine) => boolean): ExpressionFunction {
  return {
    least: 2,
    most: 2,
    result: 'boolean',
    run([value, other], machine) {
      if (value === null || other === null) return false
      return work(textArgument(name, value), textArgument(name, other), machine)
    },
  }
}

/** The place of a part in a text, −1 when it is not in it. */
function place(
  name: string,
  find: (text: string, part: string, fromUnit: number | undefined) => number,
): ExpressionFunction {
  return {
    least: 2,
    most: 3,
    result: 'number',
    run([value, part, from], machine) {
      if (value === null || part === null) return null
      const text = textArgument(name, value)
      machine.budget.spendText(text.length)
      const fromUnit = from === undefined ? undefined : unitAt(text, wholeArgument(name, from))
      const found = find(text, textArgument(name, part), fromUnit)
      return found < 1 ? found : countCodePoints(text.slice(0, found))
    },
  }
}

const lower = change('lower', (text) => text.toLowerCase())
const upper = change('upper', (text) => text.toUpperCase())

/** Text functions by name. */
export const textFunctions: FunctionTable = {
  lower,
  upper,
  lowerAscii: change('lowerAscii', (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  upperAscii: change('upperAscii', (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())),
  trim: change('trim', (text) => text.trim()),
  startsWith: ask('startsWith', (text, start) => text.startsWith(start)),
  endsWith: ask('endsWith', (text, end) => text.endsWith(end)),
  matches: ask('matches', (text, pattern, machine) => {
    machine.budget.spendText(text.length + pattern.length * 8)
    const isKnown = isCompiled(pattern)
    machine.budget.look()
    if (!isKnown) machine.budget.spend(stepsPerPattern)
    const found = compilePattern(pattern).occursIn(text)
    machine.budget.look()
    return found
  }),
  contains: {
    least: 2,
    most: 2,
    result: 'boolean',
    run([value, part], machine) {
      if (value === null || part === null) return false
      if (Array.isArray(value)) {
        machine.budget.spend(value.length)
        return value.includes(part)
      }
      return occurs(textArgument('contains', part), textArgument('contains', value), machine.budget)
    },
  },
  indexOf: place('indexOf', (text, part, from) => text.indexOf(part, from)),
  lastIndexOf: place('lastIndexOf', (text, part, from) => text.lastIndexOf(part, from)),
  charAt: {
    least: 2,
    most: 2,
    result: 'text',
    run([value, index], machine) {
      if (value === null || index === null) return null
      const text = textArgument('charAt', value)
      machine.budget.spendText(text.length)
      const point = text.codePointAt(unitAt(text, wholeArgument('charAt', index)))
      return point === undefined ? '' : String.fromCodePoint(point)
    },
  },
  substring: {
    least: 2,
    most: 3,
    result: 'text',
    run([value, from, to], machine) {
      if (value === null || from === null || to === null) return null
      const text = textArgument('substring', value)
      machine.budget.spendText(text.length)
      return text.slice(
        Math.max(0, unitAt(text, wholeArgument('substring', from))),
        to === undefined ? undefined : Math.max(0, unitAt(text, wholeArgument('substring', to))),
      )
    },
  },
  replace: {
    least: 3,
    most: 4,
    result: 'text',
    run([value, old, fresh, limit], machine) {
      if (value === null || old === null || fresh === null) return null
      const text = textArgument('replace', value)
      const most = limit === undefined ? Infinity : numberArgument('replace', limit)
      const parts = splitText(text, textArgument('replace', old), machine)
      const inserted = textArgument('replace', fresh)
      const kept = Math.min(parts.length - 1, Math.max(0, most))
      machine.budget.spendMade(text.length + kept * inserted.length)
      return parts.slice(0, kept + 1).join(inserted) + tail(parts, kept + 1, old as string)
    },
  },
  split: {
    least: 2,
    most: 3,
    result: 'list',
    run([value, separator, limit], machine) {
      if (value === null || separator === null) return null
      const mark = textArgument('split', separator)
      const parts = splitText(textArgument('split', value), mark, machine)
      if (limit === undefined || limit === null) return parts
      const most = wholeArgument('split', limit)
      if (most < 0 || most >= parts.length) return parts
      if (most === 0) return []
      return [...parts.slice(0, most - 1), parts.slice(most - 1).join(mark)]
    },
  },
  join: {
    least: 1,
    most: 2,
    result: 'text',
    run([value, separator], machine) {
      if (value === null) return null
      const mark = separator === undefined || separator === null ? '' : textArgument('join', separator)
      return joinAll(listArgument('join', value), mark, machine)
    },
  },
  string: {
    least: 1,
    most: 1,
    result: 'text',
    run: ([value], machine) => (value === null ? null : textOf(value!, machine)),
  },
  format: {
    least: 1,
    most: 1,
    result: 'text',
    run: ([value], machine) => (value === null ? '' : textOf(value!, machine)),
  },
  isBlank: {
    least: 1,
    most: 1,
    result: 'boolean',
    run([value], machine) {
      if (value === null) return true
      if (typeof value === 'string') {
        machine.budget.spendText(value.length)
        return value.trim() === ''
      }
      return Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0
    },
  },
}

function splitText(text: string, mark: string, machine: Machine): string[] {
  machine.budget.spendText(text.length + mark.length)
  const parts = mark === '' ? Array.from(text) : text.split(mark)
  machine.budget.spend(parts.length)
  return parts
}

/** What follows the replaced occurrences, with the ones that stay. */
function tail(parts: readonly string[], from: number, mark: string): string {
  return parts
    .slice(from)
    .map((part) => mark + part)
    .join('')
}

function joinAll(items: readonly Value[], mark: string, machine: Machine): string {
  let text = ''
  items.forEach((item, index) => {
    const part = jsonValue(item) === null ? '' : textOf(jsonValue(item), machine)
    if (text.length + part.length + mark.length > maxText) machine.budget.spendMade(maxText + 1)
    machine.budget.spendText(part.length + mark.length)
    text += index === 0 ? part : mark + part
  })
  return text
}

/** A value as text: numbers and booleans as written in JSON, moments in ISO, lists with commas. */
function textOf(value: Value, machine: Machine): string {
  machine.budget.spend(1)
  if (typeof value === 'string') {
    machine.budget.spendText(value.length)
    return value
  }
  if (Array.isArray(value)) return joinAll(value as Value[], ', ', machine)
  if (isMap(value)) {
    const names = Object.keys(value)
    return joinAll(
      names.map((name) => memberOf(value, name)),
      ', ',
      machine,
    )
  }
  if (value === null || value === undefined) throw wrong('string', 'a value', null)
  return String(value)
}
