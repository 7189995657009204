// Functions over values as SQL. Timestamps are stored in UTC and as text of a fixed form, so their parts stand at fixed
// places.
import type { AppliedFunction } from '#shared/filter/value-functions.ts'

/** Blanks that trimming takes away, as SQL: SQLite's own takes spaces alone. */
const blanks = 'char(9, 10, 11, 12, 13, 32, 160)'

/** SQL of a value after the functions, the innermost first; null stays null. */
export function applySql(sql: string, functions: readonly AppliedFunction[] | undefined): string {
  return functions === undefined ? sql : functions.reduce((inner, applied) => writeFunction(inner, applied), sql)
}

function writeFunction(sql: string, { name, takes }: AppliedFunction): string {
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
  }
}
