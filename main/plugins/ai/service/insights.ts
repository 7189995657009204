// Insights by statistics: how many records there are and what they have, how that changes, what stands out, what is missing.
import type { RequestContext } from '#main/kernel/context.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import { tellRecord } from './embedded-chat.ts'
import type { Lexicon, ObjectWords } from './lexicon.ts'
import { isDay, isFlag, isNumber } from './lexicon.ts'
import { rounded, titleOf } from './telling.ts'

/** What is looked at. */
export type InsightType = 'summary' | 'trends' | 'anomalies' | 'recommendations'

/** One thing that stands out. */
export interface Insight {
  type: InsightType
  title: string
  description: string
  confidence: number
  data?: Record<string, unknown>
}

/** What insights are made with. */
export interface InsightScope {
  readonly data: DataService
  readonly ctx: RequestContext
  readonly of: ObjectWords
  readonly lexicon: Lexicon
  /** The record that is looked at; null for all of the object. */
  readonly record: PlatformRecord | null
}

/** Fields of one kind that are looked at, and records values are compared among. */
const maxFields = 5
const sample = 1_000
/** A value so many quartile ranges beyond the quartiles stands out. */
const far = 3

/** Everything of a kind that stands out; nothing where there is nothing to say. */
export async function insightsOf(scope: InsightScope, type: InsightType): Promise<Insight[]> {
  switch (type) {
    case 'summary':
      return scope.record === null ? summarize(scope) : [summaryOf(scope, scope.record)]
    case 'trends':
      return trends(scope)
    case 'anomalies':
      return anomalies(scope)
    case 'recommendations':
      return recommendations(scope)
  }
}

function summaryOf({ of, lexicon }: InsightScope, record: PlatformRecord): Insight {
  const { schema } = of
  return {
    type: 'summary',
    title: titleOf(schema, record),
    description: tellRecord({ lexicon }, schema, record),
    confidence: 1,
    data: { recordId: record['id'], createdAt: record['created_at'], updatedAt: record['updated_at'] },
  }
}

async function summarize(scope: InsightScope): Promise<Insight[]> {
  const { of } = scope
  const numbers = of.fields.filter(isNumber).slice(0, maxFields)
  const measures = numbers.flatMap(({ name }) => [
    { function: 'sum', field: name, alias: `sum_${name}` },
    { function: 'avg', field: name, alias: `avg_${name}` },
    { function: 'min', field: name, alias: `min_${name}` },
    { function: 'max', field: name, alias: `max_${name}` },
  ])
  const [all = {}] = await groups(scope, { aggregations: [{ function: 'count', alias: 'count' }, ...measures] })
  const total = Number(all['count'] ?? 0)
  const insights: Insight[] = [
    {
      type: 'summary',
      title: `${total} ${of.schema.pluralLabel}`,
      description: `There are ${total} ${of.schema.pluralLabel} you may read.`,
      confidence: 1,
      data: { total },
    },
  ]
  if (total === 0) return insights
  for (const { name, label } of numbers) {
    const [sum, avg, min, max] = ['sum', 'avg', 'min', 'max'].map((one) => all[`${one}_${name}`])
    if (typeof avg !== 'number') continue
    insights.push({
      type: 'summary',
      title: label,
      description: `${label} adds up to ${rounded(Number(sum))}, with an average of ${rounded(avg)} between ${rounded(Number(min))} and ${rounded(Number(max))}.`,
      confidence: 1,
      data: { field: name, sum, average: avg, min, max },
    })
  }
  for (const field of of.fields
    .filter(({ options, multiple }) => options.length > 0 && !multiple)
    .slice(0, maxFields)) {
    const counts = await countBy(scope, field.name)
    const [first] = counts
    if (first === undefined) continue
    const share = Math.round((first.count / total) * 100)
    insights.push({
      type: 'summary',
      title: field.label,
      description: `${share} % of ${of.schema.pluralLabel} have ${field.label} ${labelOf(field, first.value)}.`,
      confidence: 1,
      data: { field: field.name, counts: counts.slice(0, 20) },
    })
  }
  return insights
}

async function trends(scope: InsightScope): Promise<Insight[]> {
  const { of } = scope
  const [number] = of.fields.filter(isNumber)
  const months = await groups(scope, {
    groupBy: [{ field: 'created_at', dateGranularity: 'month', alias: 'month' }],
    aggregations: [
      { function: 'count', alias: 'count' },
      ...(number === undefined ? [] : [{ function: 'sum', field: number.name, alias: 'sum' }]),
    ],
    sort: [{ field: 'month', order: 'desc' }],
    top: 13,
  })
  const series = months.toReversed()
  if (series.length === 0) return []
  const told = (label: string, key: 'count' | 'sum', what: string): Insight => {
    const values = series.map((row) => Number(row[key] ?? 0))
    const last = values.at(-1)!
    const before = values.at(-2)
    const change = before === undefined || before === 0 ? null : Math.round(((last - before) / Math.abs(before)) * 100)
    const word =
      change === null
        ? 'has no month to be compared with'
        : change === 0
          ? 'is unchanged'
          : change > 0
            ? `rose by ${change} %`
            : `fell by ${-change} %`
    return {
      type: 'trends',
      title: label,
      description: `${what} of the latest month (${String(series.at(-1)!['month']).slice(0, 7)}) is ${rounded(last)} and ${word}.`,
      // A few months say little.
      confidence: Math.min(0.9, 0.3 + values.length * 0.05),
      data: { months: series.map((row) => ({ month: row['month'], value: row[key] })), change },
    }
  }
  return [
    told(`${of.schema.pluralLabel} per month`, 'count', 'The number of new records'),
    ...(number === undefined ? [] : [told(`${number.label} per month`, 'sum', `The sum of ${number.label}`)]),
  ]
}

