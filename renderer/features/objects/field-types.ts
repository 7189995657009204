// Owns how the types of fields are offered: in groups, the common ones first, each with a name and one line that says
// what it holds. The types themselves are the field registry's.
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'

/** The types by group, in the order a person meets them. */
export const typeGroups = {
  text: ['text', 'textarea', 'markdown', 'richtext', 'html', 'code', 'email', 'url', 'phone'],
  number: ['number', 'currency', 'percent', 'progress', 'slider', 'rating'],
  choice: ['select', 'multiselect', 'boolean', 'toggle', 'radio', 'checkboxes', 'tags'],
  date: ['date', 'datetime', 'time'],
  relation: ['lookup', 'master_detail', 'tree', 'record', 'user'],
  computed: ['formula', 'summary', 'autonumber'],
  structure: ['address', 'location', 'composite', 'repeater', 'json'],
  file: ['file', 'image', 'avatar', 'video', 'audio', 'signature'],
  other: ['color', 'qrcode', 'password', 'secret', 'vector'],
} as const

/** Key of a group of types. */
export type TypeGroup = keyof typeof typeGroups

/** All groups in their order. */
export const typeGroupNames = Object.keys(typeGroups) as TypeGroup[]

const known: ReadonlySet<string> = new Set(Object.values(typeGroups).flat())

/** Types a column of a table can become: those whose values can be written as text and need nothing else. */
export const importableTypes = [
  'text',
  'textarea',
  'number',
  'currency',
  'percent',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiselect',
  'tags',
  'email',
  'url',
  'phone',
  'markdown',
  'json',
] as const

/** What a type is called; an unknown one is called by its name. */
export function typeLabel(type: string): string {
  return known.has(type) ? t(`type.${type}` as StringKey) : type
}

/** One line about what a type holds; empty for an unknown one. */
export function typeHint(type: string): string {
  return known.has(type) ? t(`type.${type}.hint` as StringKey) : ''
}

/** What a group of types is called. */
export function groupLabel(group: TypeGroup): string {
  return t(`typeGroup.${group}`)
}

/** The types whose name, label or line holds every word of a text; all for an empty one. Types keep their order. */
export function searchTypes(text: string): { group: TypeGroup; types: string[] }[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const holds = (type: string): boolean => {
    const said = `${type} ${typeLabel(type)} ${typeHint(type)}`.toLowerCase()
    return words.every((word) => said.includes(word))
  }
  return typeGroupNames
    .map((group) => ({ group, types: typeGroups[group].filter(holds) }))
    .filter((found) => found.types.length > 0)
}
