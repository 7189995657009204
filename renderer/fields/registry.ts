// Owns the table of field types: which one serves a field of an object.
// A new type is one file in types/ and one line here.

import type { FieldDefinition } from './field-definition.ts'
import type { FieldType } from './field-type.ts'
import { addressField } from './types/address.ts'
import { autonumberField } from './types/autonumber.ts'
import { booleanField } from './types/boolean.ts'
import { colorField } from './types/color.ts'
import { passwordField, secretField } from './types/concealed.ts'
import { currencyField } from './types/currency.ts'
import { dateField } from './types/date.ts'
import { datetimeField } from './types/datetime.ts'
import { emailField } from './types/email.ts'
import { fileField } from './types/file.ts'
import { formulaField } from './types/formula.ts'
import { compositeField, repeaterField } from './types/group.ts'
import { jsonField } from './types/json.ts'
import { locationField } from './types/location.ts'
import { lookupField } from './types/lookup.ts'
import { markdownField } from './types/markdown.ts'
import { checkboxesField, multiselectField } from './types/multiselect.ts'
import { numberField } from './types/number.ts'
import { percentField } from './types/percent.ts'
import { phoneField } from './types/phone.ts'
import { recordField } from './types/record.ts'
import { radioField, selectField } from './types/select.ts'
import { progressField, ratingField, sliderField } from './types/stepped.ts'
import { tagsField } from './types/tags.ts'
import { textField } from './types/text.ts'
import { textareaField } from './types/textarea.ts'
import { timeField } from './types/time.ts'
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
  progressField,
  sliderField,
  ratingField,
  booleanField,
  dateField,
  datetimeField,
  timeField,
  selectField,
  radioField,
  multiselectField,
  checkboxesField,
  tagsField,
  lookupField,
  recordField,
  emailField,
  urlField,
  phoneField,
  fileField,
  addressField,
  locationField,
  compositeField((field) => fieldTypeOf(field)),
  repeaterField((field) => fieldTypeOf(field)),
  colorField,
  passwordField,
  secretField,
  jsonField,
  autonumberField,
  formulaField,
]

const byType = new Map(fieldTypeList.flatMap((type) => type.types.map((name) => [name, type] as const)))

// Shown but never typed: computed by the server, or written by programs.
const writtenElsewhere = new Set(['formula', 'summary', 'vector'])

/** Type that serves a field. Unknown types are shown as text, so that a newer server never breaks a screen. */
export function fieldTypeOf(field: FieldDefinition): FieldType {
  if (field.type === 'formula') return byType.get(field.returnType ?? 'formula') ?? formulaField
  if (field.type === 'summary') return numberField
  return byType.get(field.type) ?? textField
}

/** Tells whether people may write the field at all; permission is the server's business. */
export function isEditable(field: FieldDefinition): boolean {
  if (field.readonly || writtenElsewhere.has(field.type)) return false
  return byType.has(field.type) && fieldTypeOf(field).computed !== true
}