async function anomalies(scope: InsightScope): Promise<Insight[]> {
  const { of, record } = scope
  const insights: Insight[] = []
  for (const field of of.fields.filter(isNumber).slice(0, maxFields)) {
    const rows = await values(scope, field)
    // Quartiles of a handful of values tell nothing.
    if (rows.length < 8) continue
    const sorted = rows.map((row) => Number(row[field.name])).toSorted((a, b) => a - b)
    const [low, high] = [at(sorted, 0.25), at(sorted, 0.75)]
    const width = high - low
    const [least, greatest] = [low - far * width, high + far * width]
    const odd = rows.filter((row) => {
      const value = Number(row[field.name])
      return (value < least || value > greatest) && (record === null || row['id'] === record['id'])
    })
    for (const row of odd.slice(0, maxFields)) {
      insights.push({
        type: 'anomalies',
        title: `${titleOf(of.schema, row)}: unusual ${field.label}`,
        description: `${field.label} is ${rounded(Number(row[field.name]))}; half of the records lie between ${rounded(low)} and ${rounded(high)}.`,
        confidence: Math.min(0.9, 0.5 + rows.length / 1_000),
        data: { recordId: row['id'], field: field.name, value: row[field.name], usual: [low, high] },
      })
    }
  }
  return insights
}

async function recommendations(scope: InsightScope): Promise<Insight[]> {
  const { of, record } = scope
  const [all = {}] = await groups(scope, { aggregations: [{ function: 'count', alias: 'count' }] })
  const total = Number(all['count'] ?? 0)
  const insights: Insight[] = []
  const fields = of.fields.filter((field) => !field.system && !field.computed && !isFlag(field))
  if (record !== null) {
    const empty = fields.filter((field) => record[field.name] === null || record[field.name] === undefined)
    if (empty.length > 0)
      insights.push(
        fill(
          of,
          empty.map(({ label }) => label),
          { recordId: record['id'], fields: empty.map(({ name }) => name) },
        ),
      )
  } else if (total > 0) {
    const missing: { field: string; label: string; share: number }[] = []
    for (const { name, label } of fields.slice(0, 30)) {
      const [row = {}] = await groups(scope, {
        filter: { [name]: { $null: true } },
        aggregations: [{ function: 'count', alias: 'count' }],
      })
      const share = Number(row['count'] ?? 0) / total
      if (share >= 0.5) missing.push({ field: name, label, share: Math.round(share * 100) / 100 })
    }
    if (missing.length > 0)
      insights.push(
        fill(
          of,
          missing.map(({ label }) => label),
          { fields: missing },
        ),
      )
  }
  const due = of.fields.find((field) => isDay(field) && /(?:^|_)(?:due|deadline)(?:_|$)/.test(field.name))
  if (due !== undefined) {
    const filter = { [due.name]: { $lt: { $today: '' } }, ...(record === null ? {} : { id: record['id'] }) }
    const page = await scope.data.find(scope.ctx, of.schema.name, {
      filter,
      sort: [{ field: due.name, order: 'asc' }],
      top: 5,
      count: true,
    })
    if ((page.total ?? 0) > 0)
      insights.push({
        type: 'recommendations',
        title: `Look at what is past its ${due.label}`,
        description: `${page.total} ${of.schema.pluralLabel} have a ${due.label} before today, such as ${page.records.map((row) => titleOf(of.schema, row)).join(', ')}.`,
        confidence: 0.7,
        data: { field: due.name, count: page.total, recordIds: page.records.map((row) => row['id']) },
      })
  }
  return insights
}

function fill({ schema }: ObjectWords, labels: readonly string[], data: Record<string, unknown>): Insight {
  return {
    type: 'recommendations',
    title: `Fill in ${labels.slice(0, 3).join(', ')}`,
    description: `These fields of ${schema.pluralLabel} are mostly empty: ${labels.join(', ')}.`,
    confidence: 0.6,
    data,
  }
}

async function groups(
  { data, ctx, of }: InsightScope,
  query: Parameters<DataService['find']>[2],
): Promise<PlatformRecord[]> {
  return (await data.find(ctx, of.schema.name, query)).records
}

async function countBy(scope: InsightScope, field: string): Promise<{ value: unknown; count: number }[]> {
  const rows = await groups(scope, {
    filter: { [field]: { $null: false } },
    groupBy: [{ field, alias: 'value' }],
    aggregations: [{ function: 'count', alias: 'count' }],
    sort: [{ field: 'count', order: 'desc' }],
  })
  return rows.map(({ value, count }) => ({ value, count: Number(count) }))
}

/** Values of a field with the records they are of, the latest first. */
async function values({ data, ctx, of }: InsightScope, field: FieldSchema): Promise<PlatformRecord[]> {
  const { displayField } = of.schema
  const shown = [field.name, ...(of.fields.includes(displayField) ? [displayField.name] : [])]
  const page = await data.find(ctx, of.schema.name, {
    filter: { [field.name]: { $null: false } },
    select: [...new Set(shown)],
    sort: [{ field: 'id', order: 'desc' }],
    top: sample,
  })
  return page.records.filter((row) => typeof row[field.name] === 'number')
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

function labelOf(field: FieldSchema, value: unknown): string {
  return field.options.find((option) => option.value === value)?.label ?? String(value)
}
