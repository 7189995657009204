// Owns colours in one of four notations. @source D-94 color

import { IconPalette } from '@tabler/icons-react'
import { ColorEditor } from '../editors/color-editor.tsx'
import { exampleColor, readColor } from '../color-text.ts'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { hueClass } from '../hues.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** A colour; cells tint it with the nearest of the twelve hues, the editor shows it as it is. */
export const colorField: FieldType = {
  group: 'other',
  label: t('fieldType.color'),
  hint: t('fieldType.color.hint'),
  settings: [setting('colorFormat', 'choice', { choices: ['hex', 'rgb', 'rgba', 'hsl'] })],
  innerRank: 15,
  icon: IconPalette,
  format: plainText,
  cellClass: () => 'field-chips',
  chips: (value) => {
    if (value == null || value === '') return null
    const text = textOf(value)
    return [{ text, className: text.startsWith('#') ? hueClass({ value: text, color: text }, 0) : 'field-hue-none' }]
  },
  toText: (value) => textOf(value),
  parse: blankIsNull((text, field, context) => {
    const color = readColor(text, field)
    if (color !== null) return parsed(color)
    return refused(context, 'field.color', { text: quoteForMessage(text), example: exampleColor(field) })
  }),
  operators: () => operatorClasses.equality,
  Editor: ColorEditor,
}
