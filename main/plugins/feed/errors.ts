// The codes of feeds (D-23) and their construction.
import { PlatformError, defineError, defineErrors } from '#shared/errors.ts'

/** The table of D-23, part "Feed". */
export const feedErrors = defineErrors({
  feed_item_not_found: defineError(404, 'request', 'The feed item does not exist.'),
  feed_permission_denied: defineError(403, 'auth', 'Only the author may do this with the feed item.'),
  feed_item_not_editable: defineError(409, 'request', 'Feed items the system writes are not changed.'),
  feed_invalid_parent: defineError(400, 'validation', 'The parent is no item of this record that can be replied to.'),
  reaction_already_exists: defineError(409, 'request', 'The caller has reacted with this emoji already.'),
  reaction_not_found: defineError(404, 'request', 'The caller has not reacted with this emoji.'),
  subscription_already_exists: defineError(409, 'request', 'The caller is subscribed to the record already.'),
  subscription_not_found: defineError(404, 'request', 'The caller is not subscribed to the record.'),
  invalid_feed_type: defineError(400, 'validation', 'The type is none that is possible here.'),
  feed_already_pinned: defineError(409, 'request', 'The feed item is pinned already.'),
  feed_not_pinned: defineError(409, 'request', 'The feed item is not pinned.'),
  feed_already_starred: defineError(409, 'request', 'The caller has starred the feed item already.'),
  feed_not_starred: defineError(409, 'request', 'The caller has not starred the feed item.'),
  feed_search_query_too_short: defineError(400, 'validation', 'The search text is too short.'),
})

/** Builds the error of a code of {@link feedErrors}. */
export function feedError(code: keyof typeof feedErrors, details: Record<string, unknown> = {}): PlatformError {
  return new PlatformError(code, feedErrors[code], details)
}
