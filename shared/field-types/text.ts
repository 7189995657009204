// The field type `text`: one line.
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { textualType } from './textual.ts'

/** One line of text. @source D-94 */
export const textType: FieldType = textualType(
  {
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: true, aggregatable: 'none' },
    maxLength: 1_000,
    check(text, field) {
      if (!/[\r\n]/.test(text)) return undefined
      return refused(field, 'invalid_format', 'The text must not have line breaks.', text)
    },
  },
  { family: 'text', searchedUnasked: true, names: true, takesAnyCell: true, keepsBlankWords: true },
)
