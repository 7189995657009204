// Gets and lists: parses the query, asks the query builder for SQL, runs it here or in the reader process by its cost,
// expands and counts. Reads only.
import { userDirectory } from '#shared/user-directory.ts'
import { invalidQuery, notFound, platformError } from '#shared/errors.ts'
import { parseAggregate } from '#shared/filter/aggregate.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import { matchNone } from '#shared/filter/filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { parseExpand, parseSelect, splitSelect } from '#shared/filter/select.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { formulasOf } from '#shared/formulas/formulas-of.ts'
import { readingFormulas } from '#shared/formulas/reading-formulas.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Database, HeavyReads, Reads } from '#main/kernel/database.ts'
import { aggregateTops, buildAggregate } from '#main/database/query/build-aggregate.ts'
import type { AggregatePlan } from '#main/database/query/build-aggregate.ts'
import { buildCount, buildFind, crowd } from '#main/database/query/build-find.ts'
import type { FindPlan, JsonPage } from '#main/database/query/build-find.ts'
import { buildDistinct } from '#main/database/query/build-distinct.ts'
import type { DistinctPlan } from '#main/database/query/build-distinct.ts'
import { buildRelated } from '#main/database/query/build-related.ts'
import { buildGet, prepareReadPlan, readRecord } from '#main/database/query/build-record.ts'
import type { RecordReadPlan } from '#main/database/query/build-record.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import { maxCheapRows } from '#main/database/query/cost.ts'
import { defaultTop } from '#main/database/query/find-request.ts'
import type { FindRequest } from '#main/database/query/find-request.ts'
import type { RowShape } from '#main/database/query/json-rows.ts'
import { hasJsonRows } from '#main/database/query/json-rows.ts'
import { createMatchEstimator } from '#main/database/query/match-estimator.ts'
import type { SearchHook } from '#main/database/query/scope.ts'
import { RawJson } from '#main/kernel/reply.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type {
  PlatformRecord,
  QueryExplanation,
  RecordPage,
  RecordQuery,
  RecordStream,
  ShapedRead,
  StoredRecord,
} from '../api.ts'
import { createExpander, refuseExpansion } from './expander.ts'
import { readDeleted, readFilter, readFlag, readPage, readSearch } from './query-reader.ts'
import type { RecordAccess } from './record-access.ts'
import { withOrganization } from './record-access.ts'
import type { IncomingReferences } from './references.ts'
import type { JsonList } from './plan-cache.ts'
import { createPlanCache } from './plan-cache.ts'
import { createReadRunner, createTableSizes } from './read-runner.ts'

/** More records than any object has: the page size of a walk over all of them. */
const everyRecord = 2_000_000_000

