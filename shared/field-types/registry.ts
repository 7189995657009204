// Every field type by name. A new type is one file and one line here: what the rest of the platform does with it, its entry
// says (field-type.ts).
import { addressType } from './address.ts'
import { autonumberType } from './autonumber.ts'
import { booleanType, toggleType } from './boolean.ts'
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
import { audioType, fileType, imageType, signatureType, videoType } from './file.ts'
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

/**
 * The field types a definition may name, in the order a picker shows them.
 * @internal Others ask by name.
 * @source D-94
 */
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
  toggle: toggleType,
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
  signature: signatureType,
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

/**
 * The name of a field type.
 * @internal
 */
export type FieldTypeName = keyof typeof fieldTypes

const defined = new Map<string, FieldType>()

/**
 * Adds a type that definitions may name, or stands in for one.
 * @internal Every type of the platform stands in {@link fieldTypes}; tests bring others.
 * @returns takes it out again
 */
export function registerFieldType(name: string, type: FieldType): () => void {
  const before = defined.get(name)
  defined.set(name, type)
  return () => {
    if (before === undefined) defined.delete(name)
    else defined.set(name, before)
  }
}

for (const [name, type] of Object.entries(fieldTypes)) registerFieldType(name, type)

/** The names a definition may use, in the order a picker shows them. */
export function fieldTypeNames(): string[] {
  return [...defined.keys()]
}

/** The type of that name as definitions use it; undefined when there is none. */
export function findFieldType(name: unknown): FieldType | undefined {
  return defined.get(name as string)
}

/** The type of a compiled field; `id` is the type of the system field of that name. A formula acts as its result. */
export function fieldTypeOf(field: Pick<FieldSchema, 'type'> & Partial<Pick<FieldSchema, 'settings'>>): FieldType {
  const found = defined.get(field.type) ?? (field.type === 'id' ? recordIdType : undefined)
  if (!found) throw new Error(`There is no field type "${field.type}".`)
  return found.variant === undefined || field.settings === undefined ? found : found.variant(field.settings)
}

/** The type a field is declared with: a formula is a formula whatever it answers. */
export function declaredTypeOf({ type }: Pick<FieldSchema, 'type'>): FieldType {
  return fieldTypeOf({ type })
}

/** Whether the values of a field are kept out of sight: in no file, result, index or history. */
export function isConcealed(field: Pick<FieldSchema, 'type'>): boolean {
  return declaredTypeOf(field).concealed !== undefined
}

/** Whether a type may be an inner field of a group: values only, no relations, files, computed or concealed ones. */
export function isInnerType(type: FieldType): boolean {
  const { computed, relation, file, concealed, outerOnly } = type
  return !computed && !relation && !file && concealed === undefined && !outerOnly
}

/** Whether what machines add to a field at the same time can be summed up. */
export function canBeSum(field: Pick<FieldSchema, 'type'>): boolean {
  return findFieldType(field.type)?.summable === true
}
