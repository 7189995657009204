// Owns percentages: the stored 25 means 25 %. @source D-94 percent

import { IconPercentage } from '@tabler/icons-react'
import { NumberEditor } from '../editors/number-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { numberFormat } from '../intl-formats.ts'
import { numberOf, parseLimited } from '../number-rules.ts'
import { numberToText } from '../number-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

/** A percentage; typed with or without the sign. */
export const percentField: FieldType = {
  group: 'number',
  label: t('fieldType.percent'),
  hint: t('fieldType.percent.hint'),
  settings: [setting('scale', 'integer'), setting('min', 'number'), setting('max', 'number')],
  importRank: 5,
  innerRank: 5,
  measured: true,
  figuresAsValues: true,
  icon: IconPercentage,
  format: (value, field, { locale }) => {
    const number = numberOf(value)
    if (number === null) return ''
    const scale = field.scale ?? 2
    const options = { style: 'percent', maximumFractionDigits: scale } as const
    // Through text: dividing by 100 would show 0.07 % as 0.07000000000000001 %.
    return numberFormat(locale, `percent ${scale}`, options).format(Number(`${number}e-2`) || number / 100)
  },
  cellClass: () => 'field-number',
  toText: (value, _field, { locale }) => {
    const number = numberOf(value)
    return number === null ? '' : numberToText(number, locale)
  },
  parse: blankIsNull((text, field, context) => parseLimited(text, field, context, field.scale ?? 2)),
  operators: () => operatorClasses.order,
  Editor: NumberEditor,
}
