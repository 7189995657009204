// Suggestions by frequency: what other records have in a field, options, and titles of related records.
import { invalidQuery } from '#shared/errors.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { ObjectWords } from './lexicon.ts'
import { isFlag } from './lexicon.ts'
import { titleOf } from './telling.ts'

/** One value that may be meant. */
export interface Suggestion {
  value: unknown
  label: string
  field?: string
  confidence: number
  reason?: string
}

/** Most suggestions of one answer, and fields that are filled at once. */
const most = 10

/** Suggests values for one field, or for the empty ones of a record. @throws invalid_query for a field that is not there */
export async function suggestValues(
  data: DataService,
  ctx: RequestContext,
  of: ObjectWords,
  asked: { readonly field: string | undefined; readonly partial: string; readonly record: PlatformRecord | null },
): Promise<Suggestion[]> {
  if (asked.field !== undefined) {
    const field = of.fields.find(({ name }) => name === asked.field)
    if (field === undefined)
      throw invalidQuery('field', `There is no field "${asked.field.slice(0, 100)}".`, { path: '' })
    return (await valuesOf(data, ctx, of, field, asked.partial)).slice(0, most)
  }
  const open = of.fields.filter((field) => {
    if (field.system || field.computed || field.readonly || !isFrequent(field)) return false
    const value = asked.record?.[field.name]
    return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  })
  const found: Suggestion[] = []
  for (const field of open.slice(0, most)) {
    const [first] = await valuesOf(data, ctx, of, field, asked.partial)
    if (first !== undefined) found.push(first)
  }
  return found.toSorted((a, b) => b.confidence - a.confidence).slice(0, most)
}

/** Whether values of the field come again and again. */
export function isFrequent(field: FieldSchema): boolean {
  return field.options.length > 0 || isFlag(field) || fieldTypeOf(field).flags.groupable
}

async function valuesOf(
  data: DataService,
  ctx: RequestContext,
  of: ObjectWords,
  field: FieldSchema,
  partial: string,
): Promise<Suggestion[]> {
  const target = of.targetOf(field)
  if (target !== undefined && target !== userDirectory && partial !== '') {
    const { name, type } = target.displayField
    if (type === 'id') return []
    const page = await data.find(ctx, target.name, { filter: { [name]: { $contains: partial } }, top: most })
    return page.records.map((record) => ({
      value: record['id'],
      label: titleOf(target, record),
      field: field.name,
      confidence: titleOf(target, record).toLowerCase().startsWith(partial.toLowerCase()) ? 0.7 : 0.5,
      reason: `${target.label} with this title.`,
    }))
  }
  // Ids of records the caller may not read say nothing to anybody.
  if (target === undefined && fieldTypeOf(field).relation === true) return []
  const counted = isFrequent(field) ? await countValues(data, ctx, of, field, target) : []
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  const options = field.options
    .filter((option) => option.active !== false && !counted.some(({ value }) => value === option.value))
    .map(({ value, label }) => ({ value, label, count: 0 }))
  return [...counted, ...options]
    .filter(({ label }) => fits(label, partial))
    .map(({ value, label, count }) => ({
      value,
      label,
      field: field.name,
      confidence: total === 0 ? 0.1 : Math.round(Math.max(0.05, (count / total) * 0.9) * 100) / 100,
      reason: count === 0 ? 'An option of the field.' : `${count} of ${total} records have it.`,
    }))
}

async function countValues(
  data: DataService,
  ctx: RequestContext,
  of: ObjectWords,
  field: FieldSchema,
  target: ObjectWords['schema'] | undefined,
): Promise<{ value: unknown; label: string; count: number }[]> {
  const page = await data.find(ctx, of.schema.name, {
    filter: { [field.name]: { $null: false } },
    groupBy: [{ field: field.name, alias: 'value' }],
    aggregations: [{ function: 'count', alias: 'count' }],
    sort: [{ field: 'count', order: 'desc' }],
    top: 100,
  })
  const rows = page.records.map(({ value, count }) => ({ value, count: Number(count) }))
  if (target === undefined) {
    const labelOf = (value: unknown): string =>
      field.options.find((option) => option.value === value)?.label ?? String(value as string | number | boolean)
    return rows.map(({ value, count }) => ({ value, label: labelOf(value), count }))
  }
  const titles = await titlesOf(
    data,
    ctx,
    of,
    field,
    target,
    rows.slice(0, most).map(({ value }) => String(value)),
  )
  // Records the caller may not read are suggested to nobody.
  return rows.flatMap(({ value, count }) => {
    const label = titles.get(String(value))
    return label === undefined ? [] : [{ value, label, count }]
  })
}

/** What related records are called, by id; those the caller may not read are missing. */
export async function titlesOf(
  data: DataService,
  ctx: RequestContext,
  of: ObjectWords,
  field: FieldSchema,
  target: ObjectWords['schema'],
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  if (target !== userDirectory) {
    const page = await data.find(ctx, target.name, { filter: { id: { $in: ids } }, top: ids.length })
    return new Map(page.records.map((record) => [String(record['id']), titleOf(target, record)]))
  }
  const page = await data.find(ctx, of.schema.name, {
    filter: { [field.name]: { $in: ids } },
    expand: field.name,
    select: field.name,
    top: 100,
  })
  return new Map(
    page.records.flatMap((record) => {
      const person = record[field.name]
      if (typeof person !== 'object' || person === null || Array.isArray(person)) return []
      return [[String((person as PlatformRecord)['id']), titleOf(userDirectory, person as PlatformRecord)]]
    }),
  )
}

function fits(label: string, partial: string): boolean {
  return label.toLowerCase().includes(partial.trim().toLowerCase())
}
