// What one caller sees of the feed of a record, as conditions in SQL, so that totals, pages and counts agree (D-143, D-145).
// Facts show by the fields the caller may read now, items by their visibility and that of what they reply to.
import type { RequestContext } from '#main/kernel/context.ts'
import type { RecordPlace } from './place.ts'
import { trackedFields } from './tracked-fields.ts'

/** A condition with its values. */
export interface Condition {
  readonly sql: string
  readonly values: readonly unknown[]
}

/** The eyes of one caller on one object. */
export interface Viewer {
  /** Facts over the alias `f` that the changelog shows; of one field when it is named. */
  entries(field?: string): Condition
  /** Facts over the alias `f` that the feed shows. */
  facts(): Condition
  /** Items over the alias `i` that the caller sees; those it cannot are not there for it. */
  items(): Condition
  /** Uids of the fields whose changes show. */
  readonly fields: ReadonlySet<string>
  /** Uids of the fields whose changes show in the feed. */
  readonly feedFields: ReadonlySet<string>
}

/** What telling a caller apart needs. */
export interface ViewerParts {
  readonly canReadField: (ctx: RequestContext, object: string, field: string) => boolean
  /** Whether a user has the profile `guest`. */
  readonly isGuest: (userId: string) => boolean
}

/** Looks at a record with the eyes of a caller. */
export function viewerOf(parts: ViewerParts, ctx: RequestContext, { schema }: Pick<RecordPlace, 'schema'>): Viewer {
  const tracked = trackedFields(schema)
  const readable = [...tracked.values()].filter(({ field }) => parts.canReadField(ctx, schema.name, field.name))
  const fields = new Set(readable.map(({ field }) => field.uid))
  const feedFields = new Set(readable.filter(({ inFeed }) => inFeed).map(({ field }) => field.uid))
  const touching = (uids: Iterable<string>): Condition => ({
    sql: 'EXISTS (SELECT 1 FROM json_each(f.changes) AS c WHERE c.key IN (SELECT value FROM json_each(?)))',
    values: [JSON.stringify([...uids])],
  })
  /** Creation, deletion and return of the record show whatever the caller may read of its fields. */
  const telling = (uids: Iterable<string>): Condition => {
    const { sql, values } = touching(uids)
    return { sql: `(f.action NOT IN ('update', 'transfer') OR ${sql})`, values }
  }
  const facts = (): Condition => {
    const { sql, values } = telling(feedFields)
    return { sql: `(f.flags & 1) = 1 AND ${sql}`, values }
  }
  const me = ctx.actor.id
  const seesAll = ctx.credential === 'internal'
  const own = (alias: string): Condition =>
    seesAll ? { sql: 'TRUE', values: [] } : visibleItem(alias, me, parts.isGuest(me))
  // A reply from another machine may answer a fact that only that machine has: to a change of who knows which field.
  const known = readable.length === tracked.size ? '' : `(${exists('feed_item')} OR ${exists('feed_fact')}) AND`
  const items = (): Condition => {
    const item = own('i')
    const parent = own('p')
    const fact = facts()
    return {
      sql: `${item.sql}
        AND (i.parent_id IS NULL OR (${known}
          NOT EXISTS (SELECT 1 FROM feed_item AS p WHERE p.object = i.object AND p.record_id = i.record_id
            AND p.id = i.parent_id AND NOT (${parent.sql}))
          AND NOT EXISTS (SELECT 1 FROM feed_fact AS f WHERE f.object = i.object AND f.record_id = i.record_id
            AND f.id = i.parent_id AND NOT (${fact.sql}))))`,
      values: [...item.values, ...parent.values, ...fact.values],
    }
  }
  return {
    fields,
    feedFields,
    facts,
    items,
    entries: (field) => (field === undefined ? telling(fields) : touching(fields.has(field) ? [field] : [])),
  }
}

/** Whether what an item replies to is in a table. */
function exists(table: 'feed_item' | 'feed_fact'): string {
  return `EXISTS (SELECT 1 FROM ${table} AS x WHERE x.object = i.object AND x.record_id = i.record_id AND x.id = i.parent_id)`
}

/** public: all; internal: everybody but guests; private: the author and the users it mentions. */
function visibleItem(alias: string, userId: string, isGuest: boolean): Condition {
  const mentioned = `EXISTS (SELECT 1 FROM json_each(${alias}.mentions) AS m
    WHERE m.value ->> 'type' = 'user' AND m.value ->> 'id' = ?)`
  const open = isGuest ? `${alias}.visibility = 'public'` : `${alias}.visibility IN ('public', 'internal')`
  return {
    sql: `(${open} OR (${alias}.actor_type = 'user' AND ${alias}.actor_id = ?)
      OR (${alias}.visibility = 'private' AND ${mentioned}))`,
    values: [userId, userId],
  }
}
