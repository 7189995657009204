// Owns phone numbers. @source D-94 phone

import { IconPhone } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** A phone number as typed; at least five of its characters and three digits. */
export const phoneField: FieldType = {
  group: 'text',
  label: t('fieldType.phone'),
  hint: t('fieldType.phone.hint'),
  importRank: 14,
  innerRank: 12,
  icon: IconPhone,
  format: plainText,
  cellClass: () => 'field-tabular',
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => {
    const number = text.trim().replace(/[\u00a0\u2010-\u2015]/g, (mark) => (mark === '\u00a0' ? ' ' : '-'))
    if (!/^[\d+()\-. ]{5,}$/.test(number) || number.replace(/\D/g, '').length < 3) {
      return refused(context, 'field.phone', { text: quoteForMessage(text) })
    }
    return checkLength(number, field, context, 100) ?? parsed(number)
  }),
  operators: () => operatorClasses.text,
  Editor: TextEditor,
}
