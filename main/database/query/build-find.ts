// One list request as one statement, with what is needed to turn its rows into a page. SQL text is put together by
// hand: resolving and writing a list of two conditions takes 8 µs; Kysely's builder takes 20 µs for the text alone, its
// templates 35 µs (Node 24, one core).
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { matchAll } from '#shared/filter/filter.ts'
import { printFilter } from '#shared/filter/print-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { readableField, unknownField } from '#shared/filter/resolve-path.ts'
import { resolveFilter, resolveSearch } from '#shared/filter/resolve-filter.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import { printSort } from '#shared/filter/sort.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { chooseIndex } from './choose-index.ts'
import type { CursorKey } from './cursor.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { writeFilter } from './filter-sql.ts'
import type { DeletedMode, FindRequest, SearchRequest } from './find-request.ts'
import { checkPage, maxTop } from './find-request.ts'
import type { MatchEstimator } from './match-estimator.ts'
import type { FilterWeight } from './query-weight.ts'
import { heavier, lightWeight, weighFilter } from './query-weight.ts'
import { writeAfter } from './keyset-sql.ts'
import type { Row } from './row-reader.ts'
import type { RowShape } from './json-rows.ts'
import { columnValueOf, jsonColumn, writeJsonRow } from './json-rows.ts'
import { createRowReader, selectList } from './row-reader.ts'
import { isAlways, simplifyFilter } from './simplify-filter.ts'
import type { Scope, SearchCondition, SearchHook } from './scope.ts'
import { bind, bindLimit, column, rootScope } from './scope.ts'
import type { SortKey } from './sort-sql.ts'
import { orderBySql, sortKeys } from './sort-sql.ts'

/** One page of records. */
export interface Page {
  readonly records: Row[]
  readonly hasMore: boolean
  /** Present exactly when hasMore. */
  readonly nextCursor?: string
}

/** Matches of a search that are too many to be ranked or sorted while others wait. */
export const crowd = 10_000

/** A list ready to run. */
export interface FindPlan {
  readonly statement: Statement<Row>
  /**
   * What to run instead when the rows of `statement` turn out not to settle the page; null when they always do. A search
   * by relevance looks at its best matches first, and needs all of them only when too many are equally good.
   */
  readonly otherwise: { readonly statement: Statement<Row>; settles(rows: readonly Row[]): boolean } | null
  /** The fields of each record, in order. */
  readonly fields: readonly FieldSchema[]
  /** True when nothing but deletion and the cursor restricts the rows; a hint for the cost model. */
  readonly unfiltered: boolean
  /** What the conditions ask of each row. */
  readonly weight: FilterWeight
  /** For a search: counts its matches up to {@link crowd}, without ranking them; null for other lists. */
  readonly matches: Statement<{ matches: number }> | null
  /** Turns the statement's rows into the page; rows are changed in place. Not for plans of JSON. */
  finish(rows: Row[]): Page
  /** The same for a statement whose rows are JSON, the expansions among it; null when it answers ordinary rows. */
  readonly finishJson: ((rows: Row[]) => JsonPage) | null
}

/** One page of records as JSON text. */
export interface JsonPage {
  /** The array of records. */
  readonly records: string
  readonly hasMore: boolean
  readonly nextCursor?: string
}

/** What building needs beside the request. */
export interface FindOptions {
  readonly cursorKey: CursorKey
  readonly search?: SearchHook
  /** Largest page; absent: that of lists. */
  readonly largest?: number
  /** Lets the index be chosen by the data; absent: by the schema alone. */
  readonly estimator?: MatchEstimator
  /** Asks for rows of JSON with these expansions inside; the plan says whether it could be done. */
  readonly json?: readonly ExpandNode[]
  /** How those rows are written; absent: as records. */
  readonly shape?: RowShape
}

/**
 * Builds a list. The statement asks for one row more than the page, which tells whether there are more.
 * @throws invalid_query
 * @source D-72 to D-78, D-81
 */
