// Lists of a record's feed: all of it, what a search finds, and the changelog (D-139, D-141, D-145). Long feeds are read
// in a process of their own, so that nobody else waits for them.
import type { ChangelogEntry, FeedPage } from '#shared/contracts/feed.ts'
import { feedFilters, feedItemTypes } from '#shared/contracts/feed.ts'
import type { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { endOfDate, formatInstant, isDate, parseInstant, startOfDate } from '#shared/calendar/iso.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HeavyReads, Statement } from '#main/kernel/database.ts'
import type { PageBounds, PageStart } from '#main/kernel/list-page.ts'
import { cutPage, readPage } from '#main/kernel/list-page.ts'
import { feedError } from '../errors.ts'
import { countFacts, countItems, factsBelow, hasMoreThan, itemsBelow } from '../store.ts'
import { searchCondition } from './body-word-store.ts'
import { markedAs } from './mark-store.ts'
import { actorView } from './people.ts'
import type { Place, RecordPlace } from './place.ts'
import type { FactRow, FeedEntry } from './row-types.ts'
import { changesOf } from './row-types.ts'
import { showChanges } from './show-changes.ts'
import type { ShowParts } from './show-items.ts'
import { showEntries } from './show-items.ts'
import { trackedFields } from './tracked-fields.ts'
import type { Condition, Viewer } from './viewer-store.ts'

/** What of a feed is asked for. */
export interface FeedQuery {
  readonly type?: string | undefined
  readonly parentId?: string | undefined
  readonly pinnedOnly?: boolean | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A search. */
export interface FeedSearch {
  readonly query: string
  readonly type?: string | undefined
  readonly actorId?: string | undefined
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
  readonly hasAttachments?: boolean | undefined
  readonly pinnedOnly?: boolean | undefined
  readonly starredOnly?: boolean | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What of a changelog is asked for. */
export interface ChangelogQuery {
  readonly field?: string | undefined
  readonly actorId?: string | undefined
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A page of a changelog. */
export interface ChangelogView {
  readonly entries: z.output<typeof ChangelogEntry>[]
  readonly total: number
  readonly hasMore: boolean
  readonly nextCursor?: string
}

/** What lists work with. */
export interface ListParts extends ShowParts {
  readonly heavy: HeavyReads
  readonly viewer: (ctx: RequestContext, place: RecordPlace) => Viewer
}

/** The lists. */
export interface FeedLists {
  /** @throws invalid_feed_type, validation_error */
  list(ctx: RequestContext, place: RecordPlace, query: FeedQuery): Promise<z.output<typeof FeedPage>>
  /** @throws invalid_feed_type, feed_search_query_too_short, validation_error */
  search(ctx: RequestContext, place: RecordPlace, query: FeedSearch): Promise<z.output<typeof FeedPage>>
  /** @throws validation_error also for a field the caller may not read */
  changelog(ctx: RequestContext, place: RecordPlace, query: ChangelogQuery): Promise<ChangelogView>
}

/** More rows than this are not looked through on the main thread. */
const manyRows = 5_000
const timeoutMs = 5_000
const leastSearched = 2
const feedBounds: PageBounds = { usual: 20, most: 100 }
const changelogBounds: PageBounds = { usual: 50, most: 200 }

/** Which facts and items a list takes; null for none of them. */
interface Choice {
  readonly facts: readonly Condition[] | null
  readonly items: readonly Condition[] | null
}

/** Makes the lists. */
export function createFeedLists(parts: ListParts): FeedLists {
  const { read, heavy } = parts

  /** How rows of a place are read: at once where it has few. */
  const readerOf = (ctx: RequestContext, place: Place) => {
    const isLong = hasMoreThan(read, place, manyRows)
    return async <Row>(statement: Statement<Row>): Promise<Row[]> =>
      isLong ? heavy.query(statement, { timeoutMs, signal: ctx.signal }) : read.all(statement)
  }

  const page = async (
    ctx: RequestContext,
    place: RecordPlace,
    choice: Choice,
    request: PageStart,
    binding: readonly unknown[],
  ): Promise<z.output<typeof FeedPage>> => {
    const viewer = parts.viewer(ctx, place)
    const run = readerOf(ctx, place)
    const { after: below, limit } = request
    const facts = choice.facts === null ? null : [viewer.facts(), ...choice.facts]
    const items = choice.items === null ? null : [viewer.items(), ...choice.items]
    const entries: FeedEntry[] = []
    let total = 0
    if (facts !== null) {
      const rows = await run(factsBelow(place, facts, below, limit + 1))
      entries.push(...rows.map((row) => ({ kind: 'fact', id: row.id, row }) as const))
      total += (await run(countFacts(place, facts)))[0]!.total
    }
    if (items !== null) {
      const rows = await run(itemsBelow(place, items, below, limit + 1))
      entries.push(...rows.map((row) => ({ kind: 'item', id: row.id, row }) as const))
      total += (await run(countItems(place, items)))[0]!.total
    }
    entries.sort((a, b) => (a.id < b.id ? 1 : -1))
    const { shown, ...rest } = cutPage(entries, request, idOf, binding)
    return { items: await showEntries(parts, ctx, place, viewer, shown), total, ...rest }
  }

  const showLog = async (
    ctx: RequestContext,
    { schema, recordId }: RecordPlace,
    rows: readonly FactRow[],
    fields: ReadonlySet<string>,
  ): Promise<ChangelogView['entries']> => {
    const changes = await showChanges(parts, ctx, schema, rows.map(changesOf), fields)
    const people = parts.people.findAll(rows.flatMap((row) => (row.actor_type === 'user' ? [row.actor_id] : [])))
    return rows.map((row, at) => ({
      id: row.id,
      object: schema.name,
      recordId,
      actor: actorView({ actor_type: row.actor_type, actor_id: row.actor_id }, people),
      action: row.action,
      changes: changes[at]!,
      timestamp: row.at,
      source: row.source as NonNullable<z.output<typeof ChangelogEntry>['source']>,
      ...(row.request_id === null ? {} : { requestId: row.request_id }),
      ...(row.cause_event_id === null ? {} : { causeEventId: String(row.cause_event_id) }),
      ...(row.depth === null ? {} : { depth: row.depth }),
    }))
  }

  return {
    list(ctx, place, query) {
      const choice = choiceOf(query.type ?? 'all', false)
      const { type = 'all', parentId = null, pinnedOnly = false } = query
      const binding = ['feed', place.object, place.recordId, type, parentId, ...(pinnedOnly ? ['pinned'] : [])]
      const request = readPage(query, feedBounds, binding)
      const parent: Condition[] =
        parentId === null ? [] : [{ sql: 'i.parent_id = ?', values: [parentId.toLowerCase()] }]
      const pinned = (alias: string): Condition[] => (pinnedOnly ? [markedAs(alias, 'feed_pin')] : [])
      const facts = choice.facts === null || parentId !== null ? null : [...choice.facts, ...pinned('f')]
      const items = choice.items === null ? null : [...choice.items, ...parent, ...pinned('i')]
      return page(ctx, place, { facts, items }, request, binding)
    },

    async search(ctx, place, query) {
      const text = query.query.trim()
      if (text.length < leastSearched) throw feedError('feed_search_query_too_short', { minimum: leastSearched })
      const { cursor: _cursor, limit: _limit, ...asked } = query
      const binding = ['search', place.object, place.recordId, asked]
      const request = readPage(query, feedBounds, binding)
      const choice = choiceOf(query.type ?? 'all', true)
      const me = ctx.actor.id
      const conditions: Condition[] = [
        ...(choice.items ?? [none]),
        { sql: 'i.is_deleted = 0', values: [] },
        ...ofActor('i', query.actorId),
        ...between('i.created_at', query, parts.timeZone()),
        ...markedBy(query, me),
        searchCondition(place, text),
      ]
      return page(ctx, place, { facts: null, items: conditions }, request, binding)
    },

    async changelog(ctx, place, query) {
      const viewer = parts.viewer(ctx, place)
      const { cursor: _cursor, limit: _limit, ...asked } = query
      const binding = ['changelog', place.object, place.recordId, asked]
      const request = readPage(query, changelogBounds, binding)
      const uid = query.field === undefined ? undefined : fieldUid(place, viewer, query.field)
      const conditions = [
        viewer.entries(uid),
        ...ofActor('f', query.actorId),
        ...between('f.at', query, parts.timeZone()),
      ]
      const run = readerOf(ctx, place)
      const rows = await run(factsBelow(place, conditions, request.after, request.limit + 1))
      const [counted] = await run(countFacts(place, conditions))
      const { shown, ...rest } = cutPage(rows, request, idOf, binding)
      const entries = await showLog(ctx, place, shown, uid === undefined ? viewer.fields : new Set([uid]))
      return { entries, total: counted!.total, ...rest }
    },
  }
}

const idOf = ({ id }: { readonly id: string }): string => id

const none: Condition = { sql: 'FALSE', values: [] }

const choices: Readonly<Record<(typeof feedFilters)[number], Choice>> = {
  all: { facts: [], items: [] },
  comments_only: { facts: null, items: [{ sql: `i.type = 'comment'`, values: [] }] },
  changes_only: { facts: [{ sql: `f.action IN ('update', 'transfer')`, values: [] }], items: null },
  tasks_only: { facts: null, items: [{ sql: `i.type = 'task'`, values: [] }] },
}

/** @throws invalid_feed_type */
function choiceOf(type: string, takesTypes: boolean): Choice {
  if ((feedFilters as readonly string[]).includes(type)) return choices[type as keyof typeof choices]
  const isType = (feedItemTypes as readonly string[]).includes(type)
  if (takesTypes && isType) return { facts: null, items: [{ sql: 'i.type = ?', values: [type] }] }
  const allowed = takesTypes ? [...feedFilters, ...feedItemTypes] : feedFilters
  throw feedError('invalid_feed_type', { type: type.slice(0, 200), allowed })
}

function ofActor(alias: string, actorId: string | undefined): Condition[] {
  return actorId === undefined ? [] : [{ sql: `${alias}.actor_id = ?`, values: [actorId] }]
}

function markedBy({ hasAttachments, pinnedOnly, starredOnly }: FeedSearch, me: string): Condition[] {
  return [
    ...(hasAttachments === undefined ? [] : [{ sql: `i.attachments ${hasAttachments ? '<>' : '='} '[]'`, values: [] }]),
    ...(pinnedOnly === true ? [markedAs('i', 'feed_pin')] : []),
    ...(starredOnly === true ? [markedAs('i', 'feed_star', { sql: ' AND k.user_id = ?', values: [me] })] : []),
  ]
}

/** Both ends count; a day without a time is all of it in the workspace's zone. @throws validation_error */
function between(
  column: string,
  { dateFrom, dateTo }: Pick<ChangelogQuery, 'dateFrom' | 'dateTo'>,
  zone: string,
): Condition[] {
  const problems: FieldError[] = []
  const instant = (field: string, text: string | undefined, day: (date: string) => number): string | undefined => {
    if (text === undefined) return undefined
    const ms = isDate(text) ? day(text) : parseInstant(text, zone)
    if (ms !== null) return formatInstant(ms)
    problems.push({ field, code: 'invalid_datetime', message: 'The value must be a timestamp.', value: text })
    return undefined
  }
  const from = instant('dateFrom', dateFrom, (date) => startOfDate(date, zone))
  const to = instant('dateTo', dateTo, (date) => endOfDate(date, zone) - 1)
  if (problems.length > 0) throw validationError(problems)
  return [
    ...(from === undefined ? [] : [{ sql: `${column} >= ?`, values: [from] }]),
    ...(to === undefined ? [] : [{ sql: `${column} <= ?`, values: [to] }]),
  ]
}

/** A field that may not be read is a field that is not there (D-25). @throws validation_error */
function fieldUid({ schema }: RecordPlace, { fields }: Viewer, name: string): string {
  const uid = trackedFields(schema).get(name)?.field.uid
  if (uid !== undefined && fields.has(uid)) return uid
  const message = 'The object has no field of this name whose changes are kept.'
  throw validationError([{ field: 'field', code: 'unknown_field', message, value: name }])
}
