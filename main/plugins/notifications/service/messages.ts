// The words of a notification outside of the application: in a mail, in a mail of many, in a chat, at a push gateway.
import type { Device } from './devices.ts'
import type { ShownNotification } from './notification.ts'
import { cut } from './notification.ts'

/** Makes a whole address of a place in the application. */
export type LinkOf = (actionUrl: string) => string

/** The parts of a mail that have words. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

/** Notifications a mail of many names. */
export const digestLines = 50
const digestBodyChars = 200

/** The mail of one notification. */
export function mailOf(
  notification: Pick<ShownNotification, 'title' | 'body' | 'actionUrl'>,
  linkOf: LinkOf,
): MailText {
  const { title, body, actionUrl } = notification
  const parts = [body, ...(actionUrl === undefined ? [] : [linkOf(actionUrl)])].filter((part) => part !== '')
  return { subject: title, text: `${parts.join('\n\n')}\n` }
}

/** The mail of a period: some are named, the older ones counted. */
export function digestMailOf(
  named: readonly Pick<ShownNotification, 'title' | 'body' | 'actionUrl'>[],
  older: number,
  period: 'daily' | 'weekly',
  linkOf: LinkOf,
): MailText {
  const lines = named.map(({ title, body, actionUrl }) =>
    [
      `- ${title}`,
      ...(body === '' ? [] : [`  ${cut(body.replaceAll(/\s+/g, ' '), digestBodyChars)}`]),
      ...(actionUrl === undefined ? [] : [`  ${linkOf(actionUrl)}`]),
    ].join('\n'),
  )
  const all = named.length + older
  const count = all === 1 ? '1 unread notification' : `${all} unread notifications`
  return {
    subject: `${period === 'daily' ? 'Your day' : 'Your week'}: ${count}`,
    text: `${[...lines, ...(older === 0 ? [] : [`And ${older} older ones.`])].join('\n\n')}\n`,
  }
}

/** The body of an incoming webhook of Slack, whose three characters of markup are written as entities. */
export function slackBodyOf({ title, body, actionUrl }: ShownNotification, linkOf: LinkOf): string {
  const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const lines = [
    `*${plain(title.replaceAll(/\s+/g, ' '))}*`,
    ...(body === '' ? [] : [plain(body)]),
    ...(actionUrl === undefined ? [] : [`<${linkOf(actionUrl).replaceAll(/[<>|]/g, encodeURIComponent)}|Open>`]),
  ]
  return JSON.stringify({ text: lines.join('\n') })
}

/** What a push gateway gets: the notification and the devices of its user. */
export function pushBodyOf(notification: ShownNotification, devices: readonly Device[]): string {
  return JSON.stringify({ notification, devices })
}
