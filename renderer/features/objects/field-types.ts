// Owns which field types a person can choose when adding a field, and what they are called. The types themselves are
// the field registry's.
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'

/** Types a person can choose, the common ones first. */
export const creatableTypes = [
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
  'lookup',
  'email',
  'url',
  'phone',
  'markdown',
  'json',
  'autonumber',
] as const

/** Types a column of a table can become: those whose values can be written as text and need nothing else. */
export const importableTypes = creatableTypes.filter((type) => type !== 'lookup' && type !== 'autonumber')

/** What a type is called; an unknown one is called by its name. */
export function typeLabel(type: string): string {
  return (creatableTypes as readonly string[]).includes(type) ? t(`type.${type}` as StringKey) : type
}
