// Owns yes or no. @source D-94 boolean, toggle

import { IconCheckbox } from '@tabler/icons-react'
import { BooleanEditor } from '../editors/boolean-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { operatorClasses } from '../operators.ts'
import { parsed, quoteForMessage, refused } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

const truthy = new Set(['true', 'yes', 'y', '1', 'x', 'on', '✓', '✔'])
const falsy = new Set(['false', 'no', 'n', '0', 'off'])

/** A check mark; Enter flips it. */
export const booleanField: FieldType = {
  group: 'choice',
  label: t('fieldType.boolean'),
  hint: t('fieldType.boolean.hint'),
  importRank: 6,
  innerRank: 6,
  groupRank: 3,
  summaryRank: 0,
  icon: IconCheckbox,
  format: (value, _field, { translate }) => (value == null ? '' : translate(value ? 'field.yes' : 'field.no')),
  cellClass: (value) => (value ? 'field-check field-check-on' : 'field-check'),
  toText: (value) => (value == null ? '' : value ? 'TRUE' : 'FALSE'),
  parse: (text, field, context) => {
    const word = text.trim().toLowerCase()
    if (word === '') return parsed(field.required || field.type === 'toggle' ? false : null)
    if (truthy.has(word) || word === context.translate('field.yes').toLowerCase()) return parsed(true)
    if (falsy.has(word) || word === context.translate('field.no').toLowerCase()) return parsed(false)
    return refused(context, 'field.boolean', { text: quoteForMessage(text) })
  },
  toggle: (value) => !value,
  operators: () => operatorClasses.boolean,
  Editor: BooleanEditor,
}

/** A switch: off when nothing is given. */
export const toggleField: FieldType = {
  ...booleanField,
  label: t('fieldType.toggle'),
  hint: t('fieldType.toggle.hint'),
  groupRank: 4,
  importRank: undefined,
  innerRank: undefined,
}
