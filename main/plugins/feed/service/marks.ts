// Reactions, pins and stars (D-140). They attach to anything a feed shows, facts too.
import { normalForm } from '#shared/normal-form.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { validationError } from '#shared/errors.ts'
import type { EffectKey, RequestContext } from '#main/kernel/context.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import { feedError } from '../errors.ts'
import { announceItem, requireEntry, requireLive } from './items.ts'
import { addPin, addReaction, addStar, readReactions, removePin, removeReaction, removeStar } from './mark-store.ts'
import type { People } from './people.ts'
import type { RecordPlace } from './place.ts'
import type { FeedEntry, FeedItemView } from './row-types.ts'
import { reactionViews } from './show-items.ts'
import type { Viewer } from './viewer-store.ts'

/** What marks work with. */
export interface MarkParts {
  readonly write: Write
  readonly people: Pick<People, 'findAll'>
  readonly clock: Clock
  readonly viewer: (ctx: RequestContext, place: RecordPlace) => Viewer
}

/** The reactions to an item. */
export interface ReactionsView {
  readonly feedId: string
  readonly reactions: FeedItemView['reactions']
}

/** The pin of an item. */
export interface PinView {
  readonly feedId: string
  readonly pinned: boolean
  readonly pinnedAt?: string
  readonly pinnedBy?: string
}

/** The caller's star on an item. */
export interface StarView {
  readonly feedId: string
  readonly starred: boolean
  readonly starredAt?: string
}

/** Keeps what is answered in the transaction. */
type Keep = EffectKey['keep']

/** The operations; each throws feed_item_not_found for what the caller does not see. */
export interface FeedMarks {
  /** @throws validation_error, reaction_already_exists */
  react(ctx: RequestContext, place: RecordPlace, feedId: string, emoji: string, keep?: Keep): Promise<ReactionsView>
  /** @throws reaction_not_found */
  unreact(ctx: RequestContext, place: RecordPlace, feedId: string, emoji: string): Promise<ReactionsView>
  /** @throws feed_already_pinned */
  pin(ctx: RequestContext, place: RecordPlace, feedId: string, keep?: Keep): Promise<PinView>
  /** @throws feed_not_pinned */
  unpin(ctx: RequestContext, place: RecordPlace, feedId: string): Promise<PinView>
  /** @throws feed_already_starred */
  star(ctx: RequestContext, place: RecordPlace, feedId: string, keep?: Keep): Promise<StarView>
  /** @throws feed_not_starred */
  unstar(ctx: RequestContext, place: RecordPlace, feedId: string): Promise<StarView>
}

