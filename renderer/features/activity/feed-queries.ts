// Owns reading and writing the activity of a record and its history, and the cache keys of these.
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallInput, CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'

/** One item. */
export type FeedItem = CallResult<'listFeed'>['items'][number]

/** One entry of the history. */
export type ChangelogEntry = CallResult<'getChangelog'>['entries'][number]

/** The change of one field. */
export type FieldChange = ChangelogEntry['changes'][number]

/** Filters of a list, in the order they are offered. */
export const feedFilters = ['all', 'comments_only', 'changes_only', 'tasks_only'] as const

/** One of {@link feedFilters}. */
export type FeedFilter = (typeof feedFilters)[number]

/** Shortest text that is searched for. @source D-141 */
export const minSearch = 2

const pageSize = 30
/** Most replies one answer holds. @source D-139 */
const maxReplies = 100

/** Activity of a record, newest first, page by page; found by words when there are any. */
export function feedQuery(object: string, recordId: string, filter: FeedFilter, search: string) {
  const words = search.trim()
  return infiniteQueryOptions({
    queryKey: ['feed', object, recordId, 'list', filter, words] as const,
    queryFn: async ({ pageParam, signal }) => {
      const query = { type: filter, limit: pageSize, ...after(pageParam) }
      const params = { object, recordId }
      return words.length < minSearch
        ? call('listFeed', { params, query, signal })
        : call('searchFeed', { params, query: { ...query, query: words }, signal })
    },
    ...paged,
  })
}

/** Most pinned items that are shown on top, in pages of an answer. */
const maxPinnedPages = 5

/** Every pinned item of a record, newest first, whatever of its activity is loaded. */
export function pinnedQuery(object: string, recordId: string, filter: FeedFilter) {
  return queryOptions({
    queryKey: ['feed', object, recordId, 'pinned', filter] as const,
    queryFn: async ({ signal }) => {
      const items: FeedItem[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < maxPinnedPages; pages++) {
        const query = { type: filter, pinnedOnly: true, limit: 100, ...(cursor === undefined ? {} : { cursor }) }
        const page = await call('listFeed', { params: { object, recordId }, query, signal })
        items.push(...page.items)
        cursor = page.nextCursor
        if (cursor === undefined) break
      }
      return items
    },
    placeholderData: keepPreviousData,
  })
}

/** Replies to an item, oldest last. */
export function repliesQuery(object: string, recordId: string, parentId: string) {
  return queryOptions({
    queryKey: ['feed', object, recordId, 'replies', parentId] as const,
    queryFn: async ({ signal }) =>
      (await call('listFeed', { params: { object, recordId }, query: { parentId, limit: maxReplies }, signal })).items,
  })
}

/** History of a record, newest first, page by page; of one field when it is named. */
export function changelogQuery(object: string, recordId: string, field: string) {
  return infiniteQueryOptions({
    queryKey: ['changelog', object, recordId, field] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('getChangelog', {
        params: { object, recordId },
        query: { limit: 50, ...(field === '' ? {} : { field }), ...after(pageParam) },
        signal,
      }),
    ...paged,
  })
}

/** A new item. */
export type FeedDraft = CallInput<'createFeedItem'>['body']

/** A change of an item of one's own. */
export type FeedEdit = CallInput<'updateFeedItem'>['body']

/** Somebody else, or another window, was faster: what was wanted is so already. */
const settledCodes = [
  'reaction_already_exists',
  'reaction_not_found',
  'feed_already_pinned',
  'feed_not_pinned',
  'feed_already_starred',
  'feed_not_starred',
]

/** Writing to the activity of a record; each answers when it shows. */
export function useFeedWrites(object: string, recordId: string) {
  const client = useQueryClient()
  return useMemo(() => {
    const of = (feedId: string) => ({ params: { object, recordId, feedId } })
    const done = async <T>(work: Promise<T>): Promise<T | undefined> => {
      try {
        return await work
      } catch (error) {
        if (!hasCode(error, ...settledCodes)) throw error
        return undefined
      } finally {
        await client.invalidateQueries({ queryKey: ['feed', object, recordId] })
      }
    }
    return {
      add: async (body: FeedDraft) => done(call('createFeedItem', { params: { object, recordId }, body })),
      change: async (feedId: string, body: FeedEdit) => done(call('updateFeedItem', { ...of(feedId), body })),
      remove: async (feedId: string) => done(call('deleteFeedItem', of(feedId))),
      react: async (feedId: string, emoji: string, on: boolean) =>
        on
          ? done(call('addReaction', { ...of(feedId), body: { emoji } }))
          : done(call('removeReaction', { params: { object, recordId, feedId, emoji } })),
      pin: async (feedId: string, on: boolean) => done(call(on ? 'pinFeedItem' : 'unpinFeedItem', of(feedId))),
      star: async (feedId: string, on: boolean) => done(call(on ? 'starFeedItem' : 'unstarFeedItem', of(feedId))),
    }
  }, [client, object, recordId])
}

/** Writing to the activity of a record. */
export type FeedWrites = ReturnType<typeof useFeedWrites>
