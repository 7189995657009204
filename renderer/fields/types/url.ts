// Owns web addresses. @source D-94 url

import { IconLink } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { checkLength, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const defaultSchemes = ['http', 'https', 'mailto', 'tel']

/** An absolute address with an accepted scheme; a bare domain is completed with `https://`. */
export const urlField: FieldType = {
  group: 'text',
  label: t('fieldType.url'),
  hint: t('fieldType.url.hint'),
  settings: [setting('schemes', 'words')],
  importRank: 13,
  innerRank: 11,
  icon: IconLink,
  format: plainText,
  cellClass: () => 'field-link',
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => {
    const typed = text.trim()
    const address = /^[\w-]+(\.[\w-]+)+([/?#:].*)?$/.test(typed) ? `https://${typed}` : typed
    const schemes = field.schemes ?? defaultSchemes
    if (!URL.canParse(address) || /[\s<>"\\^`{|}\p{Cc}]/u.test(address)) {
      return refused(context, 'field.url', { text: quoteForMessage(text) })
    }
    const scheme = new URL(address).protocol.slice(0, -1)
    if (!schemes.includes(scheme)) {
      return refused(context, 'field.urlScheme', { scheme, schemes: schemes.join(', ') })
    }
    const hosted = scheme !== 'http' && scheme !== 'https' ? /:./.test(address) : /^https?:\/\/[^/?#]/i.test(address)
    if (!hosted) return refused(context, 'field.url', { text: quoteForMessage(text) })
    return checkLength(address, field, context, 1_000_000) ?? parsed(address)
  }),
  operators: () => operatorClasses.text,
  Editor: TextEditor,
}
