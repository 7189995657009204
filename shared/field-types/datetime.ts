// The field type `datetime`: an instant, stored as UTC text with milliseconds.
import { z } from 'zod'
import { endOfDate, formatInstant, isDate, parseInstant, startOfDate } from '#shared/calendar/iso.ts'
import { evaluateDateMacro, isDateMacro, parseDateMacroText } from '#shared/calendar/macros.ts'
import type { FieldType, OperandResult } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

const bound = z.string().refine((text) => parseInstant(text, 'UTC') !== null, 'not a timestamp')

/** An instant (D-10). @source D-94 */
export const datetimeType: FieldType = {
  calendar: 'datetime',
  listRank: 2,
  expressionType: 'datetime',
  defaultWords: ['{today}', '{now}'],
  storage: 'plain',
  collation: 'binary',
  flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'range' },
  settings: { min: bound.optional(), max: bound.optional() },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'D',
  parse(value, field, env) {
    const ms = typeof value === 'string' ? parseInstant(value, env.timeZone) : null
    if (ms === null) return refused(field, 'invalid_datetime', 'The value must be an ISO 8601 timestamp.', value)
    const { min, max } = field.settings
    if (typeof min === 'string' && ms < parseInstant(min, env.timeZone)!) {
      return refused(field, 'min_value', `The timestamp is before ${min}.`, value, min)
    }
    if (typeof max === 'string' && ms > parseInstant(max, env.timeZone)!) {
      return refused(field, 'max_value', `The timestamp is after ${max}.`, value, max)
    }
    return parsed(formatInstant(ms))
  },
  fromText(text, _field, env) {
    const ms = parseInstant(text.trim(), env.timeZone)
    return ms === null ? undefined : formatInstant(ms)
  },
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand(value, _operator, _field, env) {
    const macro = typeof value === 'string' ? parseDateMacroText(value) : isDateMacro(value) ? value : null
    if (macro) {
      const result = evaluateDateMacro(macro, env)
      if (!result) return { ok: false, reason: 'The offset leads beyond the calendar.' }
      return 'date' in result ? wholeDay(result.date, env.timeZone) : { ok: true, value: formatInstant(result.instant) }
    }
    if (typeof value === 'string') {
      if (isDate(value)) return wholeDay(value, env.timeZone)
      const ms = parseInstant(value, env.timeZone)
      if (ms !== null) return { ok: true, value: formatInstant(ms) }
    }
    return { ok: false, reason: 'The operand must be a date or an ISO 8601 timestamp.' }
  },
  jsonSchema: () => ({ type: 'string', format: 'date-time' }),
}

/** A date-only operand on a datetime is that whole day in the workspace zone. @source D-84 */
function wholeDay(date: string, zone: string): OperandResult {
  const before = endOfDate(date, zone)
  return {
    ok: true,
    range: { from: textOf(startOfDate(date, zone)), before: textOf(before) },
  }
}

/** Text that sorts like the instant; the first and last day of the calendar may begin or end outside of it. */
function textOf(ms: number): string {
  if (ms < -62_167_219_200_000) return ''
  return ms > 253_402_300_799_999 ? ':' : formatInstant(ms)
}
