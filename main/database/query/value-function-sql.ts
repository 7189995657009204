// Functions over values as SQL. Timestamps are stored in UTC and as text of a fixed form, so their parts stand at fixed
// places.
import type { AppliedFunction } from '#shared/filter/value-functions.ts'
import { quoteLiteral } from '../schema/sql-text.ts'
import type { Scope } from './scope.ts'
import { column } from './scope.ts'

/** Blanks that trimming takes away, as SQL: SQLite's own takes spaces alone. */
const blanks = 'char(9, 10, 11, 12, 13, 32, 160)'

/** SQL of a value after the functions, the innermost first; null stays null. */
export function applySql(scope: Scope, sql: string, functions: readonly AppliedFunction[] | undefined): string {
  return functions === undefined ? sql : functions.reduce((inner, applied) => writeFunction(scope, inner, applied), sql)
}

function writeFunction(scope: Scope, sql: string, { name, takes, besides }: AppliedFunction): string {
  // A comparison may write the value twice, so nothing beside it is bound.
  const [other = '', more] = besides.map((operand) =>
    typeof operand === 'object' ? column(scope, operand.column) : quoteLiteral(operand),
  )
  const part = (start: number, length: number): string => `substr(${sql}, ${start}, ${length})`
  const number = (start: number, length: number): string => `CAST(${part(start, length)} AS INTEGER)`
  // Behind the date and the letter T of a timestamp, at the very beginning of a time of day.
  const clock = takes === 'time' ? 1 : 12
  switch (name) {
    case 'lower':
      return `cairn_lower(${sql})`
    case 'upper':
      return `cairn_upper(${sql})`
    case 'trim':
      return `trim(${sql}, ${blanks})`
    case 'length':
      return `length(${sql})`
    case 'year':
      return number(1, 4)
    case 'month':
      return number(6, 2)
    case 'day':
      return number(9, 2)
    case 'hour':
      return number(clock, 2)
    case 'minute':
      return number(clock + 3, 2)
    case 'second':
      return number(clock + 6, 2)
    case 'date':
      return part(1, 10)
    case 'time':
      return part(clock, 8)
    case 'round':
      return `round(${sql})`
    case 'floor':
      return `floor(${sql})`
    case 'ceiling':
      return `ceil(${sql})`
    case 'count':
      return `coalesce(json_array_length(${sql}), 0)`
    case 'add':
      return `(${sql} + ${other})`
    case 'sub':
      return `(${sql} - ${other})`
    case 'subFrom':
      return `(${other} - ${sql})`
    case 'mul':
      return `(${sql} * ${other})`
    // Of two whole numbers the whole part, as SQLite divides too.
    case 'div':
      return `(${sql} / ${other})`
    case 'divFrom':
      return `(${other} / ${sql})`
    case 'divby':
      return `(${sql} * 1.0 / ${other})`
    case 'divbyFrom':
      return `(${other} * 1.0 / ${sql})`
    case 'mod':
      return `mod(${sql}, ${other})`
    case 'modFrom':
      return `mod(${other}, ${sql})`
    case 'concat':
      return `(${sql} || ${other})`
    case 'concatFrom':
      return `(${other} || ${sql})`
    case 'indexof':
      return `(instr(${sql}, ${other}) - 1)`
    case 'substring':
      return `substr(${sql}, ${other} + 1${more === undefined ? '' : `, ${more}`})`
  }
}
