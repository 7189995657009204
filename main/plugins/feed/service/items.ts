// Writing items: creating, changing and deleting them, each in one write with its words, subscriptions and event.
import { notFound } from '#shared/errors.ts'
import type { FileReference } from '#shared/field-types/field-schema.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { isLive } from '#main/database/query/object-rows.ts'
import type { ItemChangeAlong, SystemItemDraft } from '../api.ts'
import { feedError } from '../errors.ts'
import type { NewItem } from '../store.ts'
import {
  deleteItem,
  emptyItem,
  hasReplies,
  insertItem,
  readItem,
  readSeenFact,
  readSeenItem,
  updateItem,
} from '../store.ts'
import { addWords, removeWords } from './body-word-store.ts'
import type { ItemData } from './item-input.ts'
import { clientType, mergeData, readItemInput } from './item-input.ts'
import { removeMarks } from './mark-store.ts'
import type { GivenMention, StoredMention } from './mentions.ts'
import { completeMentions, mentionedUsers, parseMentions } from './mentions.ts'
import type { People } from './people.ts'
import type { RecordPlace } from './place.ts'
import type { FeedEntry, FeedItemVisibility, ItemRow } from './row-types.ts'
import { mentionsOf } from './row-types.ts'
import { storedItemView } from './show-items.ts'
import type { Viewer } from './viewer-store.ts'

/** What clients send to create an item. */
export interface CreateInput {
  readonly type: string
  readonly body?: string | undefined
  readonly mentions?: readonly GivenMention[] | undefined
  readonly parentId?: string | null | undefined
  readonly visibility: FeedItemVisibility
  readonly attachments?: readonly string[] | undefined
  readonly data?: ItemData | undefined
}

/** What clients send to change one; what is absent stays. */
export interface ChangeInput {
  readonly body?: string | undefined
  readonly mentions?: readonly GivenMention[] | undefined
  readonly visibility?: FeedItemVisibility | undefined
  readonly data?: ItemData | undefined
}

/** What writing works with. */
export interface ItemParts {
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly people: People
  readonly authorizer: () => Authorizer
  readonly viewer: (ctx: RequestContext, place: RecordPlace) => Viewer
  /** What is true of a file the caller may attach; undefined for others. */
  readonly fileOf: (ctx: RequestContext, id: string) => Required<FileReference> | undefined
  /** Subscribes users to a record who have no subscription and never ended one. */
  readonly subscribe: (tx: Tx, place: RecordPlace, userIds: readonly string[]) => void
}

/** Hears of an item in the transaction that stores it. */
export type KeepEntry = (tx: Tx, entry: FeedEntry) => void

/** The writes. */
export interface FeedItems {
  /**
   * @param keep keeps what is answered in the transaction
   * @throws invalid_feed_type, feed_invalid_parent, validation_error, resource_not_found
   */
  create(ctx: RequestContext, place: RecordPlace, input: CreateInput, keep?: KeepEntry): Promise<FeedEntry>
  /** @throws feed_item_not_found, feed_permission_denied, feed_item_not_editable, validation_error */
  change(
    ctx: RequestContext,
    place: RecordPlace,
    feedId: string,
    input: ChangeInput,
    along?: ItemChangeAlong,
  ): Promise<FeedEntry>
  /** @throws feed_item_not_found, feed_permission_denied, feed_item_not_editable */
  remove(ctx: RequestContext, place: RecordPlace, feedId: string): Promise<void>
  /** @see FeedService.addSystemItem */
  addSystemItem(tx: Tx, ctx: RequestContext, place: RecordPlace, draft: SystemItemDraft): void
}

/** Types nobody but the server writes. */
const systemTypes: ReadonlySet<string> = new Set(['approval', 'sharing', 'system'])

/**
 * An item or fact of a record as a caller sees it.
 * @throws feed_item_not_found for what is not there, deleted, or not to be seen
 */
export function requireEntry(read: Pick<Reads, 'get'>, place: RecordPlace, viewer: Viewer, feedId: string): FeedEntry {
  const id = parseUuid(feedId)
  if (id !== null) {
    const item = readSeenItem(read, place, id, viewer.items())
    if (item !== undefined && item.is_deleted === 0) return { kind: 'item', id, row: item }
    const fact = item === undefined ? readSeenFact(read, place, id, viewer.facts()) : undefined
    if (fact !== undefined) return { kind: 'fact', id, row: fact }
  }
  throw feedError('feed_item_not_found', { feedId: feedId.slice(0, 200) })
}

