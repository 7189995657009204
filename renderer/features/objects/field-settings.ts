// Owns which settings a field of each type has and how they are read and written in its definition. Pure; the words are
// in strings/designer.ts under `setting.<key>`.
import { fieldTypeNames, findFieldType } from '../../fields/index.ts'
import type { FieldType, Setting, SettingKind } from '../../fields/index.ts'
import type { FieldItem } from './object-item.ts'

/** The settings only fields of this type have, in the order they are asked for. */
export function settingsOf(type: string): readonly Setting[] {
  return findFieldType(type)?.settings ?? []
}

/** Kinds that say what a field is; the others narrow it down. */
const telling = new Set<SettingKind>(['options', 'formula', 'summary', 'inner', 'object', 'objects'])

/** The settings everybody needs, and those that few do. */
export function splitSettings(settings: readonly Setting[]): [simple: Setting[], more: Setting[]] {
  const isSimple = ({ kind, needed }: Setting): boolean => needed === true || telling.has(kind)
  return [settings.filter(isSimple), settings.filter((setting) => !isSimple(setting))]
}

const traitsOf = (type: string): Partial<FieldType> => findFieldType(type) ?? {}

/** Whether a field of the type lists its choices. */
export function hasOptions(type: string): boolean {
  return settingsOf(type).some(({ kind }) => kind === 'options')
}

/** Whether people may say that a value is required. */
export function canBeRequired(type: string): boolean {
  const { derived, alwaysRequired } = traitsOf(type)
  return !derived && !alwaysRequired
}

/** Whether the platform can keep values of the type unique. */
export function canBeUnique(type: string): boolean {
  const { derived, withoutUnique } = traitsOf(type)
  return !derived && !withoutUnique
}

/** Whether a default can be given on screen. */
export function canHaveDefault(type: string): boolean {
  const { derived, withoutDefault } = traitsOf(type)
  return !derived && !withoutDefault
}

/** The value of a setting; undefined when the definition has none. */
export function readSetting(item: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = item
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** The definition with a setting changed; undefined takes it out, and a group that is left empty goes with it. */
export function writeSetting(item: FieldItem, path: string, value: unknown): FieldItem {
  return write(item, path.split('.'), value) as FieldItem
}

function write(item: Readonly<Record<string, unknown>>, path: readonly string[], value: unknown): object {
  const [key = '', ...rest] = path
  const { [key]: before, ...others } = item
  if (rest.length === 0) return value === undefined ? others : { ...item, [key]: value }
  const group = typeof before === 'object' && before !== null ? (before as Record<string, unknown>) : {}
  const next = write(group, rest, value)
  return Object.keys(next).length === 0 ? others : { ...item, [key]: next }
}

/** Whether some type has a setting of that key. */
function isOwnKey(key: string): boolean {
  return fieldTypeNames().some((type) => settingsOf(type).some(({ path }) => path.split('.')[0] === key))
}

/** Whether a setting means the same for both types: bounds of numbers are not bounds of days. */
function carriesOver(from: string, to: string, key: string): boolean {
  const kindIn = (type: string): SettingKind | undefined =>
    settingsOf(type).find((setting) => setting.path.split('.')[0] === key)?.kind
  return kindIn(to) !== undefined && kindIn(from) === kindIn(to)
}

/** The definition with another type: what only the former type read is left out, everything else stays. */
export function withType(item: FieldItem, type: string): FieldItem {
  if (type === item.type) return item
  const kept = Object.entries(item).filter(([key]) => {
    if (key === 'defaultValue') return false
    if (key === 'unique') return canBeUnique(type)
    if (key === 'required') return canBeRequired(type)
    return !isOwnKey(key) || carriesOver(item.type, type, key)
  })
  return { ...(Object.fromEntries(kept) as FieldItem), type }
}

/** The settings a definition still needs before the platform takes it. */
export function missingSettings(item: FieldItem): Setting[] {
  return settingsOf(item.type).filter(({ path, needed }) => {
    if (!needed) return false
    const value = readSetting(item, path)
    if (path === 'summaryOperations') return !isSummaryComplete(value)
    if (Array.isArray(value)) return value.length === 0
    if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
    return value === undefined || value === ''
  })
}

function isSummaryComplete(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { object, field, function: name } = value as { object?: string; field?: string; function?: string }
  return Boolean(object) && Boolean(name) && (name === 'count' || Boolean(field))
}
