// Owns single-line text. @source D-94 text, qrcode

import { IconLetterCase } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'

/** Text on one line; line breaks are refused. */
export const textField: FieldType = {
  types: ['text', 'qrcode'],
  icon: IconLetterCase,
  format: plainText,
  cellClass: () => '',
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => {
    const line = text.replace(/[\r\n]+$/, '')
    if (/[\r\n]/.test(line)) return refused(context, 'field.lineBreak')
    return checkLength(line, field, context, field.type === 'qrcode' ? 2_000 : 1_000) ?? parsed(line)
  }),
  operators: (field) => (field.type === 'qrcode' ? operatorClasses.equality : operatorClasses.text),
  Editor: TextEditor,
}
