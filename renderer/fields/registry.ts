// Owns the table of field types: which one serves a field of an object. A new type is one file in types/ and one line here:
// what the screens do with it, its entry says (field-type.ts).

import type { FieldDefinition } from './field-definition.ts'
import type { FieldType } from './field-type.ts'
import { addressField } from './types/address.ts'
import { autonumberField } from './types/autonumber.ts'
import { booleanField, toggleField } from './types/boolean.ts'
import { colorField } from './types/color.ts'
import { passwordField, secretField } from './types/concealed.ts'
import { currencyField } from './types/currency.ts'
import { dateField } from './types/date.ts'
import { datetimeField } from './types/datetime.ts'
import { emailField } from './types/email.ts'
import { audioField, avatarField, fileField, imageField, signatureField, videoField } from './types/file.ts'
import { formulaField } from './types/formula.ts'
import { compositeField, repeaterField } from './types/group.ts'
import { jsonField, vectorField } from './types/json.ts'
import { locationField } from './types/location.ts'
import { lookupField, masterDetailField, treeField, userField } from './types/lookup.ts'
import { codeField, htmlField, markdownField, richtextField } from './types/markdown.ts'
import { checkboxesField, multiselectField } from './types/multiselect.ts'
import { numberField, summaryField } from './types/number.ts'
import { percentField } from './types/percent.ts'
import { phoneField } from './types/phone.ts'
import { recordField } from './types/record.ts'
import { radioField, selectField } from './types/select.ts'
import { progressField, ratingField, sliderField } from './types/stepped.ts'
import { tagsField } from './types/tags.ts'
import { qrcodeField, textField } from './types/text.ts'
import { textareaField } from './types/textarea.ts'
import { timeField } from './types/time.ts'
import { urlField } from './types/url.ts'

/** All field types by name, in the order a person chooses from. */
const entries: Readonly<Record<string, FieldType>> = {
  text: textField,
  textarea: textareaField,
  markdown: markdownField,
  richtext: richtextField,
  html: htmlField,
  code: codeField,
  email: emailField,
  url: urlField,
  phone: phoneField,
  number: numberField,
  currency: currencyField,
  percent: percentField,
  progress: progressField,
  slider: sliderField,
  rating: ratingField,
  select: selectField,
  multiselect: multiselectField,
  boolean: booleanField,
  toggle: toggleField,
  radio: radioField,
  checkboxes: checkboxesField,
  tags: tagsField,
  date: dateField,
  datetime: datetimeField,
  time: timeField,
  lookup: lookupField,
  master_detail: masterDetailField,
  tree: treeField,
  record: recordField,
  user: userField,
  formula: formulaField,
  summary: summaryField,
  autonumber: autonumberField,
  address: addressField,
  location: locationField,
  composite: compositeField((field) => fieldTypeOf(field)),
  repeater: repeaterField((field) => fieldTypeOf(field)),
  json: jsonField,
  file: fileField,
  image: imageField,
  avatar: avatarField,
  video: videoField,
  audio: audioField,
  signature: signatureField,
  color: colorField,
  qrcode: qrcodeField,
  password: passwordField,
  secret: secretField,
  vector: vectorField,
}

const byName = new Map<string, FieldType>()

/**
 * Adds a type, or stands in for one.
 * @internal Every type of the platform stands in the table above; tests bring others.
 * @returns takes it out again
 */
export function registerFieldType(name: string, type: FieldType): () => void {
  const before = byName.get(name)
  byName.set(name, type)
  return () => {
    if (before === undefined) byName.delete(name)
    else byName.set(name, before)
  }
}

for (const [name, type] of Object.entries(entries)) registerFieldType(name, type)

/** The names of all types, in the order a person chooses from. */
export function fieldTypeNames(): string[] {
  return [...byName.keys()]
}

/** The type of a name, as definitions use it; undefined for one that is not known here. */
export function findFieldType(name: string): FieldType | undefined {
  return byName.get(name)
}

/** Whether a field of the type leads to a record that can be asked for with it. */
export function leadsToRecord(type: string): boolean {
  const link = byName.get(type)?.link
  return link === 'object' || link === 'self'
}

/** The names of the types that have a rank, the smallest rank first. */
export function typesByRank(rank: 'importRank' | 'innerRank'): string[] {
  return [...byName]
    .flatMap(([name, { [rank]: place }]) => (place === undefined ? [] : [{ name, place }]))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name)
}

/** Type that serves a field. Unknown types are shown as text, so that a newer server never breaks a screen. */
export function fieldTypeOf(field: FieldDefinition): FieldType {
  const type = field.type === 'formula' ? (field.returnType ?? 'formula') : field.type
  return byName.get(type) ?? (field.type === 'formula' ? formulaField : textField)
}

/** Tells whether people may write the field at all; permission is the server's business. */
export function isEditable(field: FieldDefinition): boolean {
  const type = byName.get(field.type)
  return !field.readonly && type !== undefined && type.computed !== true
}