/** Reads records; one per host. */
export interface RecordFinder {
  get(
    ctx: RequestContext,
    schema: ObjectSchema,
    input: { id: string; select?: unknown; expand?: unknown },
  ): StoredRecord | Promise<StoredRecord>
  find(ctx: RequestContext, schema: ObjectSchema, query: RecordQuery): Promise<RecordPage>
  /** The same page as `find`, as the text of its JSON where that is cheaper. */
  list(ctx: RequestContext, schema: ObjectSchema, query: RecordQuery): RawJson | Promise<RecordPage | RawJson>
  /** The page with records of another shape; null where `find` has to answer. */
  listShaped(
    ctx: RequestContext,
    schema: ObjectSchema,
    query: RecordQuery,
    shaped: ShapedRead,
  ): JsonPage | Promise<JsonPage> | null
  stream(ctx: RequestContext, schema: ObjectSchema, query: RecordQuery): Promise<RecordStream>
  /** @param withRules whether conditions of rows are in it: they name what the caller may not know of */
  explain(ctx: RequestContext, schema: ObjectSchema, query: RecordQuery, withRules?: boolean): QueryExplanation
  /** People by id, as expansions of user fields show them. */
  people(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, PlatformRecord>>
}

/** What the finder works with. */
export interface FinderParts {
  readonly read: Reads
  readonly heavy: HeavyReads
  readonly database: Pick<Database, 'schemaEpoch' | 'version'>
  readonly clock: Clock
  readonly metadata: MetadataService
  readonly settings: SettingsService
  readonly search: () => SearchService | undefined
  readonly incoming: IncomingReferences
  readonly cursorKey: CursorKey
  readonly access: Pick<RecordAccess, 'organizationOf'>
  authorizer(): Authorizer
}

/** Makes the finder. */
export function createRecordFinder(parts: FinderParts): RecordFinder {
  const { read, heavy, metadata, settings, clock } = parts
  const estimator = createMatchEstimator(read)
  const crowds = createMatchEstimator(read, crowd)
  const sizes = createTableSizes(read, clock)
  const plans = createPlanCache({
    read,
    clock,
    epoch: () => metadata.epoch() + parts.database.schemaEpoch(),
    onForget() {
      estimator.clear()
      crowds.clear()
    },
  })
  const runner = createReadRunner({ read, heavy, sizes, plans, version: parts.database.version })
  const { run } = runner
  const expand = createExpander(run, parts.incoming)

  const searchHook: SearchHook = (schema, { query, fields, operator }, alias) => {
    const search = parts.search()
    if (search === undefined) throw invalidQuery('search', 'Full-text search is not installed.', { path: '' })
    return search.condition(schema, query, fields, alias, operator)
  }

  const envFor = (ctx: RequestContext, timeZone = settings.get('timezone')): QueryEnv => {
    const authorizer = parts.authorizer()
    const base = {
      timeZone,
      defaultCurrency: settings.get('currency'),
      now: clock.now(),
      userId: ctx.actor.id,
      users: userDirectory,
    }
    if (authorizer.isUnrestricted(ctx)) return { ...base, schemaOf: metadata.objectSchema }
    return {
      ...base,
      engine: { ...base, schemaOf: metadata.objectSchema },
      organizationId: ctx.organizationId,
      schemaOf: (object) => (authorizer.canObject(ctx, object, 'read') ? metadata.objectSchema(object) : undefined),
      canRead: (object, field) => authorizer.canField(ctx, object, field, 'readable'),
      rowCondition(object) {
        if (object === userDirectory.name) return null
        const rows = authorizer.rowCondition(ctx, object, 'read')
        return rows === false ? matchNone : rows
      },
    }
  }

  /** Whether a search matches so many records of a large table that ranking them would keep others waiting. */
  const isCrowded = (schema: ObjectSchema, { matches }: FindPlan): boolean =>
    matches !== null && sizes(schema.table) > maxCheapRows && crowds.hasMany(matches)

  /** Answers rows that are no records: groups or distinct tuples. */
  const answerRows = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    plan: AggregatePlan | DistinctPlan,
    counted: boolean,
  ): Promise<RecordPage> => {
    const hints = { readsAll: true, weight: plan.weight, table: schema.table }
    const page = plan.finish(await run(ctx, plan.statement, hints))
    const total = counted ? { total: (await run(ctx, plan.count, hints))[0]!.total } : {}
    return { object: schema.name, records: page.records, ...total, hasMore: page.hasMore }
  }

  /** Reads the members of a query and checks its rights. @throws invalid_query, permission_denied */
  const requestOf = (
    ctx: RequestContext,
    schema: ObjectSchema,
    query: RecordQuery,
    env: QueryEnv,
    standardTop: number,
  ): { request: FindRequest; expand: ExpandNode[] } => {
    const deleted = readDeleted(query.deleted)
    if (deleted !== 'exclude' && !parts.authorizer().canObject(ctx, schema.name, 'restore')) {
      throw platformError('permission_denied', { object: schema.name, action: 'restore' })
    }
    const shape =
      parseAggregate(query, query.analytics !== undefined) !== null
        ? { fields: parseSelect(query.select), expand: expansionOf(query) }
        : shapeOf(schema, query)
    const request: FindRequest = {
      filter: readFilter(schema, query, env),
      rowCondition: env.rowCondition?.(schema.name) ?? null,
      sort: parseSort(query.sort),
      select: shape.fields,
      ...readPage(query, standardTop),
      deleted,
      search: readSearch(query),
    }
    return { request, expand: shape.expand }
  }

