// Owns the bell in the top bar: the way to the notifications, how many are unread, and a short message for a new one.
import { Tooltip } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { titleOf } from '../features/notifications/notification-queries.ts'
import type { Notification } from '../features/notifications/notification-queries.ts'
import { shellBridge } from '../lib/bridge.ts'
import { navigate } from '../lib/hash-location.ts'
import type { RealtimeEvent } from '../lib/realtime/index.ts'
import { t, tn } from '../lib/strings.ts'
import { showToast } from '../lib/toast.ts'
import { useUnreadCount } from '../lib/unread-notifications.ts'
import { createNoticeGatherer } from './gather-notices.ts'
import classes from './top-bar.module.css'

const most = 99

/** The bell; nothing where there is no inbox. */
export function NotificationBell() {
  const unread = useUnreadCount(announce)
  if (unread === undefined) return null
  const label = unread === 0 ? t('bell.label') : tn('bell.unread', unread)
  return (
    <Tooltip label={label}>
      <a href="#/notifications" className={classes.bell} aria-label={label}>
        <IconBell size={18} stroke={1.75} aria-hidden />
        {unread > 0 && (
          <span className={classes.unread} aria-hidden>
            {unread > most ? `${most}+` : unread}
          </span>
        )}
      </a>
    </Tooltip>
  )
}

const gather = createNoticeGatherer((first, more) => {
  const message = more === 0 ? first : tn('bell.more', more, { title: first })
  showToast({ message, action: { label: t('word.show'), run: () => navigate('/notifications') } })
  // Shown by the desktop while the window is in the background only.
  void shellBridge()?.notify({ title: 'Cairn', body: message.slice(0, 300) })
})

function announce({ payload }: RealtimeEvent): void {
  const told = payload['notification'] ?? payload
  if (typeof told !== 'object' || told === null || !('title' in told) || !('id' in told)) return
  if (told.title === '' || window.location.hash.startsWith('#/notifications')) return
  gather(String(told.id), titleOf({ data: {}, ...told } as Notification))
}
