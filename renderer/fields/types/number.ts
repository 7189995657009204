// Owns plain numbers and the types that are numbers with another look. @source D-94 number, progress, rating, summary

import { IconNumbers } from '@tabler/icons-react'
import { NumberEditor } from '../editors/number-editor.tsx'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType } from '../field-type.ts'
import { numberFormat } from '../intl-formats.ts'
import { numberOf, parseLimited } from '../number-rules.ts'
import { numberToText } from '../number-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull } from '../parse-result.ts'

function limitsOf(field: FieldDefinition): FieldDefinition {
  if (field.type === 'rating') return { min: 0, max: field.maxRating ?? 5, ...field }
  if (field.type === 'progress' || field.type === 'slider') return { min: 0, max: 100, ...field }
  return field
}

/** A number in the locale's form. */
export const numberField: FieldType = {
  types: ['number', 'progress', 'slider', 'rating'],
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
  parse: blankIsNull((text, field, context) => parseLimited(text, limitsOf(field), context, field.scale)),
  operators: () => operatorClasses.order,
  Editor: NumberEditor,
}
