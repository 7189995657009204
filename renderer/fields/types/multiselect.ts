// Owns several choices out of options. @source D-94 multiselect, checkboxes
import { IconListCheck, IconListDetails } from '@tabler/icons-react'
import { CheckBoxes } from '../editors/inline-choices.tsx'
import { createListEditor } from '../editors/list-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting, optionsSetting } from '../settings.ts'
import { listToText, parseList, textItems } from '../list-text.ts'
import { operatorClasses } from '../operators.ts'
import { optionByText, optionsForMessage } from '../options.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { selectField } from './select.ts'
import { t } from '../../lib/strings.ts'

/** A set of options in the order they were given, shown as badges. */
export const multiselectField: FieldType = {
  group: 'choice',
  label: t('fieldType.multiselect'),
  hint: t('fieldType.multiselect.hint'),
  settings: [optionsSetting, setting('maxItems', 'integer')],
  importRank: 10,
  groupRank: 9,
  summaryRank: 0,
  elementType: 'select',
  icon: IconListCheck,
  format: (value, field, context) =>
    textItems(value)
      .map((item) => selectField.format(item, field, context))
      .join(', '),
  cellClass: () => 'field-chips',
  chips: (value, field, context) => textItems(value).flatMap((item) => selectField.chips?.(item, field, context) ?? []),
  toText: (value, field, context) =>
    listToText(textItems(value).map((item) => selectField.toText(item, field, context))),
  parse: blankIsNull((text, field, context) => {
    const values: string[] = []
    for (const word of parseList(text)) {
      const option = optionByText(field, word)
      if (!option) {
        return refused(context, 'field.option', { text: quoteForMessage(word), options: optionsForMessage(field) })
      }
      if (!values.includes(option.value)) values.push(option.value)
    }
    if (field.maxItems !== undefined && values.length > field.maxItems) {
      return refused(context, 'field.tooMany', { count: values.length, max: field.maxItems })
    }
    return parsed(values)
  }),
  tall: true,
  typingAdds: true,
  operators: () => operatorClasses.multiple,
  Editor: createListEditor({ several: true }),
}

/** Several options, all of them in sight while editing. */
export const checkboxesField: FieldType = {
  ...multiselectField,
  label: t('fieldType.checkboxes'),
  hint: t('fieldType.checkboxes.hint'),
  groupRank: 10,
  importRank: undefined,
  icon: IconListDetails,
  Editor: CheckBoxes,
}