/** Inside of a write: a purge just before must not leave rows behind. @throws resource_not_found */
export function requireLive(tx: Tx, { schema, recordId }: RecordPlace): void {
  if (!isLive(tx, schema, recordId)) throw notFound('record', recordId, schema.name)
}

/**
 * Raises an event of an item with the narrowest visibility that its receivers need.
 * @param more what else the payload says
 */
export function announceItem(
  people: Pick<People, 'findAll'>,
  tx: Tx,
  ctx: RequestContext,
  place: RecordPlace,
  type: 'feed.item.created' | 'feed.item.updated' | 'feed.item.deleted',
  row: ItemRow,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const known = people.findAll(row.actor_type === 'user' ? [row.actor_id] : [])
  const item = storedItemView(place, row, known)
  const visibility = narrowest(item.visibility, parentVisibility(tx, place, row))
  const payload = { item: { ...item, visibility }, ...more }
  tx.emit(ctx, { type, object: place.schema.name, recordId: place.recordId, payload })
}

/** Makes the writes. */
export function createFeedItems(parts: ItemParts): FeedItems {
  const { write, clock, ids, people } = parts
  const userExists =
    (ctx: RequestContext) =>
    (id: string): boolean =>
      people.findFor(ctx, id) !== undefined

  const add = (tx: Tx, ctx: RequestContext, place: RecordPlace, item: NewItem): ItemRow => {
    const number = insertItem(tx, place, item)
    const row: ItemRow = { ...item, number, is_deleted: 0 }
    addWords(tx, place, number, row.body)
    announceItem(people, tx, ctx, place, 'feed.item.created', row)
    return row
  }

  const mentionsFor = (
    ctx: RequestContext,
    given: readonly GivenMention[] | undefined,
    body: string | null,
  ): StoredMention[] =>
    given === undefined
      ? parseMentions(body ?? '')
      : completeMentions(given, body ?? '', (id) => people.findFor(ctx, id)?.name)

  const requireParent = (tx: Tx, place: RecordPlace, viewer: Viewer, parentId: string): string => {
    const id = parseUuid(parentId)
    const item = id === null ? undefined : readSeenItem(tx, place, id, viewer.items())
    const isOpen = item === undefined ? false : item.is_deleted === 0 && item.parent_id === null
    const isFact = item === undefined && id !== null && readSeenFact(tx, place, id, viewer.facts()) !== undefined
    if (id === null || !(isOpen || isFact)) throw feedError('feed_invalid_parent', { parentId: parentId.slice(0, 200) })
    return id
  }

  /** What only its author may change, and nobody what the server wrote. */
  const requireOwn = (ctx: RequestContext, entry: FeedEntry, moderators: boolean): ItemRow => {
    if (entry.kind === 'fact' || systemTypes.has(entry.row.type))
      throw feedError('feed_item_not_editable', { feedId: entry.id })
    const isAuthor = entry.row.actor_type === ctx.actor.type && entry.row.actor_id === ctx.actor.id
    const mayModerate = moderators && parts.authorizer().hasSystemPermission(ctx, 'moderate_feed')
    if (!isAuthor && !mayModerate) throw feedError('feed_permission_denied', { feedId: entry.id })
    return entry.row
  }

  return {
    async create(ctx, place, input, keep) {
      const type = clientType(input.type)
      // Without files on its records an object has none in its feeds either.
      const fileOf = place.schema.enable.files ? (id: string) => parts.fileOf(ctx, id) : undefined
      const { body, data, attachments } = readItemInput(type, input, { userExists: userExists(ctx), fileOf })
      const mentions = mentionsFor(ctx, input.mentions, body)
      const viewer = parts.viewer(ctx, place)
      const row = await write('feed.create', (tx) => {
        requireLive(tx, place)
        const parentId = input.parentId == null ? null : requireParent(tx, place, viewer, input.parentId)
        const now = clock.iso()
        const added = add(tx, ctx, place, {
          id: ids.uuid(),
          type,
          actor_type: ctx.actor.type,
          actor_id: ctx.actor.id,
          source: ctx.source,
          body,
          mentions: JSON.stringify(mentions),
          attachments: JSON.stringify(attachments),
          data: data === null ? null : JSON.stringify(data),
          parent_id: parentId,
          visibility: input.visibility,
          created_at: now,
          updated_at: now,
          edited_at: null,
        })
        parts.subscribe(tx, place, [
          ...(ctx.actor.type === 'user' ? [ctx.actor.id] : []),
          ...mentionedUsers(mentions).filter(userExists(ctx)),
        ])
        keep?.(tx, entryOf(added))
        return added
      })
      return entryOf(row)
    },

    async change(ctx, place, feedId, input, along) {
      const viewer = parts.viewer(ctx, place)
      const row = await write('feed.change', (tx) => {
        along?.before(tx)
        requireLive(tx, place)
        const present = requireOwn(ctx, requireEntry(tx, place, viewer, feedId), false)
        const before = present.data === null ? null : (JSON.parse(present.data) as ItemData)
        const { body, data } = readItemInput(
          present.type,
          { body: input.body ?? present.body ?? undefined, data: mergeData(before, input.data) },
          // Whoever was assigned before may be gone by now.
          { userExists: (id) => id === before?.['assigneeId'] || userExists(ctx)(id) },
        )
        const isNamed = input.mentions !== undefined || input.body !== undefined
        const mentions = isNamed ? mentionsFor(ctx, input.mentions, body) : mentionsOf(present)
        const now = clock.iso()
        const next: ItemRow = {
          ...present,
          body,
          mentions: JSON.stringify(mentions),
          data: data === null ? null : JSON.stringify(data),
          visibility: input.visibility ?? present.visibility,
          updated_at: now,
          edited_at: now,
        }
        updateItem(tx, next)
        if (next.body !== present.body) {
          removeWords(tx, place, present.number, present.body)
          addWords(tx, place, next.number, next.body)
        }
        parts.subscribe(tx, place, mentionedUsers(mentions).filter(userExists(ctx)))
        announceItem(people, tx, ctx, place, 'feed.item.updated', next)
        along?.after(tx)
        return next
      })
      return entryOf(row)
    },

    remove(ctx, place, feedId) {
      const viewer = parts.viewer(ctx, place)
      return write('feed.delete', (tx) => {
        requireLive(tx, place)
        const present = requireOwn(ctx, requireEntry(tx, place, viewer, feedId), true)
        const now = clock.iso()
        removeWords(tx, place, present.number, present.body)
        removeMarks(tx, place, present.id)
        if (hasReplies(tx, place, present.id)) emptyItem(tx, present.number, namesOf(mentionsOf(present)), now)
        else deleteItem(tx, present.number)
        dropStub(tx, place, present.parent_id)
        announceItem(people, tx, ctx, place, 'feed.item.deleted', {
          ...present,
          body: null,
          data: null,
          attachments: '[]',
          updated_at: now,
          is_deleted: 1,
        })
      })
    },

    addSystemItem(tx, ctx, place, { type, body, data, actor = ctx.actor }) {
      const now = clock.iso()
      add(tx, ctx, place, {
        id: ids.uuid(),
        type,
        actor_type: actor.type,
        actor_id: actor.id,
        source: ctx.source,
        body: body ?? null,
        mentions: '[]',
        attachments: '[]',
        data: data === undefined ? null : JSON.stringify(data),
        parent_id: null,
        visibility: 'public',
        created_at: now,
        updated_at: now,
        edited_at: null,
      })
    },
  }
}

