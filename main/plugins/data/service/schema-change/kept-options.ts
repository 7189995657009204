// Options that a new definition leaves out although records use them: without consent they stay, taking no new values.
import type { MetadataItem, SchemaChangeStep } from '#main/plugins/metadata/api.ts'

type Field = Readonly<Record<string, unknown>>

/**
 * The definition with the options records still use, inactive at the end of their lists; null when there are none.
 * @source D-100
 */
export function keepUsedOptions(
  previous: MetadataItem,
  next: Record<string, unknown>,
  plan: readonly SchemaChangeStep[],
): { item: Record<string, unknown>; kept: { field: string; option: string }[] } | null {
  const kept = plan.flatMap(({ change, field, from, records }) =>
    change === 'remove_option' && records > 0 && field !== undefined ? [{ field, option: String(from) }] : [],
  )
  const fields = fieldsOf(next)
  const before = Object.values(fieldsOf(previous.item))
  const present = kept.filter(({ field }) => Object.hasOwn(fields, field))
  if (present.length === 0) return null
  const changed = Object.entries(fields).map(([name, field]): [string, Field] => {
    const options = present.filter((entry) => entry.field === name).map((entry) => entry.option)
    if (options.length === 0) return [name, field]
    const old = before.find((candidate) => candidate['uid'] === field['uid'])
    const inactive = options.map((option) => ({ ...optionOf(old, option), active: false, default: false }))
    return [name, { ...field, options: [...listOf(field), ...inactive] }]
  })
  return { item: { ...next, fields: Object.fromEntries(changed) }, kept: present }
}

function fieldsOf(item: Readonly<Record<string, unknown>>): Readonly<Record<string, Field>> {
  return (item['fields'] ?? {}) as Readonly<Record<string, Field>>
}

function listOf(field: Field | undefined): readonly unknown[] {
  return Array.isArray(field?.['options']) ? field['options'] : []
}

function optionOf(field: Field | undefined, value: string): Record<string, unknown> {
  const found = listOf(field).find(
    (option) => typeof option === 'object' && option !== null && (option as { value?: unknown }).value === value,
  )
  return found === undefined ? { value } : { ...(found as Record<string, unknown>) }
}
