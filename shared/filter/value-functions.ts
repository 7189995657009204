// Functions a condition may apply to a value before it is tested: what they take, and what they give. Pure; written as SQL
// by the query builder.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** What a value is to a function. */
type ValueKind = 'text' | 'number' | 'date' | 'datetime' | 'time' | 'list'

interface FunctionRule {
  readonly takes: readonly ValueKind[]
  readonly gives: Exclude<ValueKind, 'list'>
  /** Kinds of what it is given beside the value. */
  readonly besides?: readonly ('text' | 'number')[]
}

const arithmetic = { takes: ['number'], gives: 'number', besides: ['number'] } as const
const joining = { takes: ['text'], gives: 'text', besides: ['text'] } as const

/**
 * Every function with the kinds of values it takes, and the field type whose rules its result follows. Those that end in
 * `From` have what is beside the value on their left.
 */
const functions = {
  lower: { takes: ['text'], gives: 'text' },
  upper: { takes: ['text'], gives: 'text' },
  trim: { takes: ['text'], gives: 'text' },
  length: { takes: ['text'], gives: 'number' },
  year: { takes: ['date', 'datetime'], gives: 'number' },
  month: { takes: ['date', 'datetime'], gives: 'number' },
  day: { takes: ['date', 'datetime'], gives: 'number' },
  hour: { takes: ['datetime', 'time'], gives: 'number' },
  minute: { takes: ['datetime', 'time'], gives: 'number' },
  second: { takes: ['datetime', 'time'], gives: 'number' },
  date: { takes: ['date', 'datetime'], gives: 'date' },
  time: { takes: ['datetime', 'time'], gives: 'time' },
  round: { takes: ['number'], gives: 'number' },
  floor: { takes: ['number'], gives: 'number' },
  ceiling: { takes: ['number'], gives: 'number' },
  count: { takes: ['list'], gives: 'number' },
  add: arithmetic,
  sub: arithmetic,
  subFrom: arithmetic,
  mul: arithmetic,
  div: arithmetic,
  divFrom: arithmetic,
  divby: arithmetic,
  divbyFrom: arithmetic,
  mod: arithmetic,
  modFrom: arithmetic,
  concat: joining,
  concatFrom: joining,
  indexof: { takes: ['text'], gives: 'number', besides: ['text'] },
  substring: { takes: ['text'], gives: 'text', besides: ['number', 'number'] },
} as const satisfies Record<string, FunctionRule>

/** The name of a function over a value. */
export type ValueFunction = keyof typeof functions

/** What a function is given beside the value: a literal, or another field of the same record. */
export type ValueOperand = string | number | { readonly $field: string }

/** One function of a condition. */
export interface ValueStep {
  readonly name: ValueFunction
  readonly besides?: readonly ValueOperand[]
}

/** One function with the kind of value it is given, which decides how it is written. */
export interface AppliedFunction {
  readonly name: ValueFunction
  readonly takes: ValueKind
  readonly besides: readonly (string | number | FieldSchema)[]
}

/**
 * Applies functions, the innermost first, to a field or to a value inside of its JSON.
 * @param fieldOf finds a field that stands beside the value; throws for what the caller may not read
 * @returns a made-up field in the same column that stands for the result, or the name of the function that does not take
 * what it is given
 */
export function applyFunctions(
  field: FieldSchema,
  isInner: boolean,
  steps: readonly ValueStep[],
  fieldOf: (name: string) => FieldSchema,
): { readonly field: FieldSchema; readonly applied: readonly AppliedFunction[] } | { readonly refused: ValueFunction } {
  let kind = isInner ? 'text' : kindOf(field)
  const applied: AppliedFunction[] = []
  for (const { name, besides = [] } of steps) {
    const rule: FunctionRule = functions[name]
    if (kind === null || !rule.takes.includes(kind)) return { refused: name }
    const given = besides.map((operand) => (typeof operand === 'object' ? fieldOf(operand.$field) : operand))
    if (given.some((operand, index) => operandKind(operand) !== rule.besides?.[index])) return { refused: name }
    applied.push({ name, takes: kind, besides: given })
    kind = rule.gives
  }
  return { field: resultField(field, kind ?? 'text'), applied }
}

function operandKind(operand: string | number | FieldSchema): ValueKind | null {
  if (typeof operand === 'object') return kindOf(operand)
  return typeof operand === 'string' ? 'text' : 'number'
}

/** A field of a plain type that stands for a value worked out of another field. */
export function resultField(field: FieldSchema, type: string): FieldSchema {
  return {
    ...field,
    type,
    sqlType: type === 'number' ? 'REAL' : 'TEXT',
    multiple: false,
    caseSensitive: true,
    options: [],
    reference: null,
    inner: [],
    settings: {},
  }
}

/** Null for what functions take nothing of: links, flags, and values that no condition may compare. */
function kindOf(field: FieldSchema): ValueKind | null {
  const type = fieldTypeOf(field)
  if (field.multiple) return type.relation === true || type.elementType !== undefined ? 'list' : null
  if (type.relation === true || !operatorClasses[type.operators(field)].has('$eq')) return null
  if (type.calendar !== undefined) return type.calendar
  if (type.storage !== 'plain' && type.storage !== 'converted') return null
  return field.sqlType === 'TEXT' ? 'text' : 'number'
}
