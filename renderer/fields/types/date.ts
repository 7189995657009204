// Owns calendar days, which have no zone. @source D-94 date

import { IconCalendar } from '@tabler/icons-react'
import { parseDay } from '../date-text.ts'
import { createPickerEditor } from '../editors/date-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { daySettings } from '../settings.ts'
import { dateFormat } from '../intl-formats.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { oneLine, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** A day, stored as `YYYY-MM-DD`. */
export const dateField: FieldType = {
  group: 'date',
  label: t('fieldType.date'),
  hint: t('fieldType.date.hint'),
  settings: daySettings,
  importRank: 7,
  innerRank: 7,
  dated: true,
  icon: IconCalendar,
  format: (value, _field, { locale }) => {
    if (value == null) return ''
    const day = textOf(value)
    const instant = Date.parse(`${day.slice(0, 10)}T00:00:00Z`)
    if (Number.isNaN(instant)) return oneLine(day)
    return dateFormat(locale, 'date', { dateStyle: 'medium', timeZone: 'UTC' }).format(instant)
  },
  cellClass: () => 'field-tabular',
  toText: (value) => textOf(value).slice(0, 10),
  parse: blankIsNull((text, field, context) => {
    const day = parseDay(text, context.locale)
    if (!day) return refused(context, 'field.date', { text: quoteForMessage(text) })
    const { min, max } = field
    if (typeof min === 'string' && day < min) return refused(context, 'field.tooEarly', { min })
    if (typeof max === 'string' && day > max) return refused(context, 'field.tooLate', { max })
    return parsed(day)
  }),
  operators: () => operatorClasses.date,
  Editor: createPickerEditor('date', (draft, { locale }) => parseDay(draft, locale) ?? ''),
}
