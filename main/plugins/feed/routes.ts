// Handlers of the feed routes: request words to service calls and back.
import type { feedRoutes } from '#shared/contracts/feed.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { FeedCore } from './service.ts'
import type { KeepEntry } from './service/items.ts'
import type { RecordPlace } from './service/place.ts'

/** Makes the handlers over the service. */
export function feedHandlers({
  gate,
  items,
  lists,
  marks,
  subscriptions,
  show,
  showAtOnce,
  mentionable,
}: FeedCore): Handlers<typeof feedRoutes> {
  /** Keeps an item as it is shown to its author. */
  const keepOf = (ctx: RequestContext, place: RecordPlace): KeepEntry | undefined => {
    const keep = ctx.effectKey?.keep
    return keep && ((tx, entry) => keep(tx, showAtOnce(tx, ctx, place, entry)))
  }
  return {
    listFeed: (ctx, { params, query }) => lists.list(ctx, gate.feed(ctx, params), query),
    searchFeed: (ctx, { params, query }) => lists.search(ctx, gate.feed(ctx, params), query),
    listMentionable: (ctx, { params, query }) => mentionable(ctx, params, query.query ?? ''),
    getChangelog: (ctx, { params, query }) => lists.changelog(ctx, gate.changelog(ctx, params), query),
    async createFeedItem(ctx, { params, body }) {
      const place = gate.feed(ctx, params)
      return show(ctx, place, await items.create(ctx, place, body, keepOf(ctx, place)))
    },
    async updateFeedItem(ctx, { params, body }) {
      const place = gate.feed(ctx, params)
      return show(ctx, place, await items.change(ctx, place, params.feedId, body))
    },
    async deleteFeedItem(ctx, { params }) {
      await items.remove(ctx, gate.feed(ctx, params), params.feedId)
      return { feedId: params.feedId.toLowerCase(), deleted: true }
    },
    addReaction: (ctx, { params, body }) =>
      marks.react(ctx, gate.feed(ctx, params), params.feedId, body.emoji, ctx.effectKey?.keep),
    removeReaction: (ctx, { params }) => marks.unreact(ctx, gate.feed(ctx, params), params.feedId, params.emoji),
    pinFeedItem: (ctx, { params }) =>
      marks.pin(ctx, gate.feed(ctx, params, 'edit'), params.feedId, ctx.effectKey?.keep),
    unpinFeedItem: (ctx, { params }) => marks.unpin(ctx, gate.feed(ctx, params, 'edit'), params.feedId),
    starFeedItem: (ctx, { params }) => marks.star(ctx, gate.feed(ctx, params), params.feedId, ctx.effectKey?.keep),
    unstarFeedItem: (ctx, { params }) => marks.unstar(ctx, gate.feed(ctx, params), params.feedId),
    subscribeRecord(ctx, { params, body, headers }) {
      const onlyNew = headers['if-none-match']?.trim() === '*'
      return subscriptions.put(ctx, gate.feed(ctx, params), body, onlyNew)
    },
    getSubscription: (ctx, { params }) => subscriptions.get(ctx, gate.feed(ctx, params)),
    async unsubscribeRecord(ctx, { params }) {
      const place = gate.feed(ctx, params)
      await subscriptions.end(ctx, place)
      return { object: params.object, recordId: place.recordId, unsubscribed: true }
    },
  }
}
