// Owns which problem of a refused request belongs beside which field of a form. Pure; knows no form.
import type { FieldError } from '#shared/errors.ts'
import { fieldProblemText } from './problem-text.ts'

/** What is told of one field. */
export type FieldProblem = Pick<FieldError, 'field' | 'code' | 'message'>

const isAt = (problem: FieldProblem, field: string): boolean =>
  problem.field === field || problem.field.startsWith(`${field}.`)

/** The sentence for a field, also when the problem is with a part of it; undefined for none. */
export function problemAt(problems: readonly FieldProblem[], field: string): string | undefined {
  const found = problems.find((problem) => isAt(problem, field))
  return found && fieldProblemText(found, true)
}

/** The problems that none of the fields shows. */
export function problemsElsewhere(problems: readonly FieldProblem[], fields: readonly string[]): FieldProblem[] {
  return problems.filter((problem) => !fields.some((field) => isAt(problem, field)))
}