  const groupOptions = ({ analytics }: RecordQuery) => ({
    search: searchHook,
    maxGroups: analytics?.maxGroups,
    computed: analytics?.computed,
  })

  const find = async (ctx: RequestContext, schema: ObjectSchema, query: RecordQuery): Promise<RecordPage> => {
    const isGroup = query.groupBy !== undefined && query.analytics === undefined
    const known = isGroup ? recall('groups', ctx, schema, query) : null
    if (known?.plan) return answerRows(ctx, schema, known.plan, readFlag(query.count, 'count'))
    const env = envFor(ctx, query.analytics?.timeZone)
    const groups = parseAggregate(query, query.analytics !== undefined)
    const { request, expand: nodes } = requestOf(ctx, schema, query, env, groups ? aggregateTops.standard : defaultTop)
    const counted = readFlag(query.count, 'count')
    const distinct = readFlag(query.distinct, 'distinct')
    if (groups !== null || distinct) {
      refuseExpansion(nodes)
      if (groups !== null && distinct) throw invalidQuery('distinct', 'Groups are distinct already.', { path: '' })
      const plan = groups
        ? buildAggregate(schema, request, groups, env, groupOptions(query))
        : buildDistinct(schema, request, env, { search: searchHook })
      if (known !== null && known.plan === undefined && known.uses > 1) known.plan = plan as AggregatePlan
      return answerRows(ctx, schema, plan, counted)
    }
    const plan = buildFind(schema, request, env, { cursorKey: parts.cursorKey, search: searchHook, estimator })
    const crowded = isCrowded(schema, plan)
    const hints = { weight: plan.weight, table: schema.table, crowded }
    const listHints = { unfiltered: plan.unfiltered, ...hints }
    let rows = await run(ctx, plan.statement, listHints)
    if (plan.otherwise?.settles(rows) === false) rows = await run(ctx, plan.otherwise.statement, listHints)
    const page = plan.finish(rows)
    const organizationId = request.select === null ? parts.access.organizationOf(ctx) : null
    if (organizationId !== null) for (const record of page.records) withOrganization(record, organizationId)
    const total = counted
      ? { total: (await run(ctx, buildCount(schema, request, env, { search: searchHook }), hints))[0]!.total }
      : {}
    if (nodes.length > 0) await expand(ctx, schema, page.records, nodes, env)
    return {
      object: schema.name,
      records: page.records,
      ...total,
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      hasMore: page.hasMore,
    }
  }

  /** Stands for everything but the query that a plan hangs on; null when that may change from one moment to the next. */
  const rightsOf = (ctx: RequestContext): string | null => {
    const authorizer = parts.authorizer()
    const options = `${settings.get('timezone')} ${settings.get('currency')}`
    if (authorizer.isUnrestricted(ctx)) return `${ctx.actor.id} ${options}`
    const standing = parts.access.organizationOf(ctx) === null ? authorizer.standing?.(ctx) : null
    return standing === null || standing === undefined ? null : `rights ${plans.numberOf(standing)} ${options}`
  }

  /** What is known of a list of callers with the same rights; null for one that must be read anew every time. */
  const recall = <Kind extends 'list' | 'groups'>(
    kind: Kind,
    ctx: RequestContext,
    schema: ObjectSchema,
    query: RecordQuery,
    shaped?: ShapedRead,
  ) => {
    const rights = query.cursor === undefined && query.search === undefined ? rightsOf(ctx) : null
    if (rights === null) return null
    const kept = shaped === undefined ? rights : `${rights} shape ${plans.numberOf(shaped)}`
    return plans.request(kind, schema, kept, JSON.stringify(query))
  }