export function buildFind(schema: ObjectSchema, request: FindRequest, env: QueryEnv, options: FindOptions): FindPlan {
  const { top, skip = 0, cursor, deleted = 'exclude' } = request
  checkPage(top, skip, cursor, options.largest)
  const scope = rootScope(schema, env, options.search)
  const fields = chooseFields(schema, request.select ?? null, deleted, env)
  const found = rankMatches(scope, request)
  const ranking = request.sort.length === 0 && !isRankHidden(schema, request, env) ? found : null
  const where = resolveWhere(schema, ranking ? { ...request, search: null } : request, env)
  const keys = ranking ? rankKeys(scope, ranking) : sortKeys(scope, resolveSort(schema, request.sort, env))
  const binding = needsBinding(cursor) ? bindingOf(schema, request, env) : null
  const shape = options.shape ?? null
  const hidden = hiddenKeys(keys, shape === null ? fields : [])
  if (ranking) scope.parameters.push(...ranking.parameters)
  const index = deleted === 'exclude' ? chooseIndex(schema, where, keys, options.estimator) : null
  const formulas = readingFormulas(schema, fields, env)
  const read = formulas === null ? fields : [...fields, ...formulas.besides]
  // A record that does not show a cursor's values would need them beside its text, as one of another shape does.
  const json =
    options.json && (shape !== null || hidden.length === 0) && !ranking
      ? writeJsonRow(schema, fields, options.json, env, scope.alias, shape)
      : null
  const columns = json ? `${json.sql} AS "${jsonColumn}"` : fieldList(schema, read, scope.alias)
  const hiddenList = hidden.map((key) => `, ${key.sql} AS "$${key.value}"`).join('')
  const table = `"${schema.table}" AS ${scope.alias}`
  const writePart = (after: (() => string) | null): string => {
    const conditions = writeConditions(scope, where, deleted)
    if (after) conditions.push(after())
    const rest =
      `${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}` +
      ` ORDER BY ${orderBySql(keys)} LIMIT ${bindLimit(scope, top + 1)}${skip > 0 ? ` OFFSET ${bind(scope, skip)}` : ''}`
    if (ranking) return rankedSql(columns, table, ranking, rest)
    return `SELECT ${columns}${hiddenList} FROM ${table}${index ? ` INDEXED BY "${index.name}"` : ''}${json?.joinSql ?? ''}${rest}`
  }
  const place = cursor ? openCursor(options.cursorKey, binding!, cursor) : null
  const parts =
    place === null ? [null] : ranking ? [() => writeFrom(scope, ranking, keys, place)] : writeAfter(scope, keys, place)
  const texts = parts.map(writePart)
  // Subqueries with a limit are run one after the other, each in its order, until the page is full.
  const sql =
    texts.length === 1
      ? texts[0]!
      : `${texts.map((text) => `SELECT * FROM (${text})`).join(' UNION ALL ')} LIMIT ${bindLimit(scope, top + 1)}`
  const full = { sql, parameters: scope.parameters }
  const isWhole = isAlways(where) && deleted === 'exclude' && !cursor && skip === 0 && options.largest === undefined
  const best = ranking && isWhole ? bestMatches(columns, table, ranking, top) : null
  const reader = readerOf(schema, read)
  const seal = createSeal(options.cursorKey, () => binding ?? bindingOf(schema, request, env))
  return {
    statement: best?.statement ?? full,
    otherwise: best === null ? null : { statement: full, settles: best.settles },
    fields,
    matches: found && countMatches(table, found),
    unfiltered: !found && isAlways(where) && skip <= maxTop && !crossesRelation(keys),
    weight: heavier(weighFilter(where), { ...lightWeight, relational: crossesRelation(keys) }),
    finishJson: json === null ? null : (rows) => finishJson(rows, top, keys, hidden, seal),
    finish(rows) {
      const hasMore = rows.length > top
      // The cursor is made first: reading changes rows in place.
      const values = hasMore ? (ranking ? placeOf(rows[top]!) : cursorValues(keys, hidden, rows[top - 1]!)) : null
      if (hasMore) rows.length = top
      for (const row of rows) {
        for (const key of hidden) delete row[`$${key.value}`]
        if (ranking) delete row[documentColumn]
        reader(row)
        formulas?.complete(row)
      }
      return values ? { records: rows, hasMore, nextCursor: seal(values) } : { records: rows, hasMore }
    },
  }
}

