// Owns the table of field types: which one serves a field of an object.
// A new type is one file in types/ and one line here.

import type { FieldDefinition } from './field-definition.ts'
import type { FieldType } from './field-type.ts'
import { autonumberField } from './types/autonumber.ts'
import { booleanField } from './types/boolean.ts'
import { currencyField } from './types/currency.ts'
import { dateField } from './types/date.ts'
import { datetimeField } from './types/datetime.ts'
import { emailField } from './types/email.ts'
import { fileField } from './types/file.ts'
import { jsonField } from './types/json.ts'
import { lookupField } from './types/lookup.ts'
import { markdownField } from './types/markdown.ts'
import { multiselectField } from './types/multiselect.ts'
import { numberField } from './types/number.ts'
import { percentField } from './types/percent.ts'
import { phoneField } from './types/phone.ts'
import { selectField } from './types/select.ts'
import { tagsField } from './types/tags.ts'
import { textField } from './types/text.ts'
import { textareaField } from './types/textarea.ts'
import { urlField } from './types/url.ts'

/**
 * All field types, in the order a person chooses from.
 * @internal Seen by tests; screens ask for the type of a field.
 */
export const fieldTypeList: readonly FieldType[] = [
  textField,
  textareaField,
  markdownField,
  numberField,
  currencyField,
  percentField,
  booleanField,
  dateField,
  datetimeField,
  selectField,
  multiselectField,
  tagsField,
  lookupField,
  emailField,
  urlField,
  phoneField,
  fileField,
  jsonField,
  autonumberField,
]

const byType = new Map(fieldTypeList.flatMap((type) => type.types.map((name) => [name, type] as const)))

// Shown but never typed into a cell: computed by the server, or written by a dialog of their own.
const writtenElsewhere = new Set(['formula', 'summary', 'password', 'secret', 'vector', 'qrcode'])

/** Type that serves a field. Unknown types are shown as text, so that a newer server never breaks a screen. */
export function fieldTypeOf(field: FieldDefinition): FieldType {
  if (field.type === 'formula') return byType.get(field.returnType ?? 'text') ?? textField
  if (field.type === 'summary') return numberField
  return byType.get(field.type) ?? textField
}

/** Tells whether people may write the field at all; permission is the server's business. */
export function isEditable(field: FieldDefinition): boolean {
  if (field.readonly || writtenElsewhere.has(field.type)) return false
  return byType.has(field.type) && fieldTypeOf(field).computed !== true
}
