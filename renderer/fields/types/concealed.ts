// Owns values that are written and not read back: passwords never, secrets only when they are revealed.
// @source D-94 password, secret

import { IconEyeOff, IconLock } from '@tabler/icons-react'
import { ConcealedEditor } from '../editors/concealed-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { parsed, refused } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

const MASK = '********'
const MOST_CHARACTERS = 10_000
const dots = '••••••••'

/** A secret; what is stored reads as a mask, and an editor that stays empty changes nothing. */
export const secretField: FieldType = {
  group: 'other',
  label: t('fieldType.secret'),
  hint: t('fieldType.secret.hint'),
  settings: [setting('minLength', 'integer')],
  concealed: true,
  withoutDefault: true,
  withoutUnique: true,
  withoutFigures: true,
  namesNothing: true,
  icon: IconEyeOff,
  format: (value) => (value == null || value === '' ? '' : dots),
  cellClass: () => 'field-mono',
  toText: () => '',
  parse: (text, field, context) => {
    if (text.trim() === '')
      return field.required ? refused(context, 'field.required') : parsed(field.type === 'password' ? '' : null)
    if (text === MASK) return refused(context, 'field.concealed')
    const length = [...text.normalize('NFC')].length
    const min = field.minLength ?? (field.type === 'password' ? 8 : 1)
    const max = field.maxLength ?? MOST_CHARACTERS
    if (length < min) return refused(context, 'field.tooShort', { length, min })
    return length > max ? refused(context, 'field.tooLong', { length, max }) : parsed(text)
  },
  operators: () => operatorClasses.none,
  Editor: ConcealedEditor,
}

/** A password; nobody reads it back, not even as a mask. */
export const passwordField: FieldType = {
  ...secretField,
  label: t('fieldType.password'),
  hint: t('fieldType.password.hint'),
  icon: IconLock,
}
