// Every field type by name. A new type is one file and one line here.
import { addressType } from './address.ts'
import { autonumberType } from './autonumber.ts'
import { booleanType } from './boolean.ts'
import { codeType } from './code.ts'
import { colorType } from './color.ts'
import { compositeType, repeaterType } from './composite.ts'
import { passwordType, secretType } from './concealed.ts'
import { currencyType } from './currency.ts'
import { dateType } from './date.ts'
import { datetimeType } from './datetime.ts'
import { emailType } from './email.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { audioType, fileType, imageType, videoType } from './file.ts'
import { formulaType } from './formula.ts'
import { htmlType } from './html.ts'
import { jsonType } from './json.ts'
import { locationType } from './location.ts'
import { lookupType } from './lookup.ts'
import { markdownType } from './markdown.ts'
import { masterDetailType } from './master-detail.ts'
import { multiselectType } from './multiselect.ts'
import { numberType } from './number.ts'
import { percentType } from './percent.ts'
import { phoneType } from './phone.ts'
import { qrcodeType } from './qrcode.ts'
import { recordIdType } from './record-id.ts'
import { recordType } from './record.ts'
import { selectType } from './select.ts'
import { ratingType, sliderType } from './stepped.ts'
import { summaryType } from './summary.ts'
import { tagsType } from './tags.ts'
import { textType } from './text.ts'
import { textareaType } from './textarea.ts'
import { timeType } from './time.ts'
import { treeType } from './tree.ts'
import { urlType } from './url.ts'
import { userType } from './user.ts'
import { vectorType } from './vector.ts'

/** The field types a definition may name, in the order a picker shows them. @source D-94 */
export const fieldTypes = {
  text: textType,
  textarea: textareaType,
  markdown: markdownType,
  html: htmlType,
  richtext: htmlType,
  code: codeType,
  email: emailType,
  url: urlType,
  phone: phoneType,
  number: numberType,
  currency: currencyType,
  percent: percentType,
  progress: sliderType,
  slider: sliderType,
  rating: ratingType,
  boolean: booleanType,
  toggle: booleanType,
  date: dateType,
  datetime: datetimeType,
  time: timeType,
  select: selectType,
  radio: selectType,
  multiselect: multiselectType,
  checkboxes: multiselectType,
  tags: tagsType,
  lookup: lookupType,
  master_detail: masterDetailType,
  tree: treeType,
  user: userType,
  record: recordType,
  file: fileType,
  image: imageType,
  avatar: imageType,
  video: videoType,
  audio: audioType,
  signature: imageType,
  formula: formulaType,
  summary: summaryType,
  autonumber: autonumberType,
  address: addressType,
  location: locationType,
  composite: compositeType((field) => fieldTypeOf(field)),
  repeater: repeaterType((field) => fieldTypeOf(field)),
  json: jsonType,
  color: colorType,
  qrcode: qrcodeType,
  password: passwordType,
  secret: secretType,
  vector: vectorType,
} as const satisfies Readonly<Record<string, FieldType>>

/** The name of a field type. */
export type FieldTypeName = keyof typeof fieldTypes

const byName = new Map<string, FieldType>(Object.entries(fieldTypes))
byName.set('id', recordIdType)

/** Whether definitions may use the type. */
export function isFieldTypeName(name: string): name is FieldTypeName {
  return Object.hasOwn(fieldTypes, name)
}

/** The type of a compiled field; `id` is the type of the system field of that name. A formula acts as its result. */
export function fieldTypeOf(field: Pick<FieldSchema, 'type'> & Partial<Pick<FieldSchema, 'settings'>>): FieldType {
  const found = byName.get(field.type)
  if (!found) throw new Error(`There is no field type "${field.type}".`)
  return found.variant === undefined || field.settings === undefined ? found : found.variant(field.settings)
}
