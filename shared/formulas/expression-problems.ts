// How problems of expressions are told to the author of a definition (D-22).
import type { FieldError } from '#shared/errors.ts'
import type { Expression } from '#shared/expression/compile-expression.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import { valueTypeOfSystemField } from './value-type-of-field.ts'

/** One problem of an expression at a path of the definition; syntax errors carry their offset as `constraint`. */
export function expressionProblem(path: string, problem: ExpressionError | string): FieldError {
  if (typeof problem === 'string') return { field: path, code: 'expression_error', message: problem }
  return { field: path, code: 'expression_error', message: problem.message, constraint: { position: problem.position } }
}

/** The fields an expression names that the object does not have. */
export function unknownFieldProblems(
  path: string,
  expression: Expression,
  isField: (name: string) => boolean,
): FieldError[] {
  return expression.fields
    .filter((name) => !isField(name) && valueTypeOfSystemField(name) === undefined)
    .map((name) => ({
      field: path,
      code: 'unknown_field' as const,
      message: `The object has no field "${name.slice(0, 100)}".`,
      value: name,
    }))
}

/**
 * The problems of an expression in a definition.
 * @param isField null when the fields are not known: then only the text is checked
 */
export function checkExpression(
  path: string,
  source: unknown,
  isField: ((name: string) => boolean) | null,
): FieldError[] {
  try {
    const expression = compileExpression(source)
    return isField === null ? [] : unknownFieldProblems(path, expression, isField)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return [expressionProblem(path, error)]
  }
}
