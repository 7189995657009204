// The field type `phone`.
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { textualType } from './textual.ts'

/** Whether the text is a telephone number: at least 5 of digits and `+()-. `, at least 3 of them digits. */
export function isPhone(text: string): boolean {
  return /^[0-9+()\-. ]{5,}$/.test(text) && text.replace(/[^0-9]/g, '').length >= 3
}

/** A telephone number, stored as written. @source D-94 */
export const phoneType: FieldType = textualType(
  {
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: false, aggregatable: 'none' },
    maxLength: 100,
    blankIsNull: true,
    check(text, field) {
      return isPhone(text) ? undefined : refused(field, 'invalid_phone', 'The value is not a telephone number.', text)
    },
  },
  { family: 'text', searchedUnasked: true, names: true },
)
