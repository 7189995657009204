// Runs reports: records or groups through the data service, with the caller's rights (D-112). Knows no HTTP.
import type { ReportAnswer } from '#shared/contracts/analytics.ts'
import { PlatformError, invalidQuery, notFound, platformError } from '#shared/errors.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { matchAll } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { AnalyticsService } from '../api.ts'
import { mentions } from './callers-words.ts'
import type { ReportColumn } from './read-report.ts'
import { readReport } from './read-report.ts'

/** What reports are run with. */
export interface ReportParts {
  readonly data: Pick<DataService, 'find'>
  readonly metadata: Pick<MetadataService, 'get' | 'effective' | 'seen' | 'noteUse'>
  readonly query: AnalyticsService['query']
  /** The object as the caller may read it. */
  readonly schemaOf: (ctx: RequestContext, object: string) => ObjectSchema | undefined
  /** Label and type of a field. */
  readonly describe: (ctx: RequestContext, schema: ObjectSchema, path: string) => { label: string; type: string }
  /** Fields a report without columns shows. */
  readonly fieldsOf: (ctx: RequestContext, schema: ObjectSchema) => readonly string[]
}

/** Runs a report. @throws resource_not_found, permission_denied, invalid_query, timeout */
export async function runReport(
  parts: ReportParts,
  ctx: RequestContext,
  name: string,
  { filter, top }: { filter?: unknown; top: number },
): Promise<ReportAnswer> {
  const plan = readReport(readable(parts, ctx, name))
  const schema = parts.schemaOf(ctx, plan.object)
  if (schema === undefined) throw notFound('report', name)
  parts.metadata.noteUse(ctx, 'report', name)
  const narrowing = parseFilter(filter)
  const conditions = [plan.filter, filter].filter((one) => one !== undefined && one !== null)
  const where = conditions.length > 1 ? { $and: conditions } : (conditions[0] ?? null)
  const ask = (query: Readonly<Record<string, unknown>>) =>
    parts.query(ctx, { cube: plan.object, where, limit: top, ...query })
  const measures = plan.measures.length === 0 ? ['count'] : plan.measures.map((measure) => measure.name)
  try {
    const totals = (await ask({ measures })).data[0] ?? {}
    if (!plan.isGrouped) {
      const names = plan.columns.length === 0 ? parts.fieldsOf(ctx, schema) : plan.columns.map((column) => column.name)
      const page = await parts.data.find(ctx, plan.object, { select: names, filter: where, sort: plan.sort, top })
      const given = new Map(plan.columns.map((column) => [column.name, column.label]))
      const columns = names.map((field) => labelled(field, given.get(field), parts.describe(ctx, schema, field)))
      return { report: name, columns, records: page.records, totals }
    }
    const dimensions = plan.columns.map((column) => column.name)
    const { data, annotation } = await ask({ dimensions, measures, order: plan.order })
    const titles = { ...annotation.dimensions, ...annotation.measures }
    const shown: readonly ReportColumn[] = [
      ...plan.columns,
      ...measures.map((measure) => plan.measures.find((one) => one.name === measure) ?? { name: measure, label: null }),
    ]
    const columns = shown.map((column) => {
      const { title, type } = titles[column.name]!
      return labelled(column.name, column.label, { label: title, type })
    })
    return { report: name, columns, records: data, totals }
  } catch (error) {
    throw inReportWords(error, narrowing)
  }
}

/**
 * The report as the caller may read it. Without a condition or a grouping that stands on hidden fields it would be
 * another report.
 */
function readable({ metadata }: ReportParts, ctx: RequestContext, name: string): Readonly<Record<string, unknown>> {
  const stored = metadata.get('report', name)
  // An overlay of the caller's own opens nothing that is closed.
  const isOpen = stored !== undefined && metadata.seen(ctx, stored) !== null
  const item = isOpen ? metadata.effective(ctx, 'report', name) : undefined
  const body = item === undefined ? null : metadata.seen(ctx, item)
  if (item === undefined || body === null) throw notFound('report', name)
  const isWhole = ['filter', 'groupings'].every((key) => isSameJson(body[key], item.item[key]))
  if (!isWhole) throw platformError('permission_denied', { report: name })
  return body
}

function labelled(name: string, label: string | null | undefined, described: { label: string; type: string }) {
  return { name, label: label ?? described.label, type: described.type }
}

/** What is refused is the caller's filter, or the report as it is written (D-81). */
function inReportWords(error: unknown, narrowing: Filter): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'invalid_query') return error
  const { parameter, reason, path, ...rest } = error.details
  const isOwn =
    narrowing !== matchAll && (parameter === 'filter' || parameter === 'where') && mentions(narrowing, String(path))
  return invalidQuery(isOwn ? 'filter' : 'report', String(reason), { path, ...rest })
}
