// The field type `email`.
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { textualType } from './textual.ts'

const form = /^[^\s@]+@(?:localhost|[^\s@.]+(?:\.[^\s@.]+)+)$/iu

/** Whether the text is one address: one `@`, a domain with a dot or `localhost`, at most 320 characters. */
export function isEmail(text: string): boolean {
  return text.length <= 320 && form.test(text)
}

/** One e-mail address, compared insensitively. @source D-94 */
export const emailType: FieldType = textualType(
  {
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: true, aggregatable: 'none' },
    maxLength: 320,
    blankIsNull: true,
    check(text, field) {
      return isEmail(text) ? undefined : refused(field, 'invalid_email', 'The value is not an e-mail address.', text)
    },
    jsonSchema: { format: 'email' },
  },
  { family: 'text', searchedUnasked: true, names: true, ignoresCase: true },
)
