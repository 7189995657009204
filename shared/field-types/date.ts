// The field type `date`: a calendar day without a time.
import { z } from 'zod'
import { dateInZone, dateOfMs, isDate, parseInstant } from '#shared/calendar/iso.ts'
import { evaluateDateMacro, isDateMacro, parseDateMacroText } from '#shared/calendar/macros.ts'
import { readWrittenDate } from '#shared/calendar/written-dates.ts'
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

/** A calendar day, `YYYY-MM-DD`. @source D-94 */
export const dateType: FieldType = {
  calendar: 'date',
  listRank: 2,
  expressionType: 'date',
  defaultWords: ['{today}', '{now}'],
  storage: 'plain',
  collation: 'binary',
  flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'range' },
  settings: {
    min: z.string().refine(isDate, 'not a date').optional(),
    max: z.string().refine(isDate, 'not a date').optional(),
  },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'D',
  parse(value, field) {
    if (typeof value !== 'string' || !isDate(value)) {
      return refused(field, 'invalid_date', 'The value must be a calendar day written YYYY-MM-DD.', value)
    }
    const { min, max } = field.settings
    if (typeof min === 'string' && value < min)
      return refused(field, 'min_value', `The date is before ${min}.`, value, min)
    if (typeof max === 'string' && value > max)
      return refused(field, 'max_value', `The date is after ${max}.`, value, max)
    return parsed(value)
  },
  fromText(text) {
    const trimmed = text.trim()
    if (isDate(trimmed)) return trimmed
    // A timestamp of midnight without an offset is how spreadsheets write a day.
    const midnight = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?$/.exec(trimmed)
    if (midnight && isDate(midnight[1]!)) return midnight[1]
    return readWrittenDate(trimmed) ?? undefined
  },
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand(value, _operator, _field, env) {
    const macro = typeof value === 'string' ? parseDateMacroText(value) : isDateMacro(value) ? value : null
    if (macro) {
      const result = evaluateDateMacro(macro, env)
      if (!result) return { ok: false, reason: 'The offset leads beyond the calendar.' }
      return { ok: true, value: 'date' in result ? result.date : dateInZone(result.instant, env.timeZone) }
    }
    if (typeof value === 'string') {
      if (isDate(value)) return { ok: true, value }
      const ms = parseInstant(value, env.timeZone)
      if (ms !== null) return { ok: true, value: env.timeZone === 'UTC' ? dateOfMs(ms) : dateInZone(ms, env.timeZone) }
    }
    return { ok: false, reason: 'The operand must be a date (YYYY-MM-DD).' }
  },
  jsonSchema: () => ({ type: 'string', format: 'date' }),
}
