// Contracts of the activity of records: feed, reactions, pins, stars, subscriptions, changelog (specification "Feed",
// D-136 to D-145). Served below the prefix and below `/api`, as D-01 asks.
import { z } from 'zod'
import { changeSources } from '../events.ts'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger } from './common.ts'

/** Every type of feed item. */
export const feedItemTypes = [
  'comment',
  'field_change',
  'task',
  'event',
  'email',
  'call',
  'note',
  'file',
  'record_create',
  'record_delete',
  'approval',
  'sharing',
  'system',
] as const

/** The types clients may create (D-137). */
export const clientFeedTypes = ['comment', 'task', 'event', 'email', 'call', 'note', 'file'] as const

/** Filters of a feed list. */
export const feedFilters = ['all', 'comments_only', 'changes_only', 'tasks_only'] as const

/** Who may see an item (D-143). */
export const FeedVisibility = z.enum(['public', 'internal', 'private'])

/** What a subscription hears of. */
export const SubscriptionEvent = z.enum(['comment', 'mention', 'field_change', 'task', 'approval', 'all'])

/** Where a subscription is delivered. */
export const SubscriptionChannel = z.enum(['in_app', 'email', 'push', 'slack'])

/** Who or what did something. */
export const FeedActor = z
  .object({
    type: z.enum(['user', 'system', 'service', 'automation']),
    id: z.string(),
    name: z.string().optional(),
    avatarUrl: z.string().optional(),
    source: z.string().optional(),
  })
  .meta({ id: 'FeedActor' })

/** Somebody or something named in a body; `offset` and `length` are UTF-16 units. */
export const FeedMention = z
  .object({
    type: z.enum(['user', 'team', 'record']),
    id: z.string(),
    name: z.string(),
    offset: z.int(),
    length: z.int(),
    object: z.string().optional(),
  })
  .meta({ id: 'FeedMention' })

/** The change of one field. Values the caller may not read are absent with the whole change. */
export const FieldChange = z
  .object({
    field: z.string(),
    fieldLabel: z.string().optional(),
    oldValue: z.unknown().optional(),
    newValue: z.unknown().optional(),
    oldDisplayValue: z.string().optional(),
    newDisplayValue: z.string().optional(),
  })
  .meta({ id: 'FieldChange' })

/** One kind of reaction to an item. */
export const FeedReaction = z
  .object({ emoji: z.string(), userIds: z.array(z.string()), count: z.int(), reacted: z.boolean() })
  .meta({ id: 'FeedReaction' })

/** One item of a feed (D-136). */
export const FeedItem = z
  .object({
    id: z.string(),
    type: z.enum(feedItemTypes),
    object: z.string(),
    recordId: z.string(),
    actor: FeedActor,
    body: z.string().optional(),
    mentions: z.array(FeedMention),
    changes: z.array(FieldChange).optional(),
    attachments: z.array(z.object({ fileId: z.string(), name: z.string(), mimeType: z.string(), size: z.int() })),
    data: z.record(z.string(), z.unknown()).optional(),
    reactions: z.array(FeedReaction),
    parentId: z.string().optional(),
    replyCount: z.int(),
    pinned: z.boolean(),
    pinnedAt: z.string().optional(),
    pinnedBy: z.string().optional(),
    starred: z.boolean(),
    starredAt: z.string().optional(),
    visibility: FeedVisibility,
    createdAt: z.string(),
    updatedAt: z.string(),
    editedAt: z.string().optional(),
    isEdited: z.boolean(),
    isDeleted: z.boolean(),
  })
  .meta({ id: 'FeedItem' })

/** A page of a feed. */
export const FeedPage = z
  .object({ items: z.array(FeedItem), total: z.int(), nextCursor: z.string().optional(), hasMore: z.boolean() })
  .meta({ id: 'FeedPage' })

/** One entry of the changelog (D-145). */
export const ChangelogEntry = z
  .object({
    id: z.string(),
    object: z.string(),
    recordId: z.string(),
    actor: FeedActor,
    action: z.enum(['create', 'update', 'delete', 'restore', 'transfer']),
    changes: z.array(FieldChange),
    timestamp: z.string(),
    source: z.enum(changeSources).optional(),
    requestId: z.string().optional(),
    causeEventId: z.string().optional().meta({ description: 'The event that caused the change, in a chain.' }),
    depth: z.int().optional().meta({ description: 'How many causes lie before it, in a chain.' }),
  })
  .meta({ id: 'ChangelogEntry' })

/** What one user wants to hear of a record. */
export const FeedSubscription = z
  .object({
    id: z.string(),
    object: z.string(),
    recordId: z.string(),
    userId: z.string(),
    events: z.array(SubscriptionEvent),
    channels: z.array(SubscriptionChannel),
    active: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'FeedSubscription' })

/** A mention as clients may give it: what is missing is filled in from the body (D-137). */
const MentionInput = z.object({
  type: z.enum(['user', 'team', 'record']),
  id: z.string().min(1),
  name: z.string().optional(),
  offset: z.int().min(0).optional(),
  length: z.int().min(0).optional(),
  object: z.string().optional(),
})

