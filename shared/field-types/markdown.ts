// The field type `markdown`: formatted text kept as its source.
import type { FieldType } from './field-type.ts'
import { textualType } from './textual.ts'

/** Markdown source. @source D-94 */
export const markdownType: FieldType = textualType(
  {
    operators: 'P',
    flags: { search: 'optional', sortable: false, groupable: false, aggregatable: 'none' },
    maxLength: 1_000_000,
  },
  { family: 'text', long: true, searchedUnasked: true, takesAnyCell: true, keepsBlankWords: true },
)
