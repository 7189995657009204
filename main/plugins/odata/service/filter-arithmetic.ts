// Arithmetic and functions of texts with operands, as steps of the filter tree or worked out at once. Pure.
import type { ValueOperand, ValueStep } from '#shared/filter/value-functions.ts'
import type { FieldValue, Literal, Term } from './filter-values.ts'

/** Operators that bind less, and those that bind more. */
export const additive = ['add', 'sub'] as const
export const multiplicative = ['mul', 'div', 'divby', 'mod'] as const

/** An operator of arithmetic. */
export type ArithmeticWord = (typeof additive)[number] | (typeof multiplicative)[number]

/** Functions of texts that take more than the text. */
export const textFunctions = ['concat', 'indexof', 'substring'] as const

/** One of {@link textFunctions}. */
export type TextFunction = (typeof textFunctions)[number]

const turned = { sub: 'subFrom', div: 'divFrom', divby: 'divbyFrom', mod: 'modFrom', concat: 'concatFrom' } as const

/** Most functions and operators over one value. */
const maxSteps = 16

/** Why a term cannot be made; `unsupported` where the protocol has it and the tree has not. */
export interface TermProblem {
  readonly kind: 'problem'
  readonly reason: string
  readonly unsupported: boolean
}

/** Works out two terms. Null is no number: what is worked out with it is null. */
export function calculate(left: Term, word: ArithmeticWord, right: Term): Term | TermProblem {
  if (left.kind === 'literal' && right.kind === 'literal') return calculateLiterals(left.value, word, right.value)
  return join(left, word, right, word === 'add' || word === 'mul' ? word : turned[word])
}

/** Works out a function of a text. */
export function applyTextFunction(name: TextFunction, [text, ...besides]: readonly Term[]): Term | TermProblem {
  const most = name === 'substring' ? 2 : 1
  if (text === undefined || besides.length === 0 || besides.length > most)
    return problem(`"${name}" does not take ${besides.length + (text === undefined ? 0 : 1)} values`)
  if (name === 'concat') {
    const [other] = besides
    if (text.kind !== 'literal' || other!.kind !== 'literal') return join(text, 'concat', other!, turned.concat)
    if (text.value === null || other!.value === null) return literal(null)
    if (typeof text.value !== 'string' || typeof other!.value !== 'string') return problem('"concat" takes texts')
    return literal(text.value + other!.value)
  }
  if (besides.some(({ kind }) => kind === 'path')) return problem(`"${name}" of these values`, true)
  const given = besides.map((term) => (term.kind === 'literal' ? term.value : undefined))
  if (given.includes(null)) return literal(null)
  const operands = given.filter((value): value is string | number => isOperand(name, value))
  if (operands.length < given.length)
    return problem(`"${name}" takes ${name === 'indexof' ? 'a text' : 'whole numbers that are not negative'}`)
  if (text.kind === 'path') return withStep(text, { name, besides: operands })
  if (text.kind !== 'literal' || (text.value !== null && typeof text.value !== 'string'))
    return problem(`"${name}" does not take this value`)
  return literal(text.value === null ? null : ofText(name, text.value, operands))
}

function isOperand(name: TextFunction, value: unknown): boolean {
  if (name === 'indexof') return typeof value === 'string' && !value.includes('\0')
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function ofText(name: TextFunction, text: string, [first, second]: readonly (string | number)[]): string | number {
  const points = [...text]
  if (name === 'indexof') {
    const at = text.indexOf(String(first))
    return at < 0 ? -1 : [...text.slice(0, at)].length
  }
  const start = Number(first)
  return points.slice(start, second === undefined ? undefined : start + Number(second)).join('')
}

/** A step over the side that is worked out already; the other one is a literal or a plain field of the record. */
function join(
  left: Term,
  name: ArithmeticWord | 'concat',
  right: Term,
  turnedName: ValueStep['name'],
): Term | TermProblem {
  if (left.kind === 'literal' && left.value === null && right.kind === 'path') return literal(null)
  if (right.kind === 'literal' && right.value === null && left.kind === 'path') return literal(null)
  const besides = operandOf(right)
  if (left.kind === 'path' && besides !== null) return withStep(left, { name, besides: [besides] })
  const before = operandOf(left)
  if (right.kind === 'path' && before !== null) return withStep(right, { name: turnedName, besides: [before] })
  if (left.kind === 'path' && right.kind === 'path') return problem('This expression of several values', true)
  return problem(`"${name}" does not take these values`)
}

function operandOf(term: Term): ValueOperand | null {
  if (term.kind === 'path') return term.functions.length === 0 ? { $field: term.path.join('.') } : null
  if (term.kind !== 'literal') return null
  const { value } = term
  return typeof value === 'number' || (typeof value === 'string' && !value.includes('\0')) ? value : null
}

function withStep(value: FieldValue, step: ValueStep): Term | TermProblem {
  if (value.functions.length >= maxSteps) return problem(`there are more than ${maxSteps} operations on one value`)
  return { ...value, functions: [...value.functions, step] }
}

function calculateLiterals(left: Literal['value'], word: ArithmeticWord, right: Literal['value']): Term | TermProblem {
  if (left === null || right === null) return literal(null)
  if (typeof left !== 'number' || typeof right !== 'number') return problem(`"${word}" takes numbers`)
  if (right === 0 && word !== 'add' && word !== 'sub' && word !== 'mul') return problem('a division by zero')
  const isWhole = Number.isInteger(left) && Number.isInteger(right)
  const results: Record<ArithmeticWord, () => number> = {
    add: () => left + right,
    sub: () => left - right,
    mul: () => left * right,
    div: () => (isWhole ? Math.trunc(left / right) : left / right),
    divby: () => left / right,
    mod: () => left % right,
  }
  const result = results[word]()
  return Number.isFinite(result) ? literal(result) : problem('the number is too large')
}

function literal(value: Literal['value']): Literal {
  return { kind: 'literal', value }
}

function problem(reason: string, unsupported = false): TermProblem {
  return { kind: 'problem', reason, unsupported }
}
