// Answers reads: lists and their counts, single entities and their parts, groups.
import { invalidQuery, PlatformError } from '#shared/errors.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import { RawJson } from '#main/kernel/reply.ts'
import type { DataService, RecordPage, RecordQuery, ShapedRead } from '#main/plugins/data/api.ts'
import type { ODataAnswer } from '../api.ts'
import type { ApplyPlan } from './apply-option.ts'
import { parseApply } from './apply-option.ts'
import { contextUrl } from './context-url.ts'
import type { Writing } from './entities.ts'
import { entityUrl, etagOf, tagMarks, writeEntity, writeValue } from './entities.ts'
import { inOptionWords } from './error-words.ts'
import type { EntityShape } from './expand-option.ts'
import { parseExpandOption, parseSelectOption } from './expand-option.ts'
import { parseFilterOption } from './filter-parser.ts'
import type { EntityModel } from './model.ts'
import { parseOrder, sortOf } from './order-option.ts'
import type { QueryOptions } from './query-options.ts'
import { flagOption, rowsOption } from './query-options.ts'
import type { Preferences } from './request-words.ts'
import { maxPageSize } from './request-words.ts'
import { parseSearch } from './search-option.ts'
import { unsupported } from './token-reader.ts'

/** One read of an entity set. */
export interface ReadRequest {
  readonly ctx: RequestContext
  readonly model: EntityModel
  readonly schema: ObjectSchema
  readonly options: QueryOptions
  readonly preferences: Preferences
  readonly writing: Writing
  /** The path behind the service, for links. */
  readonly path: string
  /** What the path itself demands of the records. */
  readonly within: Filter | null
}

/** Answers reads of entity sets. */
export interface ODataReads {
  list(request: ReadRequest): Promise<ODataAnswer>
  count(request: ReadRequest): Promise<ODataAnswer>
  /** @param status of the answer; entities that were written are answered as they are read */
  entity(request: ReadRequest, id: string, status?: 200 | 201): Promise<ODataAnswer>
  value(request: ReadRequest, id: string, field: string, isRaw: boolean): Promise<ODataAnswer>
}

/** Rows of a page nobody gave a size for (D-75), and groups of an answer (D-90). */
const standardRows = 20
const standardGroups = 1_000
const maxGroups = 10_000

/** Entities as most lists ask for them: every field as it is, the tag before them. */
const wholeEntities: ShapedRead = {
  query: {},
  shape: { first: [{ key: '@odata.etag', field: 'updated_at', around: tagMarks }], members: null },
}

