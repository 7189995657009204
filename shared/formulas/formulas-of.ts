// The formulas of a compiled object, ready to run over records. Knows no rows: values are in the JSON form of D-94.
import { dateInZone, formatInstant } from '#shared/calendar/iso.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import { instantOf, isDay } from '#shared/expression/moments.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { AnalysedFormula, FormulaReturnType } from './analyse-formulas.ts'
import { analyseFormulas } from './analyse-formulas.ts'

/** One formula of an object. */
export interface Formula extends AnalysedFormula {
  readonly schema: FieldSchema
  /** Every field that is no formula and that the value is made from, through other formulas too. */
  readonly sources: readonly FieldSchema[]
}

/** The formulas of an object, each after those it reads. */
export interface Formulas {
  readonly stored: readonly Formula[]
  readonly onRead: readonly Formula[]
}

/** When and where a formula is evaluated. */
export interface FormulaMoment {
  /** The present instant in milliseconds. */
  readonly now: number
  /** IANA zone of the workspace. */
  readonly timeZone: string
}

const cache = new WeakMap<ObjectSchema, Formulas>()
const none: Formulas = Object.freeze({ stored: [], onRead: [] })

/** The formulas of an object; the same value for the same schema. */
export function formulasOf(schema: ObjectSchema): Formulas {
  let formulas = cache.get(schema)
  if (formulas === undefined) {
    formulas = compile(schema)
    cache.set(schema, formulas)
  }
  return formulas
}

/** The value of a formula over a record; null when it cannot be computed, as for text where a number is needed. */
export function evaluateFormula(
  formula: Pick<Formula, 'expression' | 'returnType'>,
  record: Readonly<Record<string, unknown>>,
  moment: FormulaMoment,
): unknown {
  try {
    return toReturnType(formula.expression.evaluate({ record, ...moment }), formula.returnType, moment.timeZone)
  } catch (error) {
    // A record must not become unwritable or unreadable because one of its figures cannot be computed.
    if (error instanceof ExpressionError) return null
    throw error
  }
}

function compile(schema: ObjectSchema): Formulas {
  if (!schema.fields.some((field) => field.type === 'formula')) return none
  const analysed = analyseFormulas(schema.definition.fields).formulas
  const sources = new Map<string, ReadonlySet<FieldSchema>>()
  const formulas = analysed.map((formula): Formula => {
    const own = new Set<FieldSchema>()
    for (const name of formula.expression.fields) {
      const field = schema.byName.get(name)
      for (const source of sources.get(name) ?? (field === undefined ? [] : [field])) own.add(source)
    }
    sources.set(formula.field, own)
    return { ...formula, schema: schema.byName.get(formula.field)!, sources: [...own] }
  })
  return {
    stored: formulas.filter((formula) => !formula.computedOnRead),
    onRead: formulas.filter((formula) => formula.computedOnRead),
  }
}

function toReturnType(value: unknown, type: FormulaReturnType, zone: string): unknown {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'text':
      return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
    case 'date': {
      if (isDay(value)) return value
      const ms = instantOf(value, zone)
      return ms === null ? null : dateInZone(ms, zone)
    }
    case 'datetime': {
      const ms = instantOf(value, zone)
      return ms === null ? null : formatInstant(ms)
    }
  }
}
