// Owns the inbox: notifications page by page, reading and deleting them, going where they lead.
import { ActionIcon, Button } from '@mantine/core'
import { IconBell, IconCheck, IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { formatMoment } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { aboutOf, bodyOf, inboxFilters, inboxQuery, targetOf, titleOf } from './notification-queries.ts'
import type { InboxFilter, Notification } from './notification-queries.ts'
import classes from './notifications.module.css'

/** The inbox. */
export function Inbox() {
  const client = useQueryClient()
  const [filter, setFilter] = useState<InboxFilter>('all')
  const [busy, setBusy] = useState(false)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(inboxQuery(filter))
  const notifications = data?.pages.flatMap((page) => page.notifications)
  const unread = data?.pages[0]?.unreadCount ?? 0

  const change = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (problem) {
      showProblem(problem)
    } finally {
      await client.invalidateQueries({ queryKey: ['notifications'] })
    }
  }
  const readAll = async (): Promise<void> => {
    setBusy(true)
    await change(async () => {
      const { readCount } = await call('readAllNotifications', {})
      showToast({ message: tn('notices.readAll.done', readCount), tone: 'good' })
    })
    setBusy(false)
  }
  const read = async (id: string): Promise<void> =>
    change(async () => call('readNotifications', { body: { ids: [id] } }))
  const remove = async (id: string): Promise<void> =>
    change(async () => {
      await call('deleteNotification', { params: { id } })
      showToast({ message: t('notices.deleted') })
    })

  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <div className={classes.bar}>
        <label className={classes.show}>
          {t('notices.show')}
          <select
            className={classes.choice}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value as InboxFilter)}
          >
            {inboxFilters.map((one) => (
              <option key={one} value={one}>
                {t(`notices.show.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <Button
          variant="default"
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={unread === 0}
          loading={busy}
          onClick={() => void readAll()}
        >
          {t('notices.readAll')}
        </Button>
      </div>
      {notifications === undefined ? (
        <Delayed>
          <p role="status">{t('notices.loading')}</p>
        </Delayed>
      ) : notifications.length === 0 ? (
        <EmptyState
          icon={<IconBell size={32} stroke={1.5} aria-hidden />}
          title={t(filter === 'all' ? 'notices.none' : 'notices.noMatch')}
        >
          {filter === 'all' && t('notices.none.text')}
        </EmptyState>
      ) : (
        <ul className={classes.list} aria-label={t('notices.items')}>
          {notifications.map((one) => (
            <Entry
              key={one.id}
              notification={one}
              onRead={() => void read(one.id)}
              onDelete={() => void remove(one.id)}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('notices.older')}
        </Button>
      )}
      <p className="cairn-hidden" role="status">
        {notifications && tn('notices.count', notifications.length)}
      </p>
    </>
  )
}

function Entry(props: { notification: Notification; onRead: () => void; onDelete: () => void }) {
  const { notification, onRead } = props
  const { read, createdAt } = notification
  const body = bodyOf(notification)
  const title = titleOf(notification)
  const target = targetOf(notification)
  return (
    <li className={classes.entry} data-unread={!read || undefined}>
      <div className={classes.words}>
        <p className={classes.title}>
          {!read && <span className="cairn-hidden">{t('notices.unread')}: </span>}
          {target === undefined ? (
            title
          ) : (
            // Going there is having read it.
            <a href={target} onClick={() => !read && onRead()}>
              {title}
            </a>
          )}
        </p>
        {body !== '' && <p className={classes.text}>{body}</p>}
        <p className={classes.when}>
          {aboutOf(notification)} · <time dateTime={createdAt}>{formatMoment(createdAt)}</time>
        </p>
      </div>
      <div className={classes.tools}>
        {!read && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            c="var(--cairn-text-quiet)"
            aria-label={t('notices.readOf', { title })}
            title={t('notices.read')}
            onClick={onRead}
          >
            <IconCheck size={18} stroke={1.75} />
          </ActionIcon>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          c="var(--cairn-text-quiet)"
          aria-label={t('notices.deleteOf', { title })}
          title={t('notices.delete')}
          onClick={props.onDelete}
        >
          <IconTrash size={18} stroke={1.75} />
        </ActionIcon>
      </div>
    </li>
  )
}