/** Makes the reads over the data service. */
export function createReads(data: DataService): ODataReads {
  const find = (request: ReadRequest, query: RecordQuery) =>
    inWords(request, () => data.find(request.ctx, request.schema.name, query))

  /** The same page, as the text of its JSON where that is cheaper to have. */
  const listed = async (request: ReadRequest, query: RecordQuery): Promise<RecordPage> => {
    const page = await inWords(request, async () => data.list(request.ctx, request.schema.name, query))
    return page instanceof RawJson ? (JSON.parse(page.text) as RecordPage) : page
  }

  /** The page as text, where its entities are whole records with a tag each; null for every other list. */
  const written = async (request: ReadRequest, shape: EntityShape, query: RecordQuery) => {
    const { ctx, schema, writing } = request
    const isWhole = shape.select === null && shape.expansions.length === 0
    if (!isWhole || writing.form.metadata !== 'minimal' || writing.form.numbersAsText) return null
    return inWords(request, () => data.listShaped(ctx, schema.name, query, wholeEntities))
  }

  const list: ODataReads['list'] = async (request) => {
    const { schema, options, writing } = request
    const apply = options.given.apply === undefined ? null : parseApply(options.given.apply, options.aliases)
    if (apply?.groups) return groups(request, apply, apply.groups)
    gate(request, 'list')
    const { query, shape } = listQuery(request, apply?.filter ?? null)
    const top = rowsOption(options, 'top')
    const size = Math.min(request.preferences.pageSize ?? (top === null ? standardRows : maxPageSize), maxPageSize)
    const rows = Math.min(top ?? size, size)
    const counted = flagOption(options, 'count')
    const context = head(writing, contextUrl(schema.name, shape))
    /** @param count of the records that are answered */
    const linkBehind = (nextCursor: string | undefined, count: number): Record<string, string> => {
      const left = top === null ? null : top - count
      if (nextCursor === undefined || rows === 0 || (left !== null && left <= 0)) return {}
      const next = { skiptoken: nextCursor, ...(left === null ? {} : { top: String(left) }) }
      return { '@odata.nextLink': nextLink(request, next, ['skip', 'top']) }
    }
    const text = counted || rows === 0 ? null : await written(request, shape, { ...query, top: rows })
    if (text !== null) {
      // A page with more behind it is full.
      const behind = JSON.stringify(linkBehind(text.nextCursor, rows)).slice(1, -1)
      const ahead = JSON.stringify(context).slice(0, -1)
      const body = `${ahead},"value":${text.records}${behind === '' ? '' : `,${behind}`}}`
      return { status: 200, body: new RawJson(body), headers: applied(request) }
    }
    const page = await listed(request, { ...query, top: Math.max(rows, 1), ...(counted ? { count: true } : {}) })
    const records = rows === 0 ? [] : page.records
    const body = {
      ...context,
      ...(counted ? { '@odata.count': wideNumber(writing, page.total!) } : {}),
      value: records.map((record) => writeEntity(writing, schema, record, shape)),
      ...linkBehind(page.nextCursor, records.length),
    }
    return { status: 200, body, headers: applied(request) }
  }

  const count: ODataReads['count'] = async (request) => {
    gate(request, 'list')
    const { query } = listQuery(request, null)
    const { skip: _skip, sort: _sort, cursor: _cursor, ...rest } = query
    const page = await find(request, {
      ...rest,
      parsed: { ...rest.parsed, expand: [] },
      select: 'id',
      top: 1,
      count: true,
    })
    return { status: 200, body: String(page.total!), contentType: 'text/plain; charset=utf-8', headers: {} }
  }

  const groups = async (
    request: ReadRequest,
    { filter }: ApplyPlan,
    grouping: NonNullable<ApplyPlan['groups']>,
  ): Promise<ODataAnswer> => {
    gate(request, 'list', 'aggregate')
    const { options, schema, writing } = request
    const { given, aliases } = options
    for (const name of ['expand', 'skiptoken'] as const) {
      if (given[name] !== undefined) throw unsupported(`$${name}`, `$${name} together with groups`)
    }
    const after = given.filter === undefined ? null : parseFilterOption(given.filter, aliases)
    const having = allOf(grouping.having, after)
    const top = rowsOption(options, 'top')
    const size = Math.min(request.preferences.pageSize ?? standardGroups, maxGroups)
    const rows = top === null ? size : Math.min(top, maxGroups)
    const skip = rowsOption(options, 'skip') ?? 0
    const counted = flagOption(options, 'count')
    const select = parseSelectOption(given.select)
    const page = await find(request, {
      parsed: {
        filter: allOf(filter, request.within),
        ...(having.kind === 'and' && having.children.length === 0 ? {} : { having }),
      },
      ...(given.search === undefined ? {} : { search: parseSearch(given.search) }),
      groupBy: grouping.by.map(({ field }) => ({ field, alias: field })),
      aggregations: [...grouping.values],
      sort: sortOf(parseOrder(given.orderby ?? '')),
      ...(select === null ? {} : { select }),
      top: Math.max(rows, 1),
      skip,
      count: counted,
    })
    const names = new Map(grouping.by.map(({ field, name }) => [field, name]))
    const shown = [...names.values(), ...grouping.values.map(({ alias }) => alias)]
    const next = { skip: String(skip + page.records.length) }
    const body = {
      ...head(writing, `${schema.name}(${shown.map((name) => name.replaceAll('.', '/')).join(',')})`),
      ...(counted ? { '@odata.count': wideNumber(writing, page.total!) } : {}),
      value: rows === 0 ? [] : page.records.map((group) => nestNames(group, names)),
      ...(page.hasMore && top === null ? { '@odata.nextLink': nextLink(request, next, ['skip']) } : {}),
    }
    return { status: 200, body, headers: applied(request) }
  }

  /** One record as a list of one, so that $select and $expand mean the same. */
  const one = async (request: ReadRequest, id: string, query: RecordQuery) => {
    // Says what the record's own door says of an id that is none, or of a record that is not there.
    const { parsed } = query
    const filter = allOf(parsed?.filter, request.within)
    await data.get(request.ctx, { object: request.schema.name, id, select: 'id' })
    const page = await find(request, { ...query, filter: { id }, parsed: { ...parsed, filter }, top: 1 })
    const [record] = page.records
    if (record !== undefined) return record
    return (await data.get(request.ctx, { object: request.schema.name, id })).record
  }

  const entity: ODataReads['entity'] = async (request, id, status = 200) => {
    if (status === 200) gate(request, 'get')
    const { schema, writing } = request
    refuseListOptions(request)
    const shape = shapeOf(request)
    const record = await one(request, id, queryOf(shape))
    const body = {
      ...head(writing, `${contextUrl(schema.name, shape)}/$entity`),
      ...writeEntity(writing, schema, record, shape),
    }
    return { status, body, headers: { ...applied(request), ETag: etagOf(record['updated_at']) } }
  }

  const value: ODataReads['value'] = async (request, id, field, isRaw) => {
    gate(request, 'get')
    const { schema, writing } = request
    const record = await one(request, id, { select: field })
    const found = writeValue(writing.form, schema, field, record[field])
    const headers = { ETag: etagOf(record['updated_at']) }
    if (found === null || found === undefined) return { status: 204, headers }
    if (isRaw) {
      const text = typeof found === 'object' ? JSON.stringify(found) : String(found as string | number | boolean)
      return { status: 200, body: text, contentType: 'text/plain; charset=utf-8', headers }
    }
    const context = entityUrl('', schema, record['id']).slice(1)
    return { status: 200, body: { ...head(writing, `${context}/${field}`), value: found }, headers }
  }

  return { list, count, entity, value }
}

