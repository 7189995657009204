// Owns what a setting is called and explained by; bounds of days are worded apart from bounds of numbers.
import { isStringKey, t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { findFieldType } from '../../fields/index.ts'
import type { Setting } from '../../fields/index.ts'

const isBoundOfDays = (type: string, path: string): boolean =>
  findFieldType(type)?.dated === true && (path === 'min' || path === 'max')

/** What the setting is called. */
export function settingLabel(type: string, { path }: Setting): string {
  return t((isBoundOfDays(type, path) ? `setting.${path}.day` : `setting.${path}`) as StringKey)
}

/** One sentence about it, where one is needed. */
export function settingHelp(type: string, { path }: Setting): string | undefined {
  const key = isBoundOfDays(type, path) ? 'setting.day.help' : `setting.${path}.help`
  return isStringKey(key) ? t(key) : undefined
}
