// Values for the empty fields of a form, from the records that are most like what was filled in already. Writes nothing.
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { ObjectWords } from './lexicon.ts'
import type { Suggestion } from './suggest.ts'
import { isFrequent, titlesOf } from './suggest.ts'
import { tell } from './telling.ts'

/** Filled fields that records are compared by, and records that are looked at: the latest of those that agree in one. */
const maxKnown = 8
const maxSimilar = 200

/** A field of the form, and what the form has in it. */
interface Known {
  readonly field: FieldSchema
  readonly value: string | number | boolean
}

/** A form that is being filled. */
export interface FormScope {
  readonly data: DataService
  readonly ctx: RequestContext
  readonly of: ObjectWords
  readonly known: readonly Known[]
  /** Fields that are empty, can be set and are of a kind whose values are told apart. */
  readonly open: readonly FieldSchema[]
  /** Records that agree with the form, the most alike first. */
  readonly similar: readonly { readonly record: PlatformRecord; readonly weight: number }[]
}

/** Looks up what a form can be filled from, with the caller's rights. @throws invalid_query for a value no field can have */
export async function readForm(
  data: DataService,
  ctx: RequestContext,
  of: ObjectWords,
  values: Readonly<Record<string, unknown>>,
): Promise<FormScope> {
  const settable = of.fields.filter((field) => !field.system && !field.computed && !field.readonly && !field.multiple)
  const isOpen = ({ name }: FieldSchema): boolean => values[name] === undefined || values[name] === null
  const known = settable
    .flatMap((field): Known[] => {
      const value = values[field.name]
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return isPlain && isFrequent(field) ? [{ field, value }] : []
    })
    .slice(0, maxKnown)
  const open = settable.filter(isOpen)
  const page =
    known.length === 0
      ? { records: [] }
      : await data.find(ctx, of.schema.name, {
          filter: { $or: known.map(({ field, value }) => ({ [field.name]: value })) },
          select: [...known.map(({ field }) => field.name), ...open.map(({ name }) => name)],
          sort: [{ field: 'id', order: 'desc' }],
          top: maxSimilar,
        })
  const similar = page.records
    .map((record) => ({ record, weight: known.filter(({ field, value }) => isSame(record[field.name], value)).length }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  return { data, ctx, of, known, open, similar }
}

/** For each empty field the value that records like the form have most, where at least two agree. */
export async function valuesOfSimilar({ data, ctx, of, open, similar }: FormScope): Promise<Suggestion[]> {
  const found: Suggestion[] = []
  for (const field of open) {
    const target = of.targetOf(field)
    const isLink = fieldTypeOf(field).relation === true
    if (!isFrequent(field) || (isLink && target === undefined)) continue
    const best = mostHeld(field, similar)
    if (best === null) continue
    const label =
      target === undefined
        ? tell(field, best.value)
        : (await titlesOf(data, ctx, of, field, target, [String(best.value)])).get(String(best.value))
    // Records the caller may not read are suggested to nobody.
    if (label === undefined || label === null) continue
    found.push({
      value: best.value,
      label,
      field: field.name,
      confidence: Math.round(best.share * 90) / 100,
      reason: `${best.count} of ${best.total} similar records have it.`,
    })
  }
  return found
}

/** The value with the most weight; records that agree in more fields count more than many that agree in one. */
function mostHeld(
  field: FieldSchema,
  similar: FormScope['similar'],
): { value: unknown; count: number; total: number; share: number } | null {
  const held = new Map<string, { value: unknown; count: number; weight: number }>()
  let total = 0
  let weights = 0
  for (const { record, weight } of similar) {
    const value = record[field.name]
    if (value === null || value === undefined) continue
    total += 1
    weights += weight ** 3
    const key = JSON.stringify(value)
    const entry = held.get(key) ?? { value, count: 0, weight: 0 }
    held.set(key, { value, count: entry.count + 1, weight: entry.weight + weight ** 3 })
  }
  const isOffered = (value: unknown): boolean =>
    field.options.length === 0 || field.options.some((option) => option.value === value && option.active !== false)
  const [best] = [...held.values()].filter(({ value }) => isOffered(value)).toSorted((a, b) => b.weight - a.weight)
  return best === undefined || best.count < 2 ? null : { ...best, total, share: best.weight / weights }
}

function isSame(stored: unknown, given: string | number | boolean): boolean {
  return typeof stored === 'string' && typeof given === 'string'
    ? stored.toLowerCase() === given.toLowerCase()
    : stored === given
}
