// Owns reading and changing notifications and how one is told, and the cache keys of these.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { after, paged } from '../../lib/paged-query.ts'
import { isStringKey, t, tn } from '../../lib/strings.ts'
import type { StringParameters } from '../../lib/strings.ts'

/** One notification. */
export type Notification = CallResult<'listNotifications'>['notifications'][number]

/** How somebody wants to be told. */
export type Preferences = CallResult<'getNotificationPreferences'>['preferences']

/** What of the inbox is shown. */
export const inboxFilters = ['all', 'unread', 'read'] as const

/** One of {@link inboxFilters}. */
export type InboxFilter = (typeof inboxFilters)[number]

/** Notifications, newest first, page by page. */
export function inboxQuery(filter: InboxFilter) {
  return infiniteQueryOptions({
    queryKey: ['notifications', 'list', filter] as const,
    queryFn: async ({ pageParam, signal }) =>
      call('listNotifications', {
        query: {
          limit: 30,
          ...(filter === 'all' ? {} : { read: filter === 'read' }),
          ...after(pageParam),
        },
        signal,
      }),
    ...paged,
    getNextPageParam: (page) => (page.hasMore ? page.cursor : undefined),
  })
}

/** The own preferences. */
export const preferencesQuery = queryOptions({
  queryKey: ['notification-preferences'] as const,
  queryFn: async ({ signal }) => (await call('getNotificationPreferences', { signal })).preferences,
})

/** What a notification says first; of one whose content is closed by now, that it is. */
export function titleOf(told: Pick<Notification, 'type' | 'title' | 'data'>): string {
  const { title, data } = told
  const said = ownWords(data)
  if (data['withheld'] === true) return t('notices.withheld')
  return said ? t(said.key, said.parameters) : (deedOf(told) ?? title)
}

/** What a notification says beside its title. */
export function bodyOf({ type, body, data }: Pick<Notification, 'type' | 'body' | 'data'>): string {
  const said = ownWords(data)
  if (said) return t(`${said.key}.text`, said.parameters)
  if (typeof data['says'] !== 'string') return body
  // The title says how an approval stands; without text of its own an item is named by its kind.
  const key = `activity.type.${body}`
  return type === 'approval' ? '' : isStringKey(key) ? t(key) : body
}

/** Who did what to what, or how an approval stands, in the reader's language; undefined for words of people. @source D-344 */
function deedOf({ type, title, data }: Pick<Notification, 'type' | 'title' | 'data'>): string | undefined {
  const { says, who, status } = data
  const approval = `approval.status.${String(status)}`
  if (type === 'approval' && says === undefined && status !== undefined) {
    const stands =
      status === 'pending' ? 'approvals.part.decide' : status === 'late' ? 'approval.status.pending' : approval
    return isStringKey(stands) ? `${t('notices.type.approval')}: ${t(stands)}` : undefined
  }
  if (typeof says !== 'string' || !title.startsWith(`${says} `)) return undefined
  const key = `notices.deed.${type}`
  const parameters = { who: typeof who === 'string' ? who : t('app.name'), what: title.slice(says.length + 1) }
  if (!isStringKey(key)) return undefined
  return t(key, { ...parameters, status: isStringKey(approval) ? t(approval) : '' })
}

interface OwnWords {
  key: 'notices.said.mail' | 'notices.said.schedule' | 'notices.said.webhook'
  parameters: StringParameters
}

/** What the program itself tells, known by what it tells of; others are told in words of people. */
function ownWords(data: Notification['data']): OwnWords | undefined {
  const textAt = (name: string): string | undefined => {
    const value = data[name]
    return typeof value === 'string' ? value : undefined
  }
  const [to, flow, webhook] = [textAt('to'), textAt('flow'), textAt('webhook')]
  if (textAt('waitingMailId') && to) {
    const key = `people.outbox.${textAt('kind') ?? ''}`
    return { key: 'notices.said.mail', parameters: { to, what: isStringKey(key) ? t(key) : '' } }
  }
  // What a step of a flow tells has words of people.
  if (data['paused'] === true && flow) return { key: 'notices.said.schedule', parameters: { flow } }
  if (textAt('deliveryId') && webhook) return { key: 'notices.said.webhook', parameters: { webhook } }
  return undefined
}

/** What kind of thing it is about, or of how many records. */
export function aboutOf({ type, data: { count } }: Pick<Notification, 'type' | 'data'>): string {
  return typeof count === 'number' ? tn('notices.records', count) : t(`notices.type.${type}`)
}

/** Address of what a notification is about; undefined when it is about nothing one can go to. */
export function targetOf({ actionUrl, data }: Pick<Notification, 'actionUrl' | 'data'>): string | undefined {
  // Anything but a place of this application is no target, whoever wrote it.
  if (actionUrl === undefined || !actionUrl.startsWith('#/')) return undefined
  const { feedId } = data
  const isAboutActivity = typeof feedId === 'string' && actionUrl.includes('rec=')
  // Told before links named the entry.
  if (!isAboutActivity || actionUrl.includes('tab=')) return actionUrl
  return `${actionUrl}&tab=activity&item=${encodeURIComponent(feedId)}`
}
