// Owns the activity of a record: writing, narrowing down, searching, and the items page by page.
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { useSearch } from 'wouter'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useOwnId } from '../../lib/me.ts'
import { ownRightsQuery } from '../../lib/own-rights.ts'
import { readRecordAddress } from '../../lib/record-address.ts'
import { t, tn } from '../../lib/strings.ts'
import { Composer } from './composer.tsx'
import { FeedEntry } from './feed-entry.tsx'
import type { ShowValue } from './field-changes.tsx'
import { feedFilters, feedQuery, minSearch, pinnedQuery, repliesQuery, useFeedWrites } from './feed-queries.ts'
import type { FeedFilter, FeedItem } from './feed-queries.ts'
import { DayItems } from './day-items.tsx'
import { foldDays } from './feed-days.ts'
import { arrangeThreads } from './feed-threads.ts'
import type { Thread } from './feed-threads.ts'
import { valuesAs } from './shown-values.ts'
import { peopleOf, usePeople } from './use-people.ts'
import classes from './activity.module.css'

/** The panel. */
export function ActivityPanel(props: {
  object: string
  recordId: string
  fields: readonly FieldDefinition[]
  context: FieldContext
}) {
  const { object, recordId, fields, context } = props
  const show = useMemo(() => valuesAs(fields, context), [fields, context])
  const [filter, setFilter] = useState<FeedFilter>('all')
  const [search, setSearch] = useState('')
  const ownId = useOwnId()
  const { data: rights } = useQuery(ownRightsQuery)
  const writes = useFeedWrites(object, recordId)
  const list = useInfiniteQuery(feedQuery(object, recordId, filter, search))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = list
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const isFound = search.trim().length >= minSearch
  const { data: pinned } = useQuery(pinnedQuery(object, recordId, filter))
  const threads = useMemo(() => arrangeThreads(items, isFound ? [] : (pinned ?? [])), [items, isFound, pinned])
  const days = useMemo(() => foldDays(threads.rest, context.timeZone), [threads.rest, context.timeZone])
  const people = usePeople({ object, recordId }, peopleOf(items), ownId)
  const panel = useRef<HTMLDivElement>(null)
  useCalledItem(panel, items, list)
  const place = `${object} ${recordId}`

  if (error && !data) {
    // The object keeps no activity.
    if (hasCode(error, 'resource_not_found')) return <EmptyState title={t('activity.off')} />
    return <LoadFailure error={error} onRetry={() => void refetch()} />
  }
  const draw = (thread: Thread) => (
    <ThreadItem
      key={thread.item.id}
      thread={thread}
      place={place}
      object={object}
      recordId={recordId}
      ownId={ownId}
      people={people}
      writes={writes}
      show={show}
      moderates={rights?.systemPermissions.includes('moderate_feed') === true}
    />
  )
  return (
    <div ref={panel} className={classes.panel}>
      <Composer place={place} people={people} writes={writes} />
      <div className={classes.narrow}>
        <fieldset className={classes.filters}>
          <legend className="cairn-hidden">{t('word.show')}</legend>
          {feedFilters.map((one) => (
            <label key={one} className={classes.filter} data-chosen={one === filter || undefined}>
              <input
                type="radio"
                name={`filter ${place}`}
                className="cairn-hidden"
                checked={one === filter}
                onChange={() => setFilter(one)}
              />
              {t(`activity.filter.${one}`)}
            </label>
          ))}
        </fieldset>
        <input
          type="search"
          className={classes.choice}
          aria-label={t('activity.search')}
          placeholder={t('activity.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {data === undefined ? (
        <Delayed>
          <p role="status">{t('activity.loading')}</p>
        </Delayed>
      ) : items.length === 0 && threads.pinned.length === 0 ? (
        <p className={classes.empty}>{t(isFound || filter !== 'all' ? 'activity.noMatch' : 'activity.none')}</p>
      ) : (
        <>
          {threads.pinned.length > 0 && (
            <section aria-label={t('word.pinned')} className={classes.pinned}>
              <ul className={classes.list}>{threads.pinned.map(draw)}</ul>
            </section>
          )}
          <ul className={classes.list} aria-label={t('activity.items')}>
            {isFound ? threads.rest.map(draw) : days.map((day) => <DayItems key={day.day} day={day} draw={draw} />)}
          </ul>
        </>
      )}
      {hasNextPage && (
        <Button variant="default" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('word.showOlder')}
        </Button>
      )}
      <p className="cairn-hidden" role="status">
        {data && tn('activity.count', data.pages[0]?.total ?? 0)}
      </p>
    </div>
  )
}

