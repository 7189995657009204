// Owns times of day, without a day or a zone. @source D-94 time

import { IconClock } from '@tabler/icons-react'
import { readWrittenTime } from '#shared/field-types/time.ts'
import { createPickerEditor } from '../editors/date-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { dateFormat } from '../intl-formats.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const short = (value: unknown): string => textOf(value).replace(/^(\d\d:\d\d):00$/, '$1')

/** A time, stored as `HH:MM:SS`; whole minutes are shown and typed without seconds. */
export const timeField: FieldType = {
  group: 'date',
  label: t('fieldType.time'),
  hint: t('fieldType.time.hint'),
  innerRank: 9,
  icon: IconClock,
  format: (value, _field, { locale }) => {
    if (value == null) return ''
    const instant = Date.parse(`1970-01-01T${textOf(value)}Z`)
    if (Number.isNaN(instant)) return plainText(value)
    const timeStyle = instant % 60_000 === 0 ? 'short' : 'medium'
    return dateFormat(locale, `time ${timeStyle}`, { timeStyle, timeZone: 'UTC' }).format(instant)
  },
  cellClass: () => 'field-tabular',
  toText: (value) => (value == null ? '' : short(value)),
  parse: blankIsNull((text, _field, context) => {
    const time = readWrittenTime(text)
    return time === undefined ? refused(context, 'field.time', { text: quoteForMessage(text) }) : parsed(time)
  }),
  operators: () => operatorClasses.order,
  Editor: createPickerEditor('time', (draft) => readWrittenTime(draft) ?? ''),
}
