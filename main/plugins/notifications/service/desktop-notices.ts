// Notices of the operating system: a few per second at most, the rest summed up in one.
import type { Notifier } from '#main/kernel/ports.ts'
import type { ShownNotification } from './notification.ts'

/** The notices of one desktop. */
export interface DesktopNotices {
  show(notification: ShownNotification): void
  stop(): void
}

const perWindow = 3
const windowMs = 1_000

/** Makes the notices. */
export function createDesktopNotices(notify: Notifier): DesktopNotices {
  let shown = 0
  let held = 0
  let timer: NodeJS.Timeout | undefined
  const close = (): void => {
    timer = undefined
    shown = 0
    if (held === 0) return
    const title = held === 1 ? '1 more notification' : `${held} more notifications`
    held = 0
    shown = 1
    timer = setTimeout(close, windowMs).unref()
    notify({ title, body: '', actionUrl: '#/notifications' })
  }
  return {
    show({ title, body, actionUrl }) {
      timer ??= setTimeout(close, windowMs).unref()
      if (shown >= perWindow) {
        held += 1
        return
      }
      shown += 1
      notify({ title, body, ...(actionUrl === undefined ? {} : { actionUrl }) })
    },
    stop: () => clearTimeout(timer),
  }
}