function entryOf(row: ItemRow): FeedEntry {
  return { kind: 'item', id: row.id, row }
}

/** Who a stub stays visible to; the names it used go. */
export function namesOf(mentions: readonly StoredMention[]): string {
  return JSON.stringify(mentions.map(({ type, id }) => ({ type, id })))
}

/** Takes away the stub that was replied to when no reply is left: it holds a place for nobody. */
export function dropStub(tx: Tx, place: RecordPlace, parentId: string | null): void {
  const parent = parentId === null ? undefined : readItem(tx, place, parentId)
  if (parent === undefined || parent.is_deleted === 0 || hasReplies(tx, place, parent.id)) return
  deleteItem(tx, parent.number)
}

const widest: readonly FeedItemVisibility[] = ['public', 'internal', 'private']

/** Who may not see an item is not told of replies to it; events carry the narrower of both. */
function narrowest(own: FeedItemVisibility, parent: FeedItemVisibility): FeedItemVisibility {
  return widest[Math.max(widest.indexOf(own), widest.indexOf(parent))]!
}

function parentVisibility(tx: Tx, place: RecordPlace, { parent_id: parentId }: ItemRow): FeedItemVisibility {
  return (parentId === null ? undefined : readItem(tx, place, parentId)?.visibility) ?? 'public'
}
