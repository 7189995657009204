// Adds the options that rows use and a choice field does not have yet (`createMissingOptions`).
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { MappedColumn } from './columns.ts'

const optionValue = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

/** A choice and the value it is stored as. */
interface MissingOption {
  readonly value: string
  readonly label: string
}

/**
 * Saves the object with the options the rows are missing; does nothing when none is.
 * @returns whether the definition changed
 */
export async function addMissingOptions(
  metadata: MetadataService,
  ctx: RequestContext,
  schema: ObjectSchema,
  columns: readonly MappedColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<boolean> {
  const choices = columns.filter(({ field }) => field.type === 'select' || field.type === 'multiselect')
  const missing = new Map<string, MissingOption[]>()
  for (const { column, field } of choices) {
    const found = missingOf(
      field,
      rows.map((row) => row[column]),
    )
    if (found.length > 0) missing.set(field.name, found)
  }
  const item = metadata.get('object', schema.name)
  if (missing.size === 0 || item === undefined) return false
  const definition = structuredClone(item.item) as { fields: Record<string, { options?: unknown[] }> }
  for (const [name, options] of missing) {
    const field = definition.fields[name]!
    field.options = [...(field.options ?? []), ...options]
  }
  await metadata.save(ctx, { type: 'object', name: schema.name, item: definition })
  return true
}

function missingOf(field: FieldSchema, cells: readonly unknown[]): MissingOption[] {
  const known = new Set(field.options.flatMap((option) => [option.value, option.label.toLowerCase()]))
  const taken = new Set(field.options.map((option) => option.value))
  const added: MissingOption[] = []
  for (const cell of cells) {
    for (const label of labelsOf(cell, field)) {
      if (known.has(label) || known.has(label.toLowerCase())) continue
      const value = freeValue(label, taken)
      added.push({ value, label })
      known.add(label.toLowerCase())
      taken.add(value)
    }
  }
  return added
}

function labelsOf(cell: unknown, field: FieldSchema): string[] {
  const parts = Array.isArray(cell) ? cell : typeof cell === 'string' && field.multiple ? cell.split(/[;,]/) : [cell]
  return parts
    .filter((part) => typeof part === 'string')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The label itself where it may be a value, else a word made of it (D-94: `select`). */
function freeValue(label: string, taken: ReadonlySet<string>): string {
  const word = optionValue.test(label)
    ? label
    : label
        .normalize('NFKD')
        .replace(/[^A-Za-z0-9]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .toLowerCase() || 'option'
  if (!taken.has(word)) return word
  let number = 2
  while (taken.has(`${word}_${number}`)) number += 1
  return `${word}_${number}`
}
