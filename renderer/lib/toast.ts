// Owns short messages at the edge of the screen: what was done, with Undo where it applies, and what failed.
// They stay eight seconds, or while the pointer or the focus is on them. One that only says that something is done makes
// way for the next: a heap of them would cover what it is about.
import { notifications } from '@mantine/notifications'
import { createElement } from 'react'
import { ToastBody } from '../components/toast-body.tsx'
import { problemText } from './problem-text.ts'
import { t } from './strings.ts'

const stayMs = 8_000

/** The last message that only said that something is done. */
let passing: string | undefined

/** A message; `action` is a button on it that closes it. */
export interface Toast {
  message: string
  action?: { label: string; run(): void }
  tone?: 'good' | 'bad' | 'plain'
  /** Whether it stays until it is closed, because it says what cannot be read elsewhere. */
  stays?: boolean
}

/** Shows a message and answers its id. */
export function showToast({ message, action, tone = 'plain', stays = false }: Toast): string {
  if (passing !== undefined) notifications.hide(passing)
  const id = notifications.show({
    message: createElement(ToastBody, {
      message,
      actionLabel: action?.label,
      onAction: () => {
        notifications.hide(id)
        action?.run()
      },
    }),
    autoClose: stays ? false : stayMs,
    color: tone === 'good' ? 'teal' : tone === 'bad' ? 'red' : 'indigo',
    role: tone === 'bad' ? 'alert' : 'status',
    closeButtonProps: { 'aria-label': t('app.dismiss') },
  })
  passing = tone === 'good' && action === undefined && !stays ? id : undefined
  return id
}

/** Shows a failure in words for people. */
export function showProblem(error: unknown): string {
  return showToast({ message: problemText(error), tone: 'bad' })
}