  /** How a caller with restricted rights reads single records; null where every read must be worked out anew. */
  const readPlanOf = (ctx: RequestContext, schema: ObjectSchema): RecordReadPlan | null => {
    const rights = rightsOf(ctx)
    if (rights === null) return null
    const known = plans.request('get', schema, rights, '')
    if (known.plan === undefined) {
      const rows = parts.authorizer().rowCondition(ctx, schema.name, 'read')
      known.plan = rows === false ? null : prepareReadPlan(schema, rows, envFor(ctx))
    }
    return known.plan
  }

  /** A list of plain records as JSON; null for every other kind of list. */
  const planJson = (
    ctx: RequestContext,
    schema: ObjectSchema,
    query: RecordQuery,
    shape: RowShape | undefined,
  ): JsonList | null => {
    const isPlain = parseAggregate(query) === null && query.search === undefined
    if (!isPlain || readFlag(query.distinct, 'distinct') || readFlag(query.count, 'count')) return null
    const env = envFor(ctx)
    if (query.select === undefined && !hasJsonRows(schema, env)) return null
    const { request, expand: nodes } = requestOf(ctx, schema, query, env, defaultTop)
    const plan = buildFind(schema, request, env, {
      cursorKey: parts.cursorKey,
      estimator,
      json: nodes,
      ...(shape === undefined ? {} : { shape }),
      search: searchHook,
    })
    // Rows that are sorted would all be written before the page is cut.
    if (plan.finishJson === null || plan.matches !== null || plans.explain(plan.statement).sorts) return null
    const hints = { unfiltered: plan.unfiltered, weight: plan.weight, table: schema.table }
    return { statement: plan.statement, hints, finish: plan.finishJson }
  }

  /** The rows of a list as JSON; null for one that is read in another way. */
  const readJson = (
    ctx: RequestContext,
    schema: ObjectSchema,
    query: RecordQuery,
    shaped?: ShapedRead,
  ): JsonPage | Promise<JsonPage> | null => {
    const known = recall('list', ctx, schema, query, shaped)
    if (known === null || known.uses === 1) return null
    if (known.plan === undefined) {
      const whole = shaped === undefined ? query : { ...query, ...shaped.query }
      known.plan = planJson(ctx, schema, whole, shaped?.shape)
    }
    const { plan } = known
    if (plan === null) return null
    const rows = runner.runHere(plan.statement, plan.hints)
    if (rows === undefined) return run(ctx, plan.statement, plan.hints).then((read) => plan.finish(read))
    return plan.finish(rows)
  }

  const list: RecordFinder['list'] = (ctx, schema, query) => {
    const page = readJson(ctx, schema, query)
    if (page === null) return find(ctx, schema, query)
    return page instanceof Promise ? page.then((read) => textOf(schema, read)) : textOf(schema, page)
  }

  const explain: RecordFinder['explain'] = (ctx, schema, query, withRules = false) => {
    const { rowCondition, ...rest } = envFor(ctx, query.analytics?.timeZone)
    const env = withRules && rowCondition !== undefined ? { ...rest, rowCondition } : rest
    const groups = parseAggregate(query, query.analytics !== undefined)
    const { request } = requestOf(ctx, schema, query, env, groups ? aggregateTops.standard : defaultTop)
    const { statement } = groups
      ? buildAggregate(schema, request, groups, env, groupOptions(query))
      : buildFind(schema, request, env, { cursorKey: parts.cursorKey, search: searchHook, estimator })
    const { sql, parameters } = statement
    const steps = read.all<{ detail: string }>({ sql: `EXPLAIN QUERY PLAN ${sql}`, parameters })
    return { sql, params: parameters, plan: steps.map(({ detail }) => detail) }
  }

