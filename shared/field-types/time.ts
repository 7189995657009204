// The field type `time`: a time of day without a day or a zone.
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

const form = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/
const written = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([ap])\.?m\.?)?$/i

/** The `HH:MM:SS` a text of `HH:MM` or `HH:MM:SS` stands for, or null. */
export function readTime(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const match = form.exec(value)
  return match === null ? null : `${match[1]}:${match[2]}:${match[3] ?? '00'}`
}

/** A time as people write it: `8:30`, `8:30 pm`, `12 am`; undefined when it is none. A bare hour needs am or pm. */
export function readWrittenTime(text: string): string | undefined {
  const match = written.exec(text.trim())
  if (match === null) return undefined
  const [, hours = '', minutes, seconds = '00', half] = match
  if (half === undefined && minutes === undefined) return undefined
  let hour = Number(hours)
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  }
  return readTime(`${String(hour).padStart(2, '0')}:${minutes ?? '00'}:${seconds}`) ?? undefined
}

/** A time of day, `HH:MM:SS`. @source D-94 */
export const timeType: FieldType = {
  calendar: 'time',
  listRank: 2,
  storage: 'plain',
  collation: 'binary',
  flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'none' },
  settings: {},
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'O',
  parse(value, field) {
    const time = readTime(value)
    return time === null
      ? refused(field, 'invalid_time', 'The value must be a time of day written HH:MM:SS.', value)
      : parsed(time)
  },
  fromText: readWrittenTime,
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand(value) {
    const time = readTime(value)
    return time === null
      ? { ok: false, reason: 'The operand must be a time of day (HH:MM or HH:MM:SS).' }
      : { ok: true, value: time }
  },
  jsonSchema: () => ({ type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$' }),
}
