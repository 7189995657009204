// Checks every expression an object's definition holds: formulas, defaults, conditions of required and shown fields.
import type { FieldError } from '#shared/errors.ts'
import type { AnalysedFormula } from './analyse-formulas.ts'
import { analyseFormulas } from './analyse-formulas.ts'
import { checkExpression } from './expression-problems.ts'

/** The problems of the expressions in the fields of a definition that is otherwise right. @source D-93, D-94, D-97 */
export function checkDefinitionExpressions(
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): FieldError[] {
  const isField = (name: string): boolean => Object.hasOwn(fields, name)
  const { formulas, errors } = analyseFormulas(fields)
  const problems = [
    ...errors,
    ...formulas.filter((formula) => formula.computedOnRead).flatMap(unstoredProblems(fields)),
  ]
  for (const [name, field] of Object.entries(fields)) {
    for (const key of ['conditionalRequired', 'visibleOn']) {
      const source = field[key]
      if (source === undefined || source === null || source === '') continue
      problems.push(...checkExpression(`fields.${name}.${key}`, source, isField))
    }
    const source = defaultExpression(field['defaultValue'])
    if (source !== undefined) problems.push(...checkExpression(`fields.${name}.defaultValue`, source, isField))
  }
  return problems
}

/** The expression of a default written as `{expression}`; undefined for other defaults. @source D-93 */
export function defaultExpression(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, 'expression') ? (value as { expression: unknown }).expression : undefined
}

/** What needs a stored value cannot be asked of a formula that follows the clock. @source D-94 */
function unstoredProblems(
  fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): (formula: AnalysedFormula) => FieldError[] {
  return ({ field }) =>
    ['unique', 'externalId', 'index', 'searchable']
      .filter((key) => fields[field]?.[key] === true)
      .map((key) => ({
        field: `fields.${field}.${key}`,
        code: 'not_allowed' as const,
        message: 'The value of a formula that follows the clock is not stored.',
      }))
}
