// Owns how many notifications are unread: asked for once, told by the host from then on. Nothing where there is no inbox.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { call } from './api-client.ts'
import { discoveryQuery } from './discovery.ts'
import { createCoalescer, useChannel, useHasRealtime } from './realtime/index.ts'
import type { RealtimeEvent } from './realtime/index.ts'

const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'] as const,
  queryFn: async ({ signal }) => (await call('listNotifications', { query: { limit: 1 }, signal })).unreadCount,
})

/** How often it is asked where the host does not tell. */
const askMs = 60_000

/** Number of unread notifications; undefined where there is no inbox. `onCreated` hears of each new one. */
export function useUnreadCount(onCreated: (event: RealtimeEvent) => void): number | undefined {
  const client = useQueryClient()
  const { data: manifest } = useQuery(discoveryQuery)
  const isThere = manifest?.routes.notifications != null
  const isTold = useHasRealtime()
  const { data = 0 } = useQuery({ ...unreadQuery, enabled: isThere, refetchInterval: isTold ? false : askMs })
  const refresh = useMemo(
    () => createCoalescer(async () => client.invalidateQueries({ queryKey: ['notifications'] })),
    [client],
  )
  useEffect(() => () => refresh.stop(), [refresh])
  useChannel(isThere ? 'user:me' : undefined, (message) => {
    if (message.kind === 'presence') return
    if (message.kind === 'event' && !message.event.type.startsWith('notification.')) return
    refresh.ask()
    if (message.kind === 'event' && message.event.type === 'notification.created') onCreated(message.event)
  })
  return isThere ? data : undefined
}