const Body = z.string().max(50_000).meta({ description: 'Markdown.' })
const Instant = z.string().meta({ description: 'ISO 8601, inclusive; without offset in the workspace time zone.' })
const Cursor = z.string().meta({ description: '`nextCursor` of the page before.' })

const FeedParams = z.object({ object: z.string(), recordId: z.string() })
const ItemParams = FeedParams.extend({ feedId: z.string() })

const shared = {
  mount: 'versioned',
  envelope: true,
  permission: { object: 'params.object', action: 'read' },
  tag: 'feed',
} as const

const record = '/data/:object/:recordId'

/** The path below the prefix and, with identical behaviour, below `/api` (D-01). */
function at<const P extends string>(path: P): { path: P; aliases: readonly { mount: 'api'; path: P }[] } {
  return { path, aliases: [{ mount: 'api', path }] }
}

const Pinned = z
  .object({ feedId: z.string(), pinned: z.boolean(), pinnedAt: z.string().optional(), pinnedBy: z.string().optional() })
  .meta({ id: 'FeedPin' })
const Starred = z
  .object({ feedId: z.string(), starred: z.boolean(), starredAt: z.string().optional() })
  .meta({ id: 'FeedStar' })
const Reactions = z.object({ feedId: z.string(), reactions: z.array(FeedReaction) }).meta({ id: 'FeedReactions' })

