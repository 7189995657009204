// Owns Markdown and the other marked-up texts: shown in a cell without their marks. @source D-94 markdown, html, code

import { IconMarkdown } from '@tabler/icons-react'
import { TextareaEditor } from '../editors/textarea-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting, longTextSettings } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed } from '../parse-result.ts'
import { checkLength, oneLine, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** First lines of marked-up text as a reader would read them; never interpreted as HTML. */
function withoutMarks(source: string, type: string): string {
  const head = source.slice(0, 1_200)
  if (type === 'code') return oneLine(head)
  const untagged = type === 'markdown' ? head : head.replace(/<[^>]*>/g, ' ').replace(/&nbsp;/g, ' ')
  const plain = untagged
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`)(.+?)\1/g, '$2')
    .replace(/(?<!\w)[*_](\S(?:.*?\S)?)[*_](?!\w)/g, '$1')
  return oneLine(plain)
}

/** Markdown, HTML, rich text and code. */
export const markdownField: FieldType = {
  group: 'text',
  label: t('fieldType.markdown'),
  hint: t('fieldType.markdown.hint'),
  settings: longTextSettings,
  importRank: 15,
  shownAsWritten: true,
  comparedByWord: true,
  icon: IconMarkdown,
  format: (value, field) => (value == null ? '' : withoutMarks(textOf(value), field.type)),
  cellClass: (_value, field) => (field.type === 'code' ? 'field-long field-mono' : 'field-long'),
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => checkLength(text, field, context, 1_000_000) ?? parsed(text)),
  tall: true,
  operators: () => operatorClasses.longText,
  Editor: TextareaEditor,
}

/** Formatted text, kept as HTML. */
export const richtextField: FieldType = {
  ...markdownField,
  label: t('fieldType.richtext'),
  hint: t('fieldType.richtext.hint'),
  importRank: undefined,
  shownAsWritten: undefined,
}

/** HTML. */
export const htmlField: FieldType = {
  ...markdownField,
  label: t('fieldType.html'),
  hint: t('fieldType.html.hint'),
  importRank: undefined,
  shownAsWritten: undefined,
}

/** Source text in a fixed-width face. */
export const codeField: FieldType = {
  ...markdownField,
  label: t('fieldType.code'),
  hint: t('fieldType.code.hint'),
  settings: [setting('language', 'text'), ...longTextSettings],
  withoutFigures: true,
  importRank: undefined,
}
