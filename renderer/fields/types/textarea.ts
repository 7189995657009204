// Owns multi-line text. @source D-94 textarea

import { IconAlignLeft } from '@tabler/icons-react'
import { TextareaEditor } from '../editors/textarea-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { lengthSettings } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** Text of several lines. */
export const textareaField: FieldType = {
  group: 'text',
  label: t('fieldType.textarea'),
  hint: t('fieldType.textarea.hint'),
  settings: lengthSettings,
  importRank: 2,
  innerRank: 2,
  shownAsWritten: true,
  comparedByWord: true,
  icon: IconAlignLeft,
  format: plainText,
  cellClass: () => 'field-long',
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => checkLength(text, field, context, 100_000) ?? parsed(text)),
  tall: true,
  operators: () => operatorClasses.text,
  Editor: TextareaEditor,
}
