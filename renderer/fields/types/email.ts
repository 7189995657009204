// Owns e-mail addresses. @source D-94 email

import { IconAt } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** One address: one `@`, and a domain with a dot or `localhost`. */
export const emailField: FieldType = {
  group: 'text',
  label: t('fieldType.email'),
  hint: t('fieldType.email.hint'),
  importRank: 12,
  innerRank: 10,
  icon: IconAt,
  format: plainText,
  cellClass: () => 'field-link',
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => {
    const address = text.trim().replace(/^mailto:/i, '')
    if (!/^[^\s@]+@(?:localhost|[^\s@.]+(?:\.[^\s@.]+)+)$/i.test(address)) {
      return refused(context, 'field.email', { text: quoteForMessage(text) })
    }
    return checkLength(address, field, context, 320) ?? parsed(address)
  }),
  operators: () => operatorClasses.text,
  Editor: TextEditor,
}
