// What the formulas of an object are, told from its definition: their order, their types, which exist on reading only,
// and everything that is wrong with them.
import type { FieldError } from '#shared/errors.ts'
import type { Expression } from '#shared/expression/compile-expression.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import type { ValueType } from '#shared/expression/infer-type.ts'
import { inferResultType } from '#shared/expression/infer-type.ts'
import { findFieldType } from '#shared/field-types/registry.ts'
import { expressionProblem, unknownFieldProblems } from './expression-problems.ts'
import { valueTypeOfField, valueTypeOfSystemField } from './value-type-of-field.ts'

/** What a formula answers; the values of `returnType`. */
export type FormulaReturnType = 'text' | 'number' | 'boolean' | 'date' | 'datetime'

/** One formula of an object. */
export interface AnalysedFormula {
  readonly field: string
  readonly expression: Expression
  readonly returnType: FormulaReturnType
  /** True when its value, or one it is made from, follows the clock: it is computed on reading and never stored. */
  readonly computedOnRead: boolean
}

/** Every formula of an object that can be evaluated, each after those it reads, and the problems of the others. */
export interface FormulaAnalysis {
  readonly formulas: readonly AnalysedFormula[]
  readonly errors: readonly FieldError[]
}

type FieldDefinitions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const none: FormulaAnalysis = Object.freeze({ formulas: [], errors: [] })
const allowedRoots: ReadonlySet<string> = new Set(['record', 'now'])

/** Analyses the formulas among the fields of a definition. @source D-94 */
export function analyseFormulas(fields: FieldDefinitions): FormulaAnalysis {
  const names = Object.keys(fields).filter((name) => fields[name]?.['type'] === 'formula')
  if (names.length === 0) return none
  const errors: FieldError[] = []
  const compiled = new Map<string, Expression>()
  for (const name of names) {
    const expression = compileFormula(name, fields, errors)
    if (expression !== null) compiled.set(name, expression)
  }
  const done = new Map<string, AnalysedFormula>()
  const open = new Set<string>()
  const visit = (name: string): void => {
    const expression = compiled.get(name)
    if (expression === undefined || done.has(name)) return
    if (open.has(name)) {
      errors.push(
        expressionProblem(`fields.${name}.expression`, 'The formula reads itself, directly or through others.'),
      )
      compiled.delete(name)
      return
    }
    open.add(name)
    for (const field of expression.fields) visit(field)
    open.delete(name)
    if (!compiled.has(name)) return
    const formula = analyse(name, expression, fields, done, errors)
    if (formula !== null) done.set(name, formula)
  }
  for (const name of names) visit(name)
  return { formulas: [...done.values()], errors }
}

function compileFormula(name: string, fields: FieldDefinitions, errors: FieldError[]): Expression | null {
  const path = `fields.${name}.expression`
  let expression: Expression
  try {
    expression = compileExpression(fields[name]?.['expression'])
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    errors.push(expressionProblem(path, error))
    return null
  }
  const before = errors.length
  for (const root of expression.roots) {
    if (!allowedRoots.has(root)) {
      errors.push(expressionProblem(path, `A formula is made from its own record; it cannot read "${root}".`))
    }
  }
  if (expression.readsWholeRecord) {
    errors.push(expressionProblem(path, 'A formula names the fields it reads, as in record.amount.'))
  }
  errors.push(...unknownFieldProblems(path, expression, (field) => Object.hasOwn(fields, field)))
  for (const field of expression.fields) {
    if (Object.hasOwn(fields, field) && findFieldType(fields[field]?.['type'])?.concealed !== undefined) {
      errors.push(expressionProblem(path, `The value of "${field}" is concealed.`))
    }
  }
  return errors.length === before ? expression : null
}

function analyse(
  name: string,
  expression: Expression,
  fields: FieldDefinitions,
  done: ReadonlyMap<string, AnalysedFormula>,
  errors: FieldError[],
): AnalysedFormula | null {
  const path = `fields.${name}.expression`
  const typeOf = (field: string): ValueType =>
    done.get(field)?.returnType ??
    valueTypeOfSystemField(field) ??
    (fields[field]?.['type'] === 'formula' ? 'unknown' : valueTypeOfField(fields[field] ?? {}))
  let inferred: ValueType
  try {
    inferred = inferResultType(expression, typeOf)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    errors.push(expressionProblem(path, error))
    return null
  }
  const declared = fields[name]?.['returnType'] as FormulaReturnType | undefined
  if (declared !== undefined && !fits(inferred, declared)) {
    errors.push({
      field: `fields.${name}.returnType`,
      code: 'invalid_option',
      message: `The expression gives a ${inferred}, not a ${declared}.`,
      value: declared,
    })
    return null
  }
  return {
    field: name,
    expression,
    returnType: declared ?? returnTypeOf(inferred),
    computedOnRead: expression.usesClock || expression.fields.some((field) => done.get(field)?.computedOnRead === true),
  }
}

function returnTypeOf(type: ValueType): FormulaReturnType {
  return type === 'number' || type === 'boolean' || type === 'date' || type === 'datetime' ? type : 'text'
}

/** Any value can be written as text, and texts may hold dates. */
function fits(type: ValueType, declared: FormulaReturnType): boolean {
  if (type === 'unknown' || type === 'null' || declared === 'text' || type === declared) return true
  return (declared === 'date' || declared === 'datetime') && (type === 'text' || type === 'date' || type === 'datetime')
}
