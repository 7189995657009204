// A question while it is understood: the conditions found so far, what they were guessed from, and the query they make.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { Word } from './words.ts'
import type { ObjectWords } from './lexicon.ts'

/** One condition with its words. */
export interface DraftCondition {
  /** Null for one over several fields. */
  readonly field: FieldSchema | null
  readonly filter: Readonly<Record<string, unknown>>
  readonly text: string
  /** The option or value when the condition is a plain equality, which a second one joins to a list. */
  readonly equals?: { readonly value: unknown; readonly label: string }
}

/** The structured query of an answer, in the words of the data endpoints. */
export interface StructuredQuery {
  object: string
  filter: Record<string, unknown>
  sort: { field: string; order: 'asc' | 'desc' }[]
  top: number
  groupBy?: (string | { field: string; dateGranularity: string; alias: string })[]
  aggregations?: { function: string; field?: string; alias: string }[]
}

/** What was understood of a question. */
export interface Draft {
  readonly words: readonly Word[]
  readonly of: ObjectWords
  /** Places of words that are accounted for. */
  readonly used: Set<number>
  readonly conditions: DraftCondition[]
  readonly sort: { path: string; order: 'asc' | 'desc'; label: string }[]
  top: number | null
  measure: { function: 'count' | 'sum' | 'avg' | 'min' | 'max'; field: FieldSchema | null } | null
  group: { path: string; label: string; granularity: string | null } | null
  /** How far guesses are to be trusted, 0 to 1. */
  trust: number
}

/** Rows of a list nobody limited, and groups. */
const standardTop = 20
const groupsTop = 100

/** Begins a draft. */
export function startDraft(words: readonly Word[], of: ObjectWords): Draft {
  return {
    words,
    of,
    used: new Set(),
    conditions: [],
    sort: [],
    top: null,
    measure: null,
    group: null,
    trust: 1,
  }
}

/** Marks words as accounted for. */
export function use(draft: Draft, from: number, to: number): void {
  for (let at = from; at < to; at += 1) draft.used.add(at)
}

/** Adds a condition; an equality of a field that has one already widens it, and `or` joins it to the one before. */
export function addCondition(draft: Draft, condition: DraftCondition, joinedByOr: boolean): void {
  const { conditions } = draft
  const before = conditions.findIndex(
    ({ field, equals }) => equals !== undefined && field !== null && field === condition.field,
  )
  if (condition.equals !== undefined && before >= 0) {
    const known = conditions[before]!
    const values = [inValues(known), condition.equals.value].flat()
    const label = `${known.equals!.label} or ${condition.equals.label}`
    conditions[before] = {
      field: condition.field,
      filter: { [condition.field!.name]: { $in: values } },
      text: `${condition.field!.label} is ${label}`,
      equals: { value: values, label },
    }
    return
  }
  const last = conditions.at(-1)
  if (joinedByOr && last !== undefined) {
    conditions[conditions.length - 1] = {
      field: null,
      filter: { $or: [last.filter, condition.filter] },
      text: `(${last.text} or ${condition.text})`,
    }
    draft.trust *= 0.9
    return
  }
  conditions.push(condition)
}

function inValues({ equals }: DraftCondition): unknown {
  return equals!.value
}

/** The query of a draft. */
export function queryOf(draft: Draft): StructuredQuery {
  const { of, measure, group } = draft
  const filter = joined(draft.conditions.map((condition) => condition.filter))
  const sort = draft.sort.map(({ path, order }) => ({ field: path, order }))
  if (measure === null && group === null) return { object: of.schema.name, filter, sort, top: draft.top ?? standardTop }
  const used = measure ?? { function: 'count', field: null }
  const alias = used.field === null ? 'count' : `${used.function}_${used.field.name}`
  const groupBy =
    group === null
      ? undefined
      : [
          group.granularity === null
            ? group.path
            : { field: group.path, dateGranularity: group.granularity, alias: group.granularity },
        ]
  // Orders over records mean nothing over groups: the largest come first, or time runs on.
  const isTime = group !== null && group.granularity !== null
  const order =
    group === null
      ? []
      : isTime
        ? [{ field: group.granularity!, order: 'asc' as const }]
        : [{ field: alias, order: directionOf(draft) }]
  return {
    object: of.schema.name,
    filter,
    sort: order,
    top: draft.top ?? groupsTop,
    ...(groupBy === undefined ? {} : { groupBy }),
    aggregations: [{ function: used.function, ...(used.field === null ? {} : { field: used.field.name }), alias }],
  }
}

function directionOf({ sort }: Draft): 'asc' | 'desc' {
  return sort[0]?.order ?? 'desc'
}

function joined(filters: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const keys = filters.flatMap(Object.keys)
  if (new Set(keys).size < keys.length || (keys.includes('$or') && keys.length > 1)) return { $and: filters }
  return Object.assign({}, ...filters) as Record<string, unknown>
}

/** The query in a sentence. */
export function explain(draft: Draft): string {
  const { of, measure, group, conditions, sort, top } = draft
  const what = of.schema.pluralLabel
  const value =
    measure === null
      ? null
      : measure.function === 'count' || measure.field === null
        ? `the number of ${what}`
        : `the ${functionNames[measure.function]} of ${measure.field.label} over ${what}`
  const parts = [value ?? (group === null ? what : `the number of ${what}`)]
  if (conditions.length > 0) parts.push(`where ${conditions.map(({ text }) => text).join(' and ')}`)
  if (group !== null)
    parts.push(`by ${group.granularity === null ? group.label : `${group.granularity} of ${group.label}`}`)
  if (measure === null && sort.length > 0)
    parts.push(
      `sorted by ${sort.map(({ label, order }) => `${label} (${order === 'asc' ? 'ascending' : 'descending'})`).join(', ')}`,
    )
  if (top !== null) parts.push(`at most ${top}`)
  const sentence = parts.join(', ').replace(', where', ' where').replace(', by', ' by')
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`
}

const functionNames = {
  sum: 'sum',
  avg: 'average',
  min: 'lowest value',
  max: 'highest value',
  count: 'number',
} as const
