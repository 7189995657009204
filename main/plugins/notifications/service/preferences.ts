// How each user wants to be told: defaults, stored choices, and the addresses of channels, which are sealed.
import type { z } from 'zod'
import type { notificationRoutes } from '#shared/contracts/notifications.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { defaultPreferences } from './channels.ts'
import type { Preferences } from './notification.ts'
import { putDigestAt, putPreference, readDigestReaders, readPreference } from './preference-store.ts'
import type { PreferenceRow } from './preference-store.ts'

/** A change of preferences. */
export type PreferencesPatch = z.output<typeof notificationRoutes.updateNotificationPreferences.body>['preferences']

/** Somebody who wants a mail per period. */
export interface DigestReader {
  readonly userId: string
  readonly preferences: Preferences
  /** Milliseconds: the last mail, or when they asked for it. */
  readonly digestAt: number
}

/** The preferences of all users. */
export interface PreferenceBook {
  /** Without the addresses of channels. */
  of(read: Pick<Reads, 'get'>, userId: string): Preferences
  /** With them; for their user alone. */
  open(userId: string): Promise<Preferences>
  /** The address of one channel; undefined when there is none. */
  urlOf(userId: string, channel: string): Promise<string | undefined>
  /** Whether a channel has an address. */
  hasUrl(read: Pick<Reads, 'get'>, userId: string, channel: string): boolean
  /** Merges a change. @throws validation_error for an address no request may go to, or too many channels */
  update(userId: string, patch: PreferencesPatch): Promise<void>
  digestReaders(digest: 'daily' | 'weekly'): DigestReader[]
  noteDigest(tx: Tx, userId: string, at: number): void
}

/** What the book works with. */
export interface PreferenceParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly secrets: SecretStore
  readonly outbound: Pick<Outbound, 'problemOf'>
}

type Channel = Preferences['channels'][string]

const maxChannels = 50

/**
 * Opens the book.
 * @source D-177
 */
export function createPreferenceBook({ read, write, clock, secrets, outbound }: PreferenceParts): PreferenceBook {
  const stored = (row: PreferenceRow | undefined): Preferences =>
    row === undefined ? defaultPreferences : (JSON.parse(row.preferences) as Preferences)
  const urls = (row: PreferenceRow | undefined): Map<string, string> =>
    new Map(row === undefined ? [] : Object.entries(JSON.parse(row.sealed_urls) as Record<string, string>))
  // A key that is gone takes the address with it: its user enters it again.
  const unseal = (sealed: string): Promise<string | undefined> => secrets.open(sealed).catch(() => undefined)

  return {
    of: (from, userId) => stored(readPreference(from, userId)),
    async open(userId) {
      const row = readPreference(read, userId)
      const preferences = stored(row)
      const channels = new Map(Object.entries(preferences.channels))
      for (const [name, sealed] of urls(row)) {
        const url = await unseal(sealed)
        if (url !== undefined) channels.set(name, { ...(channels.get(name) ?? { enabled: true }), url })
      }
      return { ...preferences, channels: Object.fromEntries(channels) }
    },
    async urlOf(userId, channel) {
      const sealed = urls(readPreference(read, userId)).get(channel)
      return sealed === undefined ? undefined : unseal(sealed)
    },
    hasUrl: (from, userId, channel) => urls(readPreference(from, userId)).has(channel),
    async update(userId, patch) {
      refuseUrls(patch, outbound)
      const sealed = await sealUrls(patch, secrets)
      await write('notifications.preferences', (tx) => {
        const row = readPreference(tx, userId)
        const before = stored(row)
        const known = urls(row)
        for (const [name, change] of Object.entries(patch.channels ?? {})) {
          const url = sealed.get(name)
          if (change === null || url === null) known.delete(name)
          else if (url !== undefined) known.set(name, url)
        }
        const next: Preferences = {
          email: patch.email ?? before.email,
          push: patch.push ?? before.push,
          inApp: patch.inApp ?? before.inApp,
          digest: patch.digest ?? before.digest,
          channels: mergeChannels(before.channels, patch.channels ?? {}),
        }
        if (Object.keys(next.channels).length > maxChannels) throw tooMany()
        // A digest begins when it is asked for: what lies there unread was not held back for it.
        const digestAt = row === undefined || before.digest === 'none' ? clock.now() : row.digest_at
        putPreference(tx, {
          user_id: userId,
          preferences: JSON.stringify(next),
          sealed_urls: JSON.stringify(Object.fromEntries(known)),
          digest: next.digest,
          digest_at: digestAt,
        })
      })
    },
    digestReaders: (digest) =>
      readDigestReaders(read, digest).map((row) => ({
        userId: row.user_id,
        preferences: stored(row),
        digestAt: row.digest_at,
      })),
    noteDigest: putDigestAt,
  }
}

/** Merges by name and member; null takes a channel away. Addresses are kept elsewhere. */
function mergeChannels(
  before: Preferences['channels'],
  changes: NonNullable<PreferencesPatch['channels']>,
): Preferences['channels'] {
  const channels = new Map<string, Channel>(Object.entries(before))
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) {
      channels.delete(name)
      continue
    }
    const { url: _url, ...rest } = change
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    channels.set(name, { enabled: true, ...channels.get(name), ...given })
  }
  return Object.fromEntries(channels)
}

/** Sealed addresses by channel; null for one that is taken away with an empty text. */
async function sealUrls(patch: PreferencesPatch, secrets: SecretStore): Promise<Map<string, string | null>> {
  const sealed = new Map<string, string | null>()
  for (const [name, change] of Object.entries(patch.channels ?? {})) {
    const url = change?.url
    if (url !== undefined) sealed.set(name, url.trim() === '' ? null : await secrets.seal(url.trim()))
  }
  return sealed
}

function refuseUrls(patch: PreferencesPatch, outbound: Pick<Outbound, 'problemOf'>): void {
  const problems = Object.entries(patch.channels ?? {}).flatMap(([name, change]): FieldError[] => {
    const url = change?.url?.trim() ?? ''
    const problem = url === '' ? undefined : outbound.problemOf(url)
    if (problem === undefined) return []
    const field = `preferences.channels.${name}.url`
    return problem === 'invalid_target'
      ? [{ field, code: 'invalid_url', message: 'Expected an address that begins with https:// or http://.' }]
      : [{ field, code: 'not_allowed', message: 'Addresses of this machine and of private networks are not allowed.' }]
  })
  if (problems.length > 0) throw validationError(problems)
}

function tooMany(): Error {
  const message = `There can be ${maxChannels} channels.`
  return validationError([{ field: 'preferences.channels', code: 'max_items', message, constraint: maxChannels }])
}
