// Owns JSON values and vectors, which are lists of numbers that programs write. @source D-94 json, vector

import { IconBraces } from '@tabler/icons-react'
import { pathOfRounded } from '#shared/field-types/rounded-integer.ts'
import { TextareaEditor } from '../editors/textarea-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { plainText } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** Any JSON; typed and checked as JSON text. */
export const jsonField: FieldType = {
  group: 'structure',
  label: t('fieldType.json'),
  hint: t('fieldType.json.hint'),
  importRank: 16,
  withoutUnique: true,
  icon: IconBraces,
  format: (value) => (value == null ? '' : plainText(typeof value === 'object' ? value : JSON.stringify(value))),
  cellClass: () => 'field-long field-mono',
  toText: (value) => (value == null ? '' : JSON.stringify(value, null, 2)),
  copyText: (value) => (value == null ? '' : JSON.stringify(value)),
  parse: blankIsNull((text, field, context) => {
    if (field.type === 'vector') return refused(context, 'field.vector')
    try {
      const value: unknown = JSON.parse(text)
      if (pathOfRounded(value, '') !== null) return refused(context, 'field.jsonNumber')
      return parsed(value)
    } catch (error) {
      return refused(context, 'field.json', { reason: error instanceof Error ? error.message : String(error) })
    }
  }),
  tall: true,
  operators: () => operatorClasses.none,
  Editor: TextareaEditor,
}

/** A list of numbers, which programs write. */
export const vectorField: FieldType = {
  ...jsonField,
  group: 'other',
  label: t('fieldType.vector'),
  hint: t('fieldType.vector.hint'),
  settings: [setting('vectorConfig.dimensions', 'integer', { needed: true })],
  withoutDefault: true,
  withoutFigures: true,
  namesNothing: true,
  computed: true,
  importRank: undefined,
}