/** Seals cursors of one list; the same place gives the same cursor, which a list that is asked for again repeats. */
function createSeal(key: CursorKey, bindingOfList: () => string): (values: readonly SqlValue[]) => string {
  let binding: string | undefined
  let last = ''
  let sealed = ''
  return (values) => {
    const text = JSON.stringify(values)
    if (text === last) return sealed
    binding ??= bindingOfList()
    sealed = sealCursor(key, binding, text)
    last = text
    return sealed
  }
}

function finishJson(
  rows: Row[],
  top: number,
  keys: readonly SortKey[],
  hidden: readonly SortKey[],
  seal: (values: readonly SqlValue[]) => string,
): JsonPage {
  const hasMore = rows.length > top
  let records = ''
  for (let index = 0; index < rows.length && index < top; index += 1) {
    records += index === 0 ? (rows[index]![jsonColumn] as string) : `,${rows[index]![jsonColumn] as string}`
  }
  records = `[${records}]`
  if (!hasMore) return { records, hasMore }
  if (hidden.length > 0) return { records, hasMore, nextCursor: seal(cursorValues(keys, hidden, rows[top - 1]!)) }
  const last = JSON.parse(rows[top - 1]![jsonColumn] as string) as Row
  const values: SqlValue[] = []
  for (const key of keys) values[key.value] = columnValueOf(last[key.column!])
  return { records, hasMore, nextCursor: seal(values) }
}

/**
 * Counts the matches of a list request; paging, sort and select are ignored. Row: `{total}`.
 * @throws invalid_query
 * @source D-76
 */
export function buildCount(
  schema: ObjectSchema,
  request: Pick<FindRequest, 'filter' | 'rowCondition' | 'search' | 'deleted'>,
  env: QueryEnv,
  options: Pick<FindOptions, 'search'> = {},
): Statement<{ total: number }> {
  const scope = rootScope(schema, env, options.search)
  const conditions = writeConditions(scope, resolveWhere(schema, request, env), request.deleted ?? 'exclude')
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const sql = `SELECT count(*) AS "total" FROM "${schema.table}" AS ${scope.alias}${where}`
  return { sql, parameters: scope.parameters }
}

/** Filter, search and row condition of a request, resolved, joined and simplified. */
export function resolveWhere(
  schema: ObjectSchema,
  request: Pick<FindRequest, 'filter' | 'rowCondition' | 'search'>,
  env: QueryEnv,
): ResolvedFilter {
  const parts: ResolvedFilter[] = []
  if (request.filter) parts.push(resolveFilter(schema, request.filter, env))
  if (request.search) parts.push(resolveRequested(schema, request.search, env))
  if (request.rowCondition) parts.push(resolveFilter(schema, request.rowCondition, engineOf(env)))
  return simplifyFilter({ kind: 'and', children: parts })
}

/** The world conditions of rights are resolved in: they are rules, not requests, and may use everything. */
export function engineOf(env: QueryEnv): QueryEnv {
  return env.engine ?? { ...env, canRead: undefined, rowCondition: undefined }
}

/** The terms of WHERE; a top-level conjunction is taken apart so that every equality stands by itself. */
export function writeConditions(given: Scope, where: ResolvedFilter, deleted: DeletedMode): string[] {
  const terms = where.kind === 'and' ? where.children : [where]
  const scope = terms.some(namesOneRecord) ? { ...given, rowByRow: true } : given
  const conditions = terms.map((term) => {
    if (deleted === 'exclude' && isGrant(term)) return writeGrant(scope, term.children)
    return writeFilter(scope, term)
  })
  if (deleted !== 'include') {
    conditions.push(`${column(scope, 'deleted_at')} IS ${deleted === 'only' ? 'NOT NULL' : 'NULL'}`)
  }
  return conditions
}

function namesOneRecord(term: ResolvedFilter): boolean {
  if (term.kind !== 'condition' || term.hops.length > 0 || term.functions !== undefined) return false
  return term.field.name === 'id' && term.test.test === 'eq'
}

/** Several reasons for which records are covered, each of which an index may serve. */
function isGrant(term: ResolvedFilter): term is ResolvedFilter & { kind: 'or' } {
  return term.kind === 'or' && term.children.some((child) => child.kind === 'among')
}