  const stream: RecordFinder['stream'] = async (ctx, schema, query) => {
    if (parseAggregate(query) !== null || readFlag(query.distinct, 'distinct')) {
      const page = await find(ctx, schema, query)
      return { fields: null, slices: asOneSlice(page.records) }
    }
    if (query.cursor !== undefined) throw invalidQuery('cursor', 'All records are walked at once.', { path: '' })
    const env = envFor(ctx)
    const { request, expand: nodes } = requestOf(ctx, schema, query, env, everyRecord)
    const plan = buildFind(schema, request, env, {
      cursorKey: parts.cursorKey,
      search: searchHook,
      estimator,
      largest: everyRecord,
    })
    const walk = async function* (): AsyncGenerator<PlatformRecord[]> {
      let left = request.top
      for await (const rows of heavy.stream(plan.statement, { signal: ctx.signal })) {
        // The statement asks for one row more than wanted, as a list does.
        const { records } = plan.finish(rows.slice(0, left))
        left -= records.length
        if (nodes.length > 0) await expand(ctx, schema, records, nodes, env)
        if (records.length > 0) yield records
      }
    }
    return { fields: plan.fields, slices: walk() }
  }

  const get: RecordFinder['get'] = (ctx, schema, input) => {
    const id = parseUuid(input.id)
    if (id === null) throw notFound('record', input.id, schema.name)
    if (input.select !== undefined || input.expand !== undefined) return getByQuery(ctx, schema, id, input)
    const isFree = parts.authorizer().isUnrestricted(ctx)
    const plan = isFree ? null : readPlanOf(ctx, schema)
    if (!isFree && plan === null) return getByQuery(ctx, schema, id, input)
    const row = read.get(plan === null ? buildGet(schema, id) : plan.statement(id))
    if (row === undefined) throw notFound('record', input.id, schema.name)
    if (plan !== null) return { object: schema.name, id, record: plan.read(row) }
    const record = readRecord(schema, row)
    if (formulasOf(schema).onRead.length > 0)
      readingFormulas(schema, schema.visibleFields, envFor(ctx))?.complete(record)
    return { object: schema.name, id, record }
  }

  const getByQuery = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    id: string,
    input: { id: string; select?: unknown; expand?: unknown },
  ): Promise<StoredRecord> => {
    const page = await find(ctx, schema, { filter: { id }, select: input.select, expand: input.expand, top: 1 })
    const record = page.records[0]
    if (record === undefined) throw notFound('record', input.id, schema.name)
    return { object: schema.name, id, record }
  }

  const people: RecordFinder['people'] = async (ctx, ids) => {
    const plan = buildRelated(userDirectory, ids, envFor(ctx))
    const rows = await run(ctx, plan.statement, { keyed: ids.length, table: userDirectory.table })
    return new Map(rows.map((row) => [row['id'] as string, plan.read(row)]))
  }

  return { get, find, list, listShaped: readJson, stream, explain, people }
}

function textOf(schema: ObjectSchema, { records, hasMore, nextCursor }: JsonPage): RawJson {
  const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`
  return new RawJson(`{"object":"${schema.name}","records":${records}${next},"hasMore":${hasMore}}`)
}

async function* asOneSlice(records: PlatformRecord[]): AsyncGenerator<PlatformRecord[]> {
  yield records
}

function expansionOf({ expand, parsed }: RecordQuery): ExpandNode[] {
  return parsed?.expand === undefined ? parseExpand(expand) : [...parsed.expand]
}

/** Own fields and expansions; dotted names of a select imply their expansion (D-77). */
function shapeOf(schema: ObjectSchema, query: RecordQuery): { fields: readonly string[] | null; expand: ExpandNode[] } {
  const expand = expansionOf(query)
  const select = parseSelect(query.select)
  if (select === null) return { fields: null, expand }
  const split = splitSelect(select, expand)
  const expanded = new Set(split.expand.map((node) => node.name))
  // What is expanded must be read, also when select does not name it; children are no field of the record.
  const own = [...new Set([...split.fields, ...expanded])]
  return { fields: own.filter((name) => !expanded.has(name) || schema.byName.has(name)), expand: split.expand }
}
