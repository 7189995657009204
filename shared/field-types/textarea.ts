// The field type `textarea`: several lines of plain text.
import type { FieldType } from './field-type.ts'
import { textualType } from './textual.ts'

/** Several lines of plain text. @source D-94 */
export const textareaType: FieldType = textualType(
  {
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: false, aggregatable: 'none' },
    maxLength: 100_000,
  },
  { family: 'text', long: true, searchedUnasked: true, takesAnyCell: true, keepsBlankWords: true },
)
