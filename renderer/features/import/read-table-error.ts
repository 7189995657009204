// Owns the error of a source that is no table; apart from the reader, so that the page need not load the parser.
import type { TableProblem } from './table-types.ts'

/** A source that is no table, with the reason. */
export class TableError extends Error {
  readonly problem: TableProblem

  constructor(problem: TableProblem) {
    super(problem.reason)
    this.name = 'TableError'
    this.problem = problem
  }
}