/** The routes of the `feed` plugin. */
export const feedRoutes = defineRoutes({
  listFeed: defineRoute({
    ...shared,
    ...at(`${record}/feed`),
    operationId: 'listFeed',
    method: 'GET',
    params: FeedParams,
    query: z.object({
      type: z.string().optional().meta({ description: 'all (default), comments_only, changes_only, tasks_only.' }),
      parentId: z.string().optional().meta({ description: 'Only replies to this item.' }),
      pinnedOnly: QueryBoolean.optional().meta({ description: 'Only pinned items.' }),
      limit: QueryInteger.optional().meta({ description: '1 to 100, default 20.' }),
      cursor: Cursor.optional(),
    }),
    response: FeedPage,
    rateLimit: 'read',
    errors: ['method_not_allowed', 'invalid_feed_type'],
    channel: 'feed',
    summary: 'List the activity of a record, newest first.',
  }),
  createFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed`),
    operationId: 'createFeedItem',
    method: 'POST',
    params: FeedParams,
    body: z.object({
      type: z.string(),
      body: Body.optional(),
      mentions: z.array(MentionInput).max(100).optional(),
      parentId: z.string().nullish(),
      visibility: FeedVisibility.default('public'),
      attachments: z.array(z.string()).max(50).optional().meta({ description: 'Ids of files.' }),
      data: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'Fields of the type; of a task: dueDate, assigneeId, done.' }),
    }),
    response: FeedItem,
    status: 201,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'invalid_feed_type', 'feed_invalid_parent', 'feed_permission_denied'],
    channel: 'feed',
    summary: 'Add a comment, task, event, email, call, note or file.',
  }),
  updateFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId`),
    operationId: 'updateFeedItem',
    method: 'PUT',
    params: ItemParams,
    body: z.object({
      body: Body.optional(),
      mentions: z.array(MentionInput).max(100).optional(),
      visibility: FeedVisibility.optional(),
      data: z.record(z.string(), z.unknown()).optional(),
    }),
    response: FeedItem,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_permission_denied', 'feed_item_not_editable'],
    channel: 'feed',
    summary: 'Change an item of one’s own.',
  }),
  deleteFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId`),
    operationId: 'deleteFeedItem',
    method: 'DELETE',
    params: ItemParams,
    response: z.object({ feedId: z.string(), deleted: z.literal(true) }).meta({ id: 'FeedDeletion' }),
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_permission_denied', 'feed_item_not_editable'],
    channel: 'feed',
    summary: 'Delete an item; one with replies stays without its body.',
  }),
  addReaction: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/reactions`),
    operationId: 'addReaction',
    method: 'POST',
    params: ItemParams,
    body: z.object({ emoji: z.string().meta({ description: 'One grapheme, or `:shortcode:`.' }) }),
    response: Reactions,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'reaction_already_exists'],
    channel: 'feed',
    summary: 'React to an item.',
  }),
  removeReaction: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/reactions/:emoji`),
    operationId: 'removeReaction',
    method: 'DELETE',
    params: ItemParams.extend({ emoji: z.string() }),
    response: Reactions,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'reaction_not_found'],
    channel: 'feed',
    summary: 'Take a reaction of one’s own back.',
  }),
  pinFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/pin`),
    operationId: 'pinFeedItem',
    method: 'POST',
    params: ItemParams,
    permission: { object: 'params.object', action: 'edit' },
    response: Pinned,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_already_pinned'],
    channel: 'feed',
    summary: 'Pin an item for everybody; needs the right to edit the record.',
  }),
  unpinFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/pin`),
    operationId: 'unpinFeedItem',
    method: 'DELETE',
    params: ItemParams,
    permission: { object: 'params.object', action: 'edit' },
    response: Pinned,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_not_pinned'],
    channel: 'feed',
    summary: 'Take a pin away.',
  }),
  starFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/star`),
    operationId: 'starFeedItem',
    method: 'POST',
    params: ItemParams,
    response: Starred,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_already_starred'],
    channel: 'feed',
    summary: 'Star an item for oneself.',
  }),
  unstarFeedItem: defineRoute({
    ...shared,
    ...at(`${record}/feed/:feedId/star`),
    operationId: 'unstarFeedItem',
    method: 'DELETE',
    params: ItemParams,
    response: Starred,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'feed_item_not_found', 'feed_not_starred'],
    channel: 'feed',
    summary: 'Take a star of one’s own away.',
  }),
  searchFeed: defineRoute({
    ...shared,
    ...at(`${record}/feed/search`),
    operationId: 'searchFeed',
    method: 'GET',
    params: FeedParams,
    query: z.object({
      query: z.string().meta({ description: 'At least two characters; words, "phrases", -without.' }),
      type: z.string().optional().meta({ description: 'A filter of lists, or a type of item.' }),
      actorId: z.string().optional(),
      dateFrom: Instant.optional(),
      dateTo: Instant.optional(),
      hasAttachments: QueryBoolean.optional(),
      pinnedOnly: QueryBoolean.optional(),
      starredOnly: QueryBoolean.optional(),
      limit: QueryInteger.optional().meta({ description: '1 to 100, default 20.' }),
      cursor: Cursor.optional(),
    }),
    response: FeedPage,
    rateLimit: 'read',
    errors: ['method_not_allowed', 'invalid_feed_type', 'feed_search_query_too_short'],
    channel: 'feed-search',
    summary: 'Find items of a record by the words of their bodies, newest first.',
  }),
  listMentionable: defineRoute({
    ...shared,
    ...at(`${record}/feed/mentionable`),
    operationId: 'listMentionable',
    method: 'GET',
    params: FeedParams,
    query: z.object({ query: z.string().max(200).optional().meta({ description: 'Part of a name.' }) }),
    response: z
      .object({
        people: z.array(z.object({ id: z.string(), name: z.string(), avatarUrl: z.string().optional() })),
        hasMore: z.boolean(),
      })
      .meta({ id: 'MentionablePeople' }),
    rateLimit: 'read',
    errors: ['method_not_allowed'],
    channel: 'feed',
    summary: 'People who may read the record and can be mentioned on it, by name; at most 200.',
  }),
  getChangelog: defineRoute({
    ...shared,
    ...at(`${record}/changelog`),
    operationId: 'getChangelog',
    method: 'GET',
    params: FeedParams,
    query: z.object({
      field: z.string().optional().meta({ description: 'Only entries touching it, and only that change.' }),
      actorId: z.string().optional(),
      dateFrom: Instant.optional(),
      dateTo: Instant.optional(),
      limit: QueryInteger.optional().meta({ description: '1 to 200, default 50.' }),
      cursor: Cursor.optional(),
    }),
    response: z
      .object({
        entries: z.array(ChangelogEntry),
        total: z.int(),
        nextCursor: z.string().optional(),
        hasMore: z.boolean(),
      })
      .meta({ id: 'ChangelogPage' }),
    rateLimit: 'read',
    errors: ['method_not_allowed'],
    channel: 'changelog',
    summary: 'Every change of a record, field by field, newest first.',
  }),
  subscribeRecord: defineRoute({
    ...shared,
    ...at(`${record}/subscribe`),
    operationId: 'subscribeRecord',
    method: 'POST',
    params: FeedParams,
    body: z
      .object({
        events: z.array(SubscriptionEvent).min(1).default(['all']),
        channels: z.array(SubscriptionChannel).min(1).default(['in_app']),
      })
      .default({ events: ['all'], channels: ['in_app'] }),
    response: FeedSubscription,
    rateLimit: 'write',
    errors: ['method_not_allowed', 'subscription_already_exists'],
    channel: 'feed',
    reads: ['If-None-Match'],
    summary: 'Subscribe to a record, or change one’s subscription.',
  }),
  getSubscription: defineRoute({
    ...shared,
    ...at(`${record}/subscribe`),
    operationId: 'getSubscription',
    method: 'GET',
    params: FeedParams,
    response: FeedSubscription,
    rateLimit: 'read',
    errors: ['method_not_allowed', 'subscription_not_found'],
    channel: 'feed',
    summary: 'One’s own subscription to a record.',
  }),
  unsubscribeRecord: defineRoute({
    ...shared,
    ...at(`${record}/subscribe`),
    operationId: 'unsubscribeRecord',
    method: 'DELETE',
    params: FeedParams,
    response: z
      .object({ object: z.string(), recordId: z.string(), unsubscribed: z.literal(true) })
      .meta({ id: 'FeedUnsubscription' }),
    rateLimit: 'write',
    errors: ['method_not_allowed', 'subscription_not_found'],
    channel: 'feed',
    summary: 'End one’s subscription to a record.',
  }),
})