/** @throws method_not_allowed, resource_not_found (D-71) */
function gate({ schema, options }: ReadRequest, method: 'get' | 'list', ...more: readonly 'aggregate'[]): void {
  const first = method === 'list' && options.given.search !== undefined ? 'search' : method
  requireApiMethods(schema, first, ...more)
}

function shapeOf({ options, schema, model }: ReadRequest): EntityShape {
  return {
    select: parseSelectOption(options.given.select),
    expansions: parseExpandOption(options.given.expand, schema, model, options.aliases),
  }
}

function queryOf({ select, expansions }: EntityShape): RecordQuery {
  return {
    ...(select === null ? {} : { select: [...select] }),
    parsed: { expand: expansions.map(({ node }) => node) },
  }
}

/** Filters by their text: a client asks the same again and again. */
const filters = createRecentMap<Filter>(200)

/** Null for none. @throws invalid_query, not_implemented */
function filterOf({ given, aliases }: QueryOptions): Filter | null {
  const text = given.filter ?? ''
  if (text.trim() === '') return null
  if (aliases.size > 0 || text.length > 400) return parseFilterOption(text, aliases)
  const filter = filters.get(text) ?? parseFilterOption(text, aliases)
  filters.set(text, filter)
  return filter
}

/** Runs a read; lists of children are in the model, but the engine follows no relation backwards. */
async function inWords<T>({ model, schema }: ReadRequest, read: () => T | Promise<T>): Promise<T> {
  try {
    return await inOptionWords(read)
  } catch (error) {
    const { parameter, field } = error instanceof PlatformError ? error.details : {}
    if (typeof field !== 'string' || model.navigation(schema, field)?.isChildren !== true) throw error
    throw unsupported(String(parameter), `A condition or an order by the children "${field}"`)
  }
}

function listQuery(request: ReadRequest, before: Filter | null): { query: RecordQuery; shape: EntityShape } {
  const { given } = request.options
  const shape = shapeOf(request)
  const asked = filterOf(request.options)
  const query = queryOf(shape)
  const skip = rowsOption(request.options, 'skip')
  return {
    shape,
    query: {
      ...query,
      parsed: { ...query.parsed, filter: allOf(request.within, before, asked) },
      ...(given.orderby === undefined ? {} : { sort: sortOf(parseOrder(given.orderby)) }),
      ...(given.search === undefined ? {} : { search: parseSearch(given.search) }),
      ...(given.skiptoken === undefined ? {} : { cursor: given.skiptoken }),
      ...(skip === null ? {} : { skip }),
    },
  }
}

/** What chooses, orders and cuts lists says nothing of a single entity. @throws invalid_query */
function refuseListOptions({ options }: ReadRequest): void {
  for (const name of ['filter', 'orderby', 'top', 'skip', 'count', 'search', 'skiptoken', 'apply'] as const) {
    if (options.given[name] !== undefined)
      throw invalidQuery(`$${name}`, 'The option is for entity sets, not for a single entity.', { path: '' })
  }
}

function head({ base, form }: Writing, fragment: string): Record<string, string> {
  return form.metadata === 'none' ? {} : { '@odata.context': `${base}/$metadata#${fragment}` }
}

function wideNumber({ form }: Writing, value: number): number | string {
  return form.numbersAsText ? String(value) : value
}

function applied({ preferences }: ReadRequest): Record<string, string> {
  const names = preferences.applied.filter((name) => name.includes('maxpagesize'))
  return names.length === 0 ? {} : { 'Preference-Applied': names.join(', ') }
}

/** The same request with other places; the page size stays with it, so that followers need not ask for it again. */
function nextLink(
  { writing, path, options }: ReadRequest,
  next: Readonly<Record<string, string>>,
  dropped: readonly string[],
): string {
  const kept = Object.entries(options.given).filter(([name]) => !dropped.includes(name) && name !== 'skiptoken')
  const all = [...kept, ...Object.entries(next)].map(([name, value]) => [`$${name}`, value] as const)
  const words = [...all, ...options.aliases].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${writing.base}/${path}?${words.join('&')}`
}

/** Values under dotted names as values in objects; without a prototype, so that no name is special. */
function nestNames(
  group: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const nested: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(group)) {
    const path = (names.get(name) ?? name).split('.')
    let place = nested
    for (const part of path.slice(0, -1)) {
      if (typeof place[part] !== 'object' || place[part] === null) place[part] = Object.create(null)
      place = place[part] as Record<string, unknown>
    }
    place[path.at(-1)!] = value
  }
  return nested
}
