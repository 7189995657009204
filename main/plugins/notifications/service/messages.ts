// The words of a notification outside of the application: in a mail, in a mail of many, in a chat, at a push gateway.
import type { NotificationChannel } from '../api.ts'
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

/** Channels that are posted to an address of the user's. */
export type WebhookChannel = Exclude<NotificationChannel, 'in_app' | 'email'>

/** What a channel with an address posts; a channel is an entry here. */
export const webhookBodies: Readonly<Record<WebhookChannel, WebhookBody>> = { push: pushBodyOf, slack: slackBodyOf }

/** Makes the body of a post. */
export type WebhookBody = (
  notification: ShownNotification,
  reach: { readonly linkOf: LinkOf; readonly devices: () => Promise<readonly Device[]> },
) => string | Promise<string>

/** The body of an incoming webhook of Slack, whose three characters of markup are written as entities. */
function slackBodyOf({ title, body, actionUrl }: ShownNotification, { linkOf }: Parameters<WebhookBody>[1]): string {
  const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const lines = [
    `*${plain(title.replaceAll(/\s+/g, ' '))}*`,
    ...(body === '' ? [] : [plain(body)]),
    ...(actionUrl === undefined ? [] : [`<${linkOf(actionUrl).replaceAll(/[<>|]/g, encodeURIComponent)}|Open>`]),
  ]
  return JSON.stringify({ text: lines.join('\n') })
}

/** What a push gateway gets: the notification and the devices of its user. */
async function pushBodyOf(notification: ShownNotification, { devices }: Parameters<WebhookBody>[1]): Promise<string> {
  return JSON.stringify({ notification, devices: await devices() })
}
