// Values and records in sentences, as the embedded provider writes them.
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'

/** Most characters of one value in a sentence. */
const maxValue = 200

/** What people call a record. */
export function titleOf(schema: ObjectSchema, record: PlatformRecord): string {
  const value = record[schema.displayField.name] ?? record['id']
  return cut(typeof value === 'string' || typeof value === 'number' ? String(value) : String(record['id']))
}

/** A value in words; null for one there is nothing to say of. */
export function tell(field: FieldSchema, value: unknown): string | null {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return null
  if (field.options.length > 0) {
    const labelOf = (one: unknown): string => field.options.find((option) => option.value === one)?.label ?? String(one)
    return cut(Array.isArray(value) ? value.map(labelOf).join(', ') : labelOf(value))
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return rounded(value)
  if (fieldTypeOf(field).relation === true && typeof value === 'object' && !Array.isArray(value)) {
    const related = value as PlatformRecord
    return cut(String(related['name'] ?? related['title'] ?? related['id']))
  }
  if (typeof value === 'string') return cut(value.replace(/\s+/g, ' '))
  return cut(JSON.stringify(value))
}

/** A number with two digits at most. */
export function rounded(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function cut(text: string): string {
  const points = [...text]
  return points.length <= maxValue ? text : `${points.slice(0, maxValue).join('')}…`
}