/** Makes the operations. */
export function createFeedMarks({ write, clock, people, viewer }: MarkParts): FeedMarks {
  /** Runs in one write with the item as the caller sees it. */
  const onEntry = <T>(
    name: string,
    ctx: RequestContext,
    place: RecordPlace,
    feedId: string,
    fn: (tx: Tx, entry: FeedEntry) => T extends PromiseLike<unknown> ? never : T,
    keep?: Keep,
  ): Promise<T> =>
    write<T>(`feed.${name}`, (tx) => {
      requireLive(tx, place)
      const answer = fn(tx, requireEntry(tx, place, viewer(ctx, place), feedId))
      keep?.(tx, answer)
      return answer
    })

  const reactions = (tx: Tx, ctx: RequestContext, place: RecordPlace, feedId: string): ReactionsView => ({
    feedId,
    reactions: reactionViews(readReactions(tx, place, feedId), ctx.actor.id),
  })

  const announce = (
    tx: Tx,
    ctx: RequestContext,
    place: RecordPlace,
    what: 'added' | 'removed',
    { id, row }: FeedEntry,
    emoji: string,
  ): void =>
    tx.emit(ctx, {
      type: `feed.reaction.${what}`,
      object: place.schema.name,
      recordId: place.recordId,
      payload: {
        feedId: id,
        emoji,
        userId: ctx.actor.id,
        // Whoever hands the event on must know whom it is for.
        visibility: 'visibility' in row ? row.visibility : 'public',
      },
    })

  /** Others see a pin at once; one on a fact comes with the next look at the feed, as the fact itself did. */
  const tellPin = (tx: Tx, ctx: RequestContext, place: RecordPlace, entry: FeedEntry, pinned: boolean): void => {
    if (entry.kind === 'item') announceItem(people, tx, ctx, place, 'feed.item.updated', entry.row, { pinned })
  }

  return {
    react(ctx, place, feedId, given, keep) {
      const emoji = parseEmoji(given)
      if (emoji === null) {
        const message = 'A reaction is one emoji or a :shortcode:.'
        throw validationError([{ field: 'emoji', code: 'invalid_format', message, value: given }])
      }
      const add = (tx: Tx, entry: FeedEntry): ReactionsView => {
        const { id } = entry
        const userId = ctx.actor.id
        if (!addReaction(tx, place, { itemId: id, emoji, userId }, clock.iso()))
          throw feedError('reaction_already_exists', { feedId: id, emoji })
        announce(tx, ctx, place, 'added', entry, emoji)
        return reactions(tx, ctx, place, id)
      }
      return onEntry('react', ctx, place, feedId, add, keep)
    },

    unreact(ctx, place, feedId, given) {
      const emoji = normalForm(given, 'NFC')
      return onEntry('unreact', ctx, place, feedId, (tx, entry) => {
        const { id } = entry
        if (!removeReaction(tx, place, { itemId: id, emoji, userId: ctx.actor.id }))
          throw feedError('reaction_not_found', { feedId: id })
        announce(tx, ctx, place, 'removed', entry, emoji)
        return reactions(tx, ctx, place, id)
      })
    },

    pin(ctx, place, given, keep) {
      const add = (tx: Tx, entry: FeedEntry): PinView => {
        const { id: feedId } = entry
        const at = clock.iso()
        const userId = ctx.actor.id
        if (!addPin(tx, place, { itemId: feedId, userId, at })) throw feedError('feed_already_pinned', { feedId })
        tellPin(tx, ctx, place, entry, true)
        return { feedId, pinned: true, pinnedAt: at, pinnedBy: userId }
      }
      return onEntry('pin', ctx, place, given, add, keep)
    },

    unpin: (ctx, place, given) =>
      onEntry('unpin', ctx, place, given, (tx, entry) => {
        const { id: feedId } = entry
        if (!removePin(tx, place, feedId)) throw feedError('feed_not_pinned', { feedId })
        tellPin(tx, ctx, place, entry, false)
        return { feedId, pinned: false }
      }),

    star(ctx, place, given, keep) {
      const add = (tx: Tx, { id: feedId }: FeedEntry): StarView => {
        const at = clock.iso()
        const mark = { itemId: feedId, userId: ctx.actor.id, at }
        if (!addStar(tx, place, mark)) throw feedError('feed_already_starred', { feedId })
        return { feedId, starred: true, starredAt: at }
      }
      return onEntry('star', ctx, place, given, add, keep)
    },

    unstar: (ctx, place, given) =>
      onEntry('unstar', ctx, place, given, (tx, { id: feedId }) => {
        if (!removeStar(tx, place, feedId, ctx.actor.id)) throw feedError('feed_not_starred', { feedId })
        return { feedId, starred: false }
      }),
  }
}

const shortcode = /^:[a-z0-9_+-]{1,50}:$/
/** The longest family of emoji takes 35 UTF-16 units; more is a pile of combining marks. */
const maxUnits = 64
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The form in which a reaction is stored and compared; null when it is neither one grapheme nor a shortcode. */
export function parseEmoji(text: string): string | null {
  const emoji = normalForm(text, 'NFC')
  if (shortcode.test(emoji)) return emoji
  if (emoji.length > maxUnits || /^[\s\p{Cc}\p{Cs}]*$/u.test(emoji)) return null
  const [first] = segmenter.segment(emoji)
  return first?.segment === emoji ? emoji : null
}
