// Owns instants, shown and typed as wall-clock time in the workspace's zone, stored in UTC. @source D-94 datetime, D-10

import { IconCalendarClock } from '@tabler/icons-react'
import { parseDay, parseTimeOfDay } from '../date-text.ts'
import { createPickerEditor } from '../editors/date-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { daySettings } from '../settings.ts'
import { dateFormat } from '../intl-formats.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { instantOf, wallTime } from '../zoned-time.ts'
import { plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

function readInstant(text: string, locale: string, timeZone: string): number | null {
  const typed = text.trim()
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(typed)) {
    const instant = Date.parse(typed.replace(' ', 'T'))
    return Number.isNaN(instant) ? null : instant
  }
  const split = /^(.*?\d{4}.*?|\d{4}\S*)(?:T|,?\s+)(\d{1,2}:.*)$/.exec(typed)
  const day = parseDay(split?.[1] ?? typed, locale)
  const time = split ? parseTimeOfDay(split[2] ?? '') : 0
  if (day === null || time === null) return null
  return instantOf(Date.parse(`${day}T00:00:00Z`) + time, timeZone)
}

/** A date with a time; the stored form is an ISO 8601 timestamp in UTC with milliseconds. */
export const datetimeField: FieldType = {
  group: 'date',
  label: t('fieldType.datetime'),
  hint: t('fieldType.datetime.hint'),
  settings: daySettings,
  importRank: 8,
  innerRank: 8,
  dated: true,
  icon: IconCalendarClock,
  format: (value, _field, { locale, timeZone }) => {
    if (value == null) return ''
    const instant = Date.parse(textOf(value))
    if (Number.isNaN(instant)) return plainText(value)
    const options = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const
    return dateFormat(locale, `datetime ${timeZone}`, options).format(instant)
  },
  cellClass: () => 'field-tabular',
  toText: (value, _field, { timeZone }) => {
    const instant = value == null ? Number.NaN : Date.parse(textOf(value))
    if (Number.isNaN(instant)) return plainText(value)
    // Whole minutes without seconds: that is what people type and what the picker gives.
    return wallTime(instant, timeZone)
      .replace('T', ' ')
      .replace(/(?::00)?\.000$/, '')
  },
  parse: blankIsNull((text, field, context) => {
    const instant = readInstant(text, context.locale, context.timeZone)
    if (instant === null) return refused(context, 'field.datetime', { text: quoteForMessage(text) })
    const { min, max } = field
    if (typeof min === 'string' && instant < Date.parse(min)) return refused(context, 'field.tooEarly', { min })
    if (typeof max === 'string' && instant > Date.parse(max)) return refused(context, 'field.tooLate', { max })
    return parsed(new Date(instant).toISOString())
  }),
  operators: () => operatorClasses.date,
  Editor: createPickerEditor('datetime-local', (draft, { locale, timeZone }) => {
    const instant = readInstant(draft, locale, timeZone)
    return instant === null ? '' : wallTime(instant, timeZone).slice(0, 16)
  }),
}