/** Pages that are loaded for an entry a link leads to. */
const maxPagesForItem = 20

/**
 * Leads to the entry the address names: loads until it is there, once, and gives it the focus. What is in memory may be
 * older than the entry, so it is asked for anew before older pages are; never beside a request, which would be given up.
 */
function useCalledItem(
  panel: RefObject<HTMLDivElement | null>,
  items: readonly FeedItem[],
  list: Pick<UseInfiniteQueryResult, 'isFetching' | 'hasNextPage' | 'refetch' | 'fetchNextPage'>,
): void {
  const { item } = readRecordAddress(useSearch())
  const { isFetching, hasNextPage, refetch, fetchNextPage } = list
  const shown = useRef<string>(undefined)
  const renewed = useRef<string>(undefined)
  const pages = useRef(0)
  useEffect(() => {
    if (item === undefined || shown.current === item || items.length === 0) return
    const found = panel.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(item)}"]`)
    if (found) {
      shown.current = item
      found.scrollIntoView({ block: 'center' })
      found.focus({ preventScroll: true })
    } else if (isFetching) return
    else if (renewed.current !== item) {
      renewed.current = item
      void refetch()
    } else if (hasNextPage && pages.current < maxPagesForItem) {
      pages.current++
      void fetchNextPage()
    }
  }, [item, items, isFetching, hasNextPage, refetch, fetchNextPage, panel])
}

function ThreadItem(props: {
  thread: Thread
  place: string
  object: string
  recordId: string
  ownId: string | undefined
  people: ReturnType<typeof usePeople>
  writes: ReturnType<typeof useFeedWrites>
  show: ShowValue
  moderates: boolean
}) {
  const { thread, writes, ...rest } = props
  const { item } = thread
  const place = useRef<HTMLLIElement>(null)
  const [replying, setReplying] = useState(false)
  const [all, setAll] = useState(false)
  const { data: found } = useQuery({
    ...repliesQuery(props.object, props.recordId, item.id),
    enabled: all,
  })
  const replies = found ? found.toReversed() : thread.replies
  const missing = item.replyCount - replies.filter(({ isDeleted }) => !isDeleted).length
  const canReply = item.parentId === undefined && !item.isDeleted
  const entry = { moderates: rest.moderates, ownId: props.ownId, people: rest.people, writes, show: rest.show }
  return (
    <li ref={place} className={classes.thread}>
      {item.parentId !== undefined && <p className={classes.orphan}>{t('activity.orphan')}</p>}
      <FeedEntry item={item} {...entry} {...(canReply ? { onReply: () => setReplying(true) } : {})} />
      {(replies.length > 0 || missing > 0 || replying) && (
        <div className={classes.replies}>
          {missing > 0 && !found && (
            <Button size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
              {tn('activity.moreReplies', missing)}
            </Button>
          )}
          {replies.length > 0 && (
            <ul className={classes.list} aria-label={t('activity.replies')}>
              {replies.map((reply) => (
                <li key={reply.id}>
                  <FeedEntry item={reply} {...entry} />
                </li>
              ))}
            </ul>
          )}
          {replying && (
            <Composer
              place={props.place}
              parentId={item.id}
              people={rest.people}
              writes={writes}
              onDone={() => {
                setReplying(false)
                // What had the focus is gone.
                place.current?.querySelector<HTMLElement>('[data-reply]')?.focus()
              }}
            />
          )}
        </div>
      )}
    </li>
  )
}