/** Says in each branch that records are live: only then SQLite uses indexes of live records for them. */
function writeGrant(scope: Scope, branches: readonly ResolvedFilter[]): string {
  return `(${branches.map((branch) => `(${writeFilter(scope, branch)} AND ${column(scope, 'deleted_at')} IS NULL)`).join(' OR ')})`
}

/** A sort over a relation looks one record up per row. */
function crossesRelation(keys: readonly SortKey[]): boolean {
  return keys.some((key) => key.crossing)
}

/** The rank of a match is worked out from all records and searched fields, so it would tell of those that are hidden. */
function isRankHidden(schema: ObjectSchema, request: FindRequest, env: QueryEnv): boolean {
  if (request.rowCondition) return true
  return schema.searchFields.some(({ name }) => readableField(schema, name, env) === undefined)
}

type Ranking = NonNullable<SearchCondition['relevance']>

/** How the matches of a search are ranked; null without a search that ranks. @source D-78 */
function rankMatches(scope: Scope, { search }: FindRequest): Ranking | null {
  if (!search || !scope.search) return null
  const resolved = resolveRequested(scope.schema, search, scope.env)
  if (resolved.kind !== 'search') return null
  return scope.search(scope.schema, resolved, scope.alias).relevance ?? null
}

function resolveRequested(schema: ObjectSchema, search: SearchRequest, env: QueryEnv): ResolvedFilter {
  return resolveSearch(schema, search.query, search.fields, env, 'search', search.operator)
}

/** Best match first, then creation order. */
function rankKeys(scope: Scope, { rankSql }: Ranking): SortKey[] {
  const key = { noCase: false, descending: false, nullable: false, crossing: false }
  return [
    { ...key, sql: rankSql, column: null, value: 0 },
    { ...key, sql: column(scope, 'id'), column: 'id', value: 1 },
  ]
}

const documentColumn = '$document'

/** What a cursor by relevance holds: the first row of the next page. */
function placeOf(next: Row): SqlValue[] {
  return [next['$0'] as SqlValue, next['id'] as SqlValue, next[documentColumn] as SqlValue]
}

/**
 * The rows from a place on. Every write shifts all ranks, so the place is where its document stands now, also when its
 * record has got another since; by the rank of then only once that document has left the index.
 * @source D-75
 */
function writeFrom(scope: Scope, ranking: Ranking, keys: readonly SortKey[], place: readonly SqlValue[]): string {
  const [rank, id, document = null] = place
  scope.parameters.push(...ranking.parameters, document, rank, id)
  return `(${keys.map(({ sql }) => sql).join(', ')}) >= (coalesce((${ranking.rankOfDocumentSql}), ?), ?)`
}

function countMatches(table: string, { joinSql, parameters }: Ranking): Statement<{ matches: number }> {
  const sql = `SELECT count(*) AS "matches" FROM (SELECT 1 FROM ${table} ${joinSql} LIMIT ${crowd})`
  return { sql, parameters }
}

/** Ranks by row number first and reads whole records for the page only: matches may be many, and records wide. */
function rankedSql(columns: string, table: string, ranking: Ranking, rest: string): string {
  const { joinSql, rankSql, documentSql } = ranking
  const matches =
    `SELECT t0."rowid" AS "row", t0."id" AS "id", ${rankSql} AS "rank", ${documentSql} AS "document"` +
    ` FROM ${table} ${joinSql}${rest}`
  return `SELECT ${columns}, m."rank" AS "$0", m."document" AS "${documentColumn}" FROM (${matches}) AS m JOIN ${table} ON t0."rowid" = m."row" ORDER BY m."rank", m."id"`
}

/** Matches beyond the page that are looked at, so that ties at its end are settled by id. */
const spareMatches = 64

