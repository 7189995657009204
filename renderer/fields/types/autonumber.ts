// Owns numbers the server issues. @source D-94 autonumber

import { IconHash } from '@tabler/icons-react'
import { TextEditor } from '../editors/text-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { refused } from '../parse-result.ts'
import { plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** A number in words, issued once and never edited. */
export const autonumberField: FieldType = {
  group: 'computed',
  label: t('fieldType.autonumber'),
  hint: t('fieldType.autonumber.hint'),
  settings: [setting('autonumberFormat', 'text'), setting('startNumber', 'integer')],
  derived: true,
  icon: IconHash,
  format: plainText,
  cellClass: () => 'field-tabular',
  toText: (value) => textOf(value),
  parse: (_text, _field, context) => refused(context, 'field.readonly'),
  computed: true,
  operators: () => operatorClasses.text,
  Editor: TextEditor,
}
