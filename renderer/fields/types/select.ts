// Owns one choice out of options. @source D-94 select, radio

import { IconCircleDot, IconCircleCheck } from '@tabler/icons-react'
import { RadioButtons } from '../editors/inline-choices.tsx'
import { createListEditor } from '../editors/list-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { optionsSetting } from '../settings.ts'
import { hueClass } from '../hues.ts'
import { operatorClasses } from '../operators.ts'
import { optionByText, optionByValue, optionLabel, optionPosition, optionsForMessage } from '../options.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

/** One option, shown as a badge. */
export const selectField: FieldType = {
  group: 'choice',
  label: t('fieldType.select'),
  hint: t('fieldType.select.hint'),
  settings: [optionsSetting],
  importRank: 9,
  groupRank: 1,
  summaryRank: 0,
  icon: IconCircleDot,
  format: (value, field) => {
    if (value == null) return ''
    const option = optionByValue(field, textOf(value))
    return option ? optionLabel(option) : textOf(value)
  },
  cellClass: () => 'field-chips',
  chips: (value, field, context) => {
    if (value == null) return null
    const option = optionByValue(field, textOf(value))
    const hue = option ? hueClass(option, optionPosition(field, option.value)) : 'field-hue-none'
    return [{ text: selectField.format(value, field, context), className: hue }]
  },
  // By value where the label is shared, so that reading it back gives the same option.
  toText: (value, field) => {
    if (value == null) return ''
    const option = optionByValue(field, textOf(value))
    const label = option ? optionLabel(option) : textOf(value)
    return option && optionByText(field, label) !== option ? option.value : label
  },
  parse: blankIsNull((text, field, context) => {
    const option = optionByText(field, text)
    if (option) return parsed(option.value)
    return refused(context, 'field.option', { text: quoteForMessage(text), options: optionsForMessage(field) })
  }),
  tall: true,
  operators: () => operatorClasses.equality,
  Editor: createListEditor({}),
}

/** One option, all of them in sight while editing. */
export const radioField: FieldType = {
  ...selectField,
  label: t('fieldType.radio'),
  hint: t('fieldType.radio.hint'),
  groupRank: 2,
  importRank: undefined,
  icon: IconCircleCheck,
  Editor: RadioButtons,
}
