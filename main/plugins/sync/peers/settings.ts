// Checks changes of the settings of sync, and says how they look outside. Knows no listener.
import type { z } from 'zod'
import { secretMask } from '#shared/contracts/settings.ts'
import type { SyncSettings, SyncSettingsPatch } from '#shared/contracts/sync-parts.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { parseFingerprint } from '#main/replication/channel/fingerprint.ts'
import type { OwnAddress } from './addresses.ts'
import { formatAddress, parseRelayUrl, plainAddress } from './addresses.ts'
import type { LocalSettings } from './workspace-store.ts'

/** A change as it arrives. */
export type SettingsPatch = z.output<typeof SyncSettingsPatch>

/**
 * The settings after a change, but for the relay's token, which is sealed elsewhere.
 * @param own the addresses of this machine
 * @throws validation_error naming every field that is wrong
 */
export function changedSettings(
  before: LocalSettings,
  patch: SettingsPatch,
  own: readonly OwnAddress[],
): LocalSettings {
  const problems: FieldError[] = []
  const relay = patch.relayUrl === undefined || patch.relayUrl === null ? undefined : parseRelayUrl(patch.relayUrl)
  if (typeof patch.relayUrl === 'string' && relay === undefined)
    problems.push({
      field: 'relayUrl',
      code: 'invalid_url',
      message: 'Expected wss://host:port.',
      value: patch.relayUrl,
    })
  const fingerprint = typeof patch.relayFingerprint === 'string' ? parseFingerprint(patch.relayFingerprint) : undefined
  if (typeof patch.relayFingerprint === 'string' && fingerprint === undefined)
    problems.push({ field: 'relayFingerprint', code: 'invalid_format', message: 'Expected 64 hexadecimal digits.' })
  if (patch.discovery === true)
    problems.push({ field: 'discovery', code: 'not_allowed', message: 'Machines are not looked for in the network.' })
  const interfaces = (patch.interfaces ?? before.interfaces).map((text, index) => {
    const address = plainAddress(text)
    const isOwn = own.some((one) => plainAddress(one.address) === address)
    if (patch.interfaces !== undefined && (address === undefined || !isOwn))
      problems.push({
        field: `interfaces.${index}`,
        code: 'invalid_option',
        message: 'Expected an address of this machine.',
        value: text,
      })
    return address ?? text
  })
  const relayUrl =
    patch.relayUrl === undefined ? before.relayUrl : relay === undefined ? null : `wss://${formatAddress(relay)}`
  const relayFingerprint = patch.relayFingerprint === undefined ? before.relayFingerprint : (fingerprint ?? null)
  // Nobody vouches for a relay but its fingerprint.
  if (relayUrl !== null && relayFingerprint === null && problems.length === 0)
    problems.push({ field: 'relayFingerprint', code: 'required', message: 'A relay is known by its fingerprint.' })
  if (problems.length > 0) throw validationError(problems)
  return {
    ...before,
    relayUrl,
    relayFingerprint,
    listen: patch.listen ?? before.listen,
    port: patch.port ?? before.port,
    interfaces: [...new Set(interfaces)],
    paused: patch.paused ?? before.paused,
    keepFiles: patch.keepFiles ?? before.keepFiles,
  }
}

/** The settings as they are shown: without the token, of which only is said that there is one. */
export function shownSettings(settings: LocalSettings): z.output<typeof SyncSettings> {
  const { relayToken, deviceName: _name, interfaces, ...rest } = settings
  return { ...rest, interfaces: [...interfaces], relayToken: relayToken === null ? null : secretMask, discovery: false }
}

/** The addresses to listen on: the chosen ones, else every one of this machine but loopback. */
export function listenAddresses(settings: LocalSettings, own: readonly OwnAddress[]): string[] {
  if (settings.interfaces.length > 0) return [...settings.interfaces]
  return own.filter(({ loopback }) => !loopback).map(({ address }) => address)
}
