// Owns formulas that do not say what they result in: each value is shown as what it is. @source D-94 formula

import { IconMathFunction } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed } from '../parse-result.ts'
import { booleanField } from './boolean.ts'
import { numberField } from './number.ts'
import { textField } from './text.ts'
import { t } from '../../lib/strings.ts'

function shownAs(value: unknown): FieldType {
  if (typeof value === 'number') return numberField
  return typeof value === 'boolean' ? booleanField : textField
}

/** A computed value of any kind; what is typed serves filters only. */
export const formulaField: FieldType = {
  group: 'computed',
  label: t('fieldType.formula'),
  hint: t('fieldType.formula.hint'),
  settings: [
    setting('expression', 'formula', { needed: true }),
    setting('returnType', 'choice', { choices: ['', 'text', 'number', 'boolean', 'date', 'datetime'] }),
  ],
  derived: true,
  withoutFigures: true,
  icon: IconMathFunction,
  format: (value, field, context) => shownAs(value).format(value, field, context),
  cellClass: (value, field) => shownAs(value).cellClass(value, field),
  toText: (value, field, context) => shownAs(value).toText(value, field, context),
  parse: blankIsNull((text, field, context) => {
    const number = numberField.parse(text, field, context)
    if (number.ok) return number
    const yes = booleanField.parse(text, field, context)
    return yes.ok ? yes : parsed(text)
  }),
  computed: true,
  operators: () => operatorClasses.equality,
  Editor: TextEditor,
}
