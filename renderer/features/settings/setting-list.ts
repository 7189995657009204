// Owns the list of all settings: what each is called, which kind of value it takes, the words it is found by.
// The screen shows them, the palette leads to them. Knows no component.
import type { OptionName } from '#shared/contracts/settings.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'

/** How a value is entered. */
export type SettingKind = 'text' | 'number' | 'switch' | 'choice' | 'lines' | 'json' | 'secret'

/** A part of the list. */
export type SettingGroup = 'region' | 'records' | 'files' | 'connections' | 'own' | 'elsewhere'

/** An option of the workspace. */
export interface WorkspaceSetting {
  readonly name: OptionName
  readonly group: SettingGroup
  readonly kind: SettingKind
  /** Values of a choice with their texts, or suggestions for a text. */
  readonly values?: readonly { readonly value: string; readonly label: StringKey }[]
  /** Whether nothing entered means the default, null. */
  readonly emptyIsDefault?: true
  /** Other words it is found by. */
  readonly words: string
}

/** Every option, by name: one that is missing here does not compile. */
const options: Readonly<Record<OptionName, Omit<WorkspaceSetting, 'name'>>> = {
  locale: { group: 'region', kind: 'text', words: 'language german english translation' },
  timezone: { group: 'region', kind: 'text', words: 'clock date hour utc' },
  currency: { group: 'region', kind: 'text', words: 'money euro dollar' },
  trashRetentionDays: { group: 'records', kind: 'number', words: 'retention purge delete deleted' },
  maxBatchRecords: { group: 'records', kind: 'number', words: 'batch api many limit' },
  rateLimits: { group: 'records', kind: 'json', words: 'api rate throttle burst' },
  'storage.publicDownloads': { group: 'files', kind: 'switch', words: 'download anonymous attachment' },
  'storage.quotaBytes': { group: 'files', kind: 'number', emptyIsDefault: true, words: 'quota disk space upload' },
  'webhooks.allowedHosts': { group: 'connections', kind: 'lines', words: 'network localhost private' },
  'packages.publisherToken': { group: 'connections', kind: 'secret', emptyIsDefault: true, words: 'publish upload' },
  'packages.requireSigned': { group: 'connections', kind: 'switch', words: 'signature trust install' },
  'registry.conflictResolution': {
    group: 'connections',
    kind: 'choice',
    words: 'api registry route plugin',
    values: (['error', 'priority', 'first-wins', 'last-wins'] as const).map((value) => ({
      value,
      label: `settings.conflict.${value}` as const,
    })),
  },
}

/** Every option of the workspace. */
export const workspaceSettings: readonly WorkspaceSetting[] = (Object.keys(options) as OptionName[]).map((name) => ({
  name,
  ...options[name],
}))

/** Settings of the person alone, kept by this browser. */
export const ownSettings = [
  { name: 'language', words: 'english german deutsch sprache locale translation' },
  { name: 'scheme', words: 'dark light mode theme colour color' },
  { name: 'singleKeys', words: 'keyboard shortcut accessibility' },
] as const

/** Settings that have screens of their own. */
export const settingPlaces = [
  { name: 'account', path: '/account', words: 'password two-factor api key' },
  { name: 'notifications', path: '/notifications/preferences', words: 'mail digest' },
  { name: 'sync', path: '/sync', words: 'pair relay' },
  { name: 'access', path: '/access', words: 'users permissions' },
  { name: 'trash', path: '/trash', words: 'deleted restore' },
  { name: 'backups', path: '/backups', words: 'restore copy' },
] as const

/** What a search over settings looks at. */
export interface SettingEntry {
  readonly name: string
  readonly label: string
  readonly words: string
  /** Where it is changed. */
  readonly path: string
}

/** Every setting there is, for searches. */
export function settingEntries(): SettingEntry[] {
  const entry = (name: string, words: string, label: string, help: string, path: string): SettingEntry => ({
    name,
    label,
    words: `${label} ${help} ${name} ${words}`.toLowerCase(),
    path,
  })
  const here = (name: string): string => `/settings?find=${encodeURIComponent(name)}`
  return [
    ...[...workspaceSettings, ...ownSettings].map(({ name, words }) =>
      entry(name, words, t(`settings.${name}`), t(`settings.${name}.help`), here(name)),
    ),
    ...settingPlaces.map(({ name, words, path }) => entry(name, words, t(`settings.link.${name}`), '', path)),
  ]
}

/** The names of settings that have all of the words. */
export function matchingSettings(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return new Set(
    settingEntries()
      .filter((each) => words.every((word) => each.words.includes(word)))
      .map(({ name }) => name),
  )
}
