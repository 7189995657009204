// Owns free words. @source D-94 tags
import { IconTags } from '@tabler/icons-react'
import { createListEditor } from '../editors/list-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { hueClass } from '../hues.ts'
import { listToText, parseList, textItems } from '../list-text.ts'
import { operatorClasses } from '../operators.ts'
import { optionByText, optionByValue, optionLabel, optionPosition, optionsForMessage } from '../options.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

const MAX_TAG_LENGTH = 100
const MAX_TAGS = 100

/** Words without repetition; where the field has options, only those. */
export const tagsField: FieldType = {
  group: 'choice',
  label: t('fieldType.tags'),
  hint: t('fieldType.tags.hint'),
  settings: [setting('maxItems', 'integer')],
  importRank: 11,
  innerRank: 13,
  groupRank: 11,
  summaryRank: 1,
  elementType: 'text',
  icon: IconTags,
  format: (value, field) =>
    textItems(value)
      .map((tag) => {
        const option = optionByValue(field, tag)
        return option ? optionLabel(option) : tag
      })
      .join(', '),
  cellClass: () => 'field-chips',
  chips: (value, field) =>
    textItems(value).map((tag) => {
      const option = optionByValue(field, tag)
      return option
        ? { text: optionLabel(option), className: hueClass(option, optionPosition(field, tag)) }
        : { text: tag, className: 'field-hue-none' }
    }),
  toText: (value) => listToText(textItems(value)),
  parse: blankIsNull((text, field, context) => {
    const tags: string[] = []
    for (const word of parseList(text)) {
      const option = optionByText(field, word)
      // Options, where there are any, are the only words allowed.
      if (!option && field.options?.length) {
        return refused(context, 'field.option', { text: quoteForMessage(word), options: optionsForMessage(field) })
      }
      const tag = (option?.value ?? word).trim()
      if ([...tag].length > MAX_TAG_LENGTH) {
        return refused(context, 'field.tagTooLong', { text: quoteForMessage(tag), max: MAX_TAG_LENGTH })
      }
      if (tag !== '' && !tags.includes(tag)) tags.push(tag)
    }
    const max = Math.min(field.maxItems ?? MAX_TAGS, MAX_TAGS)
    if (tags.length > max) return refused(context, 'field.tooMany', { count: tags.length, max })
    return parsed(tags)
  }),
  tall: true,
  typingAdds: true,
  operators: () => operatorClasses.multiple,
  Editor: createListEditor({ several: true, words: true }),
}
