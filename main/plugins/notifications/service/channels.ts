// Which ways one notification takes, as the user's preferences say. Pure.
import type { NotificationChannel, NotificationDraft } from '../api.ts'
import { webhookBodies } from './messages.ts'
import type { WebhookChannel } from './messages.ts'
import type { Preferences } from './notification.ts'

/** The ways of one notification. */
export interface Ways {
  /** Into the inbox, to realtime and to the desktop. */
  readonly inApp: boolean
  /** At once, in the mail of the period, or not at all. */
  readonly email: 'now' | 'digest' | 'off'
  readonly webhooks: readonly WebhookChannel[]
}

/** The preferences of somebody who never said anything. @source D-177 */
export const defaultPreferences: Preferences = Object.freeze({
  email: true,
  push: true,
  inApp: true,
  digest: 'none',
  channels: Object.freeze({}),
})

/**
 * Chooses the ways. An entry of `channels` named like a type of notification speaks for that type, one named like a
 * channel for that channel. With a digest there are no single mails, but for types whose entry says `email: true`.
 * @source D-142, D-177
 */
export function waysOf(
  { type, channels = ['in_app'], stays = false }: Pick<NotificationDraft, 'type' | 'channels' | 'stays'>,
  preferences: Preferences,
): Ways {
  const off: Ways = { inApp: false, email: 'off', webhooks: [] }
  const forType = preferences.channels[type]
  if (forType?.enabled === false) return off
  const isOn = (channel: NotificationChannel): boolean =>
    channels.includes(channel) && (channel === 'in_app' || !stays) && preferences.channels[channel]?.enabled !== false
  const mails = isOn('email') && preferences.email && forType?.email !== false
  const isAtOnce = preferences.digest === 'none' || forType?.email === true
  return {
    inApp: isOn('in_app') && preferences.inApp,
    email: mails ? (isAtOnce ? 'now' : 'digest') : 'off',
    webhooks: (Object.keys(webhookBodies) as WebhookChannel[]).filter(
      (channel) => isOn(channel) && (channel !== 'push' || (preferences.push && forType?.push !== false)),
    ),
  }
}

/** Whether a type may be part of a mail of many. */
export function isInDigest(type: string, preferences: Preferences): boolean {
  const forType = preferences.channels[type]
  return preferences.email && forType?.enabled !== false && forType?.email !== false
}
