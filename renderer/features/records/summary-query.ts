// Owns what a summary asks of analytics: which fields group, which are measured, and the condition of one group. Pure.
import { fieldLabel, findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { isDated } from './group-terms.ts'
import type { RecordFilter } from './record-query.ts'

/** A choice of the menus of a summary; `value` is a member of the object's cube. */
export interface SummaryChoice {
  value: string
  label: string
}

const buckets = ['month', 'quarter', 'year', 'week', 'day'] as const
const functions = ['sum', 'avg', 'min', 'max'] as const

/** Fields a summary may group by, the most telling first; dates come by month, quarter, year, week and day. */
export function groupChoices(fields: readonly FieldDefinition[]): SummaryChoice[] {
  const plain = fields.flatMap((field) => {
    const rank = findFieldType(field.type)?.summaryRank
    return rank === undefined ? [] : [{ field, rank }]
  })
  return [
    ...plain
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ field }) => ({ value: memberOf(field), label: fieldLabel(field) })),
    ...fields
      .filter((field) => isDated(field))
      .flatMap((field) =>
        buckets.map((bucket) => ({
          value: `${field.name}.${bucket}`,
          label: t(`summary.by.${bucket}` as StringKey, { field: fieldLabel(field) }),
        })),
      ),
  ]
}

/** Links are grouped by what they show, not by ids. */
function memberOf(field: FieldDefinition): string {
  const isLink = findFieldType(field.type)?.link === 'object'
  return isLink && field.multiple !== true && field.displayField ? `${field.name}.${field.displayField}` : field.name
}

/** What a summary may show of each group. */
export function measureChoices(fields: readonly FieldDefinition[]): SummaryChoice[] {
  return [
    { value: 'count', label: t('summary.count') },
    ...fields
      .filter((field) => findFieldType(field.type)?.measured)
      .flatMap((field) =>
        functions.map((fn) => ({
          value: `${field.name}.${fn}`,
          label: t(`summary.${fn}` as StringKey, { field: fieldLabel(field) }),
        })),
      ),
  ]
}

/** The field a dimension begins with, and its bucket of time. */
export function readDimension(
  dimension: string,
  fields: readonly FieldDefinition[],
): { field: FieldDefinition; bucket: (typeof buckets)[number] | undefined } | undefined {
  const [name = '', rest = ''] = dimension.split('.')
  const field = fields.find((candidate) => candidate.name === name)
  if (!field) return undefined
  return { field, bucket: isDated(field) ? buckets.find((word) => word === rest) : undefined }
}

/** The condition that leaves only the records of a group; undefined where no one condition says it. */
export function groupCondition(
  dimension: string,
  value: unknown,
  fields: readonly FieldDefinition[],
  timeZone: string,
): RecordFilter | undefined {
  const known = readDimension(dimension, fields)
  if (!known) return undefined
  const { field, bucket } = known
  if (value === null || value === undefined) return { field: field.name, operator: 'empty', texts: [] }
  if (bucket !== undefined && typeof value === 'string') {
    const [from, to] = daysOf(value, bucket, timeZone)
    return { field: field.name, operator: 'between', texts: [from, to] }
  }
  if (dimension.includes('.')) return undefined
  if (findFieldType(field.type)?.elementType !== undefined) {
    return { field: field.name, operator: 'any', texts: [String(value)] }
  }
  return { field: field.name, operator: 'eq', texts: [String(value)] }
}

/** First and last day of a bucket that begins at an instant, as the zone's calendar has them. */
export function daysOf(instant: string, bucket: (typeof buckets)[number], timeZone: string): [string, string] {
  const first = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(instant))
  const last = new Date(`${first}T00:00:00Z`)
  if (bucket === 'week') last.setUTCDate(last.getUTCDate() + 6)
  if (bucket === 'month') last.setUTCMonth(last.getUTCMonth() + 1, 0)
  if (bucket === 'quarter') last.setUTCMonth(last.getUTCMonth() + 3, 0)
  if (bucket === 'year') last.setUTCFullYear(last.getUTCFullYear() + 1, 0, 0)
  return [first, last.toISOString().slice(0, 10)]
}
