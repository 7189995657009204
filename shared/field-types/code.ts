// The field type `code`: source text shown in a fixed-width face.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { textSettings, textualType } from './textual.ts'

/** Source text; `language` names its syntax for display only. @source D-94 */
export const codeType: FieldType = textualType(
  {
    operators: 'P',
    flags: { search: 'optional', sortable: false, groupable: false, aggregatable: 'none' },
    maxLength: 1_000_000,
    settings: { ...textSettings, language: z.string().max(100).optional() },
  },
  { family: 'text', long: true, takesAnyCell: true },
)
