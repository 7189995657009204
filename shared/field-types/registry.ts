// Every field type by name. A new type is one file and one line here.
import { autonumberType } from './autonumber.ts'
import { booleanType } from './boolean.ts'
import { currencyType } from './currency.ts'
import { dateType } from './date.ts'
import { datetimeType } from './datetime.ts'
import { emailType } from './email.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { jsonType } from './json.ts'
import { lookupType } from './lookup.ts'
import { markdownType } from './markdown.ts'
import { multiselectType } from './multiselect.ts'
import { numberType } from './number.ts'
import { percentType } from './percent.ts'
import { phoneType } from './phone.ts'
import { recordIdType } from './record-id.ts'
import { selectType } from './select.ts'
import { tagsType } from './tags.ts'
import { textType } from './text.ts'
import { textareaType } from './textarea.ts'
import { urlType } from './url.ts'
import { userType } from './user.ts'

/** The field types a definition may name, in the order a picker shows them. @source D-94 */
export const fieldTypes = {
  text: textType,
  textarea: textareaType,
  markdown: markdownType,
  email: emailType,
  url: urlType,
  phone: phoneType,
  number: numberType,
  currency: currencyType,
  percent: percentType,
  boolean: booleanType,
  date: dateType,
  datetime: datetimeType,
  select: selectType,
  multiselect: multiselectType,
  tags: tagsType,
  lookup: lookupType,
  user: userType,
  json: jsonType,
  autonumber: autonumberType,
} as const satisfies Readonly<Record<string, FieldType>>

/** The name of a field type. */
export type FieldTypeName = keyof typeof fieldTypes

const byName = new Map<string, FieldType>(Object.entries(fieldTypes))
byName.set('id', recordIdType)

/** Whether definitions may use the type. */
export function isFieldTypeName(name: string): name is FieldTypeName {
  return Object.hasOwn(fieldTypes, name)
}

/** The type of a compiled field; `id` is the type of the system field of that name. */
export function fieldTypeOf(field: Pick<FieldSchema, 'type'>): FieldType {
  const found = byName.get(field.type)
  if (!found) throw new Error(`There is no field type "${field.type}".`)
  return found
}
