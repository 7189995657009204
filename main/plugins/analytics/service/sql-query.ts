// Raw SQL for those who may run it: reads the request, makes the views its words name, and has it run elsewhere (D-122).
import { invalidQuery } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { matchNone } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { buildView, tablesOf } from '#main/database/query/build-view.ts'
import type { RestrictedQuery, RestrictedRows } from '#main/database/restricted-sql.ts'
import type { SqlResult } from '../api.ts'
import { readSqlWords } from './sql-words.ts'

/** What running SQL works with. */
export interface SqlParts {
  readonly authorizer: () => Authorizer
  readonly schemas: () => readonly ObjectSchema[]
  readonly envFor: (ctx: RequestContext) => QueryEnv
  /** Names of the tables and views the file has, as they are written. */
  readonly tableNames: () => readonly string[]
  readonly run: (query: RestrictedQuery, ctx: RequestContext) => Promise<RestrictedRows>
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
}

/** Rows of one answer when `limit` is not given, and at most. */
const limits = { standard: 1_000, largest: 10_000 } as const

/**
 * @throws invalid_query for anything but one reading statement over the objects the caller may read; timeout;
 * permission_denied without an active organization where there are any
 */
export async function runSql(
  parts: SqlParts,
  ctx: RequestContext,
  input: { sql: string; params?: unknown; limit?: unknown },
): Promise<SqlResult> {
  requireOpenRecords(parts.authorizer(), ctx)
  const readable = new Map(
    parts
      .schemas()
      .filter((schema) => !schema.abstract && parts.authorizer().canObject(ctx, schema.name, 'read'))
      .map((schema) => [schema.name.toLowerCase(), schema]),
  )
  const hidden = new Set(parts.tableNames().map((name) => name.toLowerCase()))
  const reading = readSqlWords(input.sql, new Set(readable.keys()), hidden)
  if (!reading.ok) throw invalidQuery('sql', reading.reason, { path: '' })
  const views = [...reading.names].flatMap((name) => {
    const schema = readable.get(name)
    return schema === undefined ? [] : [viewOf(parts, ctx, schema)]
  })
  // As of a query of the API (D-121): a program shows the rules about rows, and whom they name.
  if (reading.isExplain && views.some(({ isNarrowed }) => isNarrowed))
    throw invalidQuery('sql', '"explain" is for those who may read every row.', { path: '' })
  const query = { sql: input.sql, params: paramsOf(input.params), limit: limitOf(input.limit), views }
  const start = parts.elapsed()
  const { columns, rows, truncated } = await parts.run(query, ctx)
  const names = uniqueNames(columns.map(({ name }) => name))
  return {
    data: rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null]))),
    columns: columns.map(({ type }, at) => ({ name: names[at]!, type: typeOf(type, rows, at) })),
    rowCount: rows.length,
    truncated,
    durationMs: Math.max(0, Math.round(parts.elapsed() - start)),
  }
}

type View = RestrictedQuery['views'][number] & { readonly isNarrowed: boolean }

function viewOf(parts: SqlParts, ctx: RequestContext, schema: ObjectSchema): View {
  const authorizer = parts.authorizer()
  const isShown = (field: FieldSchema): boolean =>
    fieldTypeOf(field).concealed === undefined &&
    (field.system || authorizer.canField(ctx, schema.name, field.name, 'readable'))
  const condition = authorizer.isUnrestricted(ctx) ? null : authorizer.rowCondition(ctx, schema.name, 'read')
  const rows = condition === false ? matchNone : condition
  const fields = [...schema.systemFields.filter((field) => !field.name.startsWith('deleted_')), ...schema.fields]
  const select = buildView(schema, fields.filter(isShown), parts.envFor(ctx), rows)
  return { name: schema.name, select, tables: tablesOf(select), isNarrowed: rows !== null }
}

function paramsOf(params: unknown): RestrictedQuery['params'] {
  if (params === undefined || params === null) return []
  const isMap = typeof params === 'object' && !Array.isArray(params)
  const values: unknown[] = Array.isArray(params) ? params : isMap ? Object.values(params as object) : [params]
  values.forEach((value, at) => {
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
      throw invalidQuery('params', 'A parameter must be text, a number, a boolean or null.', { path: String(at) })
    }
  })
  const bound = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)
  if (!isMap) return values.map(bound)
  return Object.fromEntries(
    Object.entries(params as object).map(([name, value]) => [name.replace(/^[:@$]/, ''), bound(value)]),
  )
}

function limitOf(limit: unknown): number {
  if (limit === undefined || limit === null) return limits.standard
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= limits.largest) return limit as number
  throw invalidQuery('limit', `The limit must be a whole number from 1 to ${limits.largest}.`, {
    path: '',
    limit: limits.largest,
  })
}

/** Columns of one name would hide each other in a row. */
function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name}_${count}`
  })
}

/** The declared type, else that of the first value that is there. */
function typeOf(declared: string | null, rows: RestrictedRows['rows'], at: number): string {
  if (declared !== null && declared !== '') return declared.toLowerCase()
  const value = rows.find((row) => row[at] !== null)?.[at]
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'real'
  return value === undefined ? 'null' : 'text'
}
