// Owns single-line text. @source D-94 text, qrcode

import { IconLetterCase } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting, lengthSettings } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** Text on one line; line breaks are refused. */
export const textField: FieldType = lineOfText(1_000)

/** Text that is shown as a code image elsewhere. */
export const qrcodeField: FieldType = {
  ...lineOfText(2_000),
  group: 'other',
  label: t('fieldType.qrcode'),
  hint: t('fieldType.qrcode.hint'),
  settings: [setting('barcodeFormat', 'text')],
  withoutFigures: true,
  importRank: undefined,
  innerRank: undefined,
  groupRank: undefined,
  summaryRank: undefined,
  shownAsWritten: undefined,
  comparedByWord: undefined,
  operators: () => operatorClasses.equality,
}

function lineOfText(limit: number): FieldType {
  return {
    group: 'text',
    label: t('fieldType.text'),
    hint: t('fieldType.text.hint'),
    settings: lengthSettings,
    importRank: 1,
    innerRank: 1,
    groupRank: 12,
    summaryRank: 2,
    shownAsWritten: true,
    comparedByWord: true,
    icon: IconLetterCase,
    format: plainText,
    cellClass: () => '',
    toText: (value) => textOf(value),
    parse: blankIsNull((text, field, context) => {
      const line = text.replace(/[\r\n]+$/, '')
      if (/[\r\n]/.test(line)) return refused(context, 'field.lineBreak')
      return checkLength(line, field, context, limit) ?? parsed(line)
    }),
    operators: () => operatorClasses.text,
    Editor: TextEditor,
  }
}
