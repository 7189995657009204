// Owns reading and writing what an object and its fields are called in a language, in a `translation` item. Pure.
// @source D-180
import type { ObjectItem } from './object-item.ts'

/** Labels of an object in one language; what has none there is empty. */
export interface ObjectLabels {
  label: string
  pluralLabel: string
  fields: Readonly<Record<string, string>>
}

type Json = Readonly<Record<string, unknown>>

const part = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The name of the item that holds what people wrote in a language. */
export function labelItemName(locale: string): string {
  return `labels_${locale.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`
}

/** The labels of an object in an item; undefined stands for no item. */
export function readLabels(item: Json | undefined, object: ObjectItem): ObjectLabels {
  const own = part(part(part(item?.['translations'])['objects'])[object.name])
  const fields = part(own['fields'])
  return {
    label: text(own['label']),
    pluralLabel: text(own['pluralLabel']),
    fields: Object.fromEntries(Object.keys(object.fields).map((name) => [name, text(part(fields[name])['label'])])),
  }
}

/** The item with the labels of an object put in; everything else of it stays. An empty label is taken out. */
export function writeLabels(item: Json | undefined, locale: string, object: string, labels: ObjectLabels): Json {
  const translations = part(item?.['translations'])
  const objects = part(translations['objects'])
  const own = part(objects[object])
  const fields: Record<string, unknown> = { ...part(own['fields']) }
  for (const [name, label] of Object.entries(labels.fields)) {
    const field = withText(part(fields[name]), 'label', label)
    if (Object.keys(field).length > 0) fields[name] = field
    else delete fields[name]
  }
  const named = withText(withText(own, 'label', labels.label), 'pluralLabel', labels.pluralLabel)
  return {
    ...item,
    name: labelItemName(locale),
    locale,
    translations: { ...translations, objects: { ...objects, [object]: { ...named, fields } } },
  }
}

function withText(entry: Json, key: string, value: string): Json {
  const { [key]: _before, ...rest } = entry
  return value.trim() === '' ? rest : { ...rest, [key]: value.trim() }
}
