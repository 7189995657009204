// Owns plain numbers. @source D-94 number, summary

import { IconNumbers } from '@tabler/icons-react'
import { NumberEditor } from '../editors/number-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { numberFormat } from '../intl-formats.ts'
import { numberOf, parseLimited } from '../number-rules.ts'
import { numberToText } from '../number-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

/** A number in the locale's form. */
export const numberField: FieldType = {
  group: 'number',
  label: t('fieldType.number'),
  hint: t('fieldType.number.hint'),
  settings: [setting('scale', 'integer'), setting('min', 'number'), setting('max', 'number')],
  importRank: 3,
  innerRank: 3,
  groupRank: 13,
  measured: true,
  icon: IconNumbers,
  format: (value, field, { locale }) => {
    const number = numberOf(value)
    if (number === null) return ''
    const scale = field.scale
    const options = scale === undefined ? { maximumFractionDigits: 12 } : { maximumFractionDigits: scale }
    return numberFormat(locale, `number ${scale}`, options).format(number)
  },
  cellClass: () => 'field-number',
  toText: (value, _field, { locale }) => {
    const number = numberOf(value)
    return number === null ? '' : numberToText(number, locale)
  },
  parse: blankIsNull((text, field, context) => parseLimited(text, field, context, field.scale)),
  operators: () => operatorClasses.order,
  Editor: NumberEditor,
}

/** A figure over other records, which the server keeps. */
export const summaryField: FieldType = {
  ...numberField,
  group: 'computed',
  label: t('fieldType.summary'),
  hint: t('fieldType.summary.hint'),
  settings: [setting('summaryOperations', 'summary', { needed: true })],
  derived: true,
  computed: true,
  importRank: undefined,
  innerRank: undefined,
  groupRank: undefined,
}
