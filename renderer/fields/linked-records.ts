// Owns reading the value of a link: an id, a list of ids, or the records themselves when they were expanded. @source D-87

import type { FieldDefinition } from './field-definition.ts'
import { textOf } from './text-rules.ts'

const displayFields = ['name', 'title', 'label', 'subject', 'email']

/** Id and display text of a linked record; the id stands for records that were not expanded. */
export function linkedRecord(value: unknown, field: FieldDefinition): { id: string; label: string } {
  if (typeof value !== 'object' || value === null) return { id: textOf(value), label: textOf(value) }
  const record = value as Record<string, unknown>
  const id = textOf(record.id)
  for (const name of [field.displayField, ...displayFields]) {
    const text = name === undefined ? undefined : record[name]
    if ((typeof text === 'string' && text !== '') || typeof text === 'number') return { id, label: String(text) }
  }
  return { id, label: id }
}

/** The linked records of a value, in order. */
export function linkedRecords(value: unknown, field: FieldDefinition): { id: string; label: string }[] {
  if (value == null || value === '') return []
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items.filter((item) => item != null).map((item) => linkedRecord(item, field))
}
