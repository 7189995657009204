// Functions a condition may apply to a value before it is tested: what they take, and what they give. Pure; written as SQL
// by the query builder.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** What a value is to a function. */
type ValueKind = 'text' | 'number' | 'date' | 'datetime' | 'time'

/** Every function with the kinds of values it takes, and the field type whose rules its result follows. */
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
} as const satisfies Record<string, { readonly takes: readonly ValueKind[]; readonly gives: ValueKind }>

/** The name of a function over a value. */
export type ValueFunction = keyof typeof functions

/** One function with the kind of value it is given, which decides how it is written. */
export interface AppliedFunction {
  readonly name: ValueFunction
  readonly takes: ValueKind
}

/**
 * Applies functions, the innermost first, to a field or to a value inside of its JSON.
 * @returns a made-up field in the same column that stands for the result, or the name of the function that does not take
 * what it is given
 */
export function applyFunctions(
  field: FieldSchema,
  isInner: boolean,
  names: readonly ValueFunction[],
): { readonly field: FieldSchema; readonly applied: readonly AppliedFunction[] } | { readonly refused: ValueFunction } {
  let kind = isInner ? 'text' : kindOf(field)
  const applied: AppliedFunction[] = []
  for (const name of names) {
    const { takes, gives } = functions[name]
    if (kind === null || !(takes as readonly ValueKind[]).includes(kind)) return { refused: name }
    applied.push({ name, takes: kind })
    kind = gives
  }
  return { field: resultField(field, kind ?? 'text'), applied }
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

/** Null for what functions take nothing of: lists, links, flags, and values that no condition may compare. */
function kindOf(field: FieldSchema): ValueKind | null {
  const type = fieldTypeOf(field)
  if (field.multiple || type.relation === true || !operatorClasses[type.operators(field)].has('$eq')) return null
  if (type.calendar !== undefined) return type.calendar
  if (type.storage !== 'plain' && type.storage !== 'converted') return null
  return field.sqlType === 'TEXT' ? 'text' : 'number'
}