/** The best matches by rank alone, of which the page is the first by rank and id: other records are never read. */
function bestMatches(
  columns: string,
  table: string,
  { matchesSql, parameters }: Ranking,
  top: number,
): { statement: Statement<Row>; settles(rows: readonly Row[]): boolean } {
  const window = top + 1 + spareMatches
  const sql =
    `WITH w AS MATERIALIZED (SELECT f."row", f."document", f."rank" FROM (${matchesSql}) AS f ORDER BY +f."rank" LIMIT ?)` +
    ` SELECT ${columns}, m."rank" AS "$0", m."document" AS "${documentColumn}", (SELECT count(*) FROM w) AS "$n", (SELECT max(w."rank") FROM w) AS "$last"` +
    ` FROM (SELECT w."row", t0."id", w."document", w."rank" FROM w JOIN ${table} ON t0."rowid" = w."row"` +
    ` WHERE t0."deleted_at" IS NULL ORDER BY w."rank", t0."id" LIMIT ?) AS m` +
    ` JOIN ${table} ON t0."rowid" = m."row" ORDER BY m."rank", m."id"`
  return {
    statement: { sql, parameters: [...parameters, window, top + 1] },
    settles(rows) {
      const [first] = rows
      if (first === undefined) return false
      const settled = (first['$n'] as number) < window || (rows.at(-1)!['$0'] as number) < (first['$last'] as number)
      for (const row of rows) {
        delete row['$n']
        delete row['$last']
      }
      return settled
    },
  }
}

const always = ['id', 'created_at', 'updated_at']

/** The fields of the answer in the order of the object. */
function chooseFields(
  schema: ObjectSchema,
  select: readonly string[] | null,
  deleted: DeletedMode,
  env: QueryEnv,
): readonly FieldSchema[] {
  const marks = deleted === 'exclude' ? [] : schema.systemFields.slice(6)
  if (select === null) {
    if (!env.canRead && marks.length === 0) return schema.visibleFields
    return [...schema.visibleFields, ...marks].filter((field) => readableField(schema, field.name, env))
  }
  const wanted = new Set(always)
  for (const name of select) {
    if (!readableField(schema, name, env)) throw unknownField({ parameter: 'select', path: name }, [name])
    wanted.add(name)
  }
  return [...schema.byName.values()].filter((field) => wanted.has(field.name) || marks.includes(field))
}

const lists = new WeakMap<readonly FieldSchema[], string>()
const readers = new WeakMap<ObjectSchema, ReturnType<typeof createRowReader>>()

function fieldList(schema: ObjectSchema, fields: readonly FieldSchema[], alias: string): string {
  if (fields !== schema.visibleFields) return selectList(fields, alias)
  let list = lists.get(fields)
  if (list === undefined) {
    list = selectList(fields, alias)
    lists.set(fields, list)
  }
  return list
}

function readerOf(schema: ObjectSchema, fields: readonly FieldSchema[]): ReturnType<typeof createRowReader> {
  if (fields !== schema.visibleFields) return createRowReader(fields)
  let reader = readers.get(schema)
  if (!reader) {
    reader = createRowReader(fields)
    readers.set(schema, reader)
  }
  return reader
}

/** Sort values that the record's own columns do not hold; selected beside them and removed again. */
function hiddenKeys(keys: readonly SortKey[], fields: readonly FieldSchema[]): SortKey[] {
  return keys.filter((key, index) => {
    const repeated = keys[index - 1]?.value === key.value
    return !repeated && (key.column === null || !fields.some((field) => field.column === key.column))
  })
}

function cursorValues(keys: readonly SortKey[], hidden: readonly SortKey[], row: Row): SqlValue[] {
  const values: SqlValue[] = []
  for (const key of keys) {
    const isHidden = hidden.some((other) => other.value === key.value)
    values[key.value] = row[isHidden ? `$${key.value}` : key.column!] as SqlValue
  }
  return values
}

function needsBinding(cursor: string | null | undefined): cursor is string {
  return typeof cursor === 'string' && cursor !== ''
}

/** Everything that must stay the same from page to page (D-75); a cursor is worth nothing to another user. */
function bindingOf(schema: ObjectSchema, request: FindRequest, env: QueryEnv): string {
  return JSON.stringify([
    schema.uid,
    printFilter(request.filter ?? matchAll),
    printSort(request.sort),
    request.search ?? null,
    request.deleted ?? 'exclude',
    env.userId,
    env.organizationId ?? null,
  ])
}
