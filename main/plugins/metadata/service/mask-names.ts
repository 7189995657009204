// Takes names of fields a caller may not read out of an item (D-113): list entries, conditions and expressions that
// mention them. Texts for people stay as they are. Pure.
import { isJsonMap } from '#shared/merge-patch.ts'
import type { Body } from './json-values.ts'

/** Members that are written for people, or name things of other kinds. */
const texts: ReadonlySet<string> = new Set([
  'name',
  'label',
  'pluralLabel',
  'description',
  'help',
  'inlineHelpText',
  'placeholder',
  'message',
  'title',
  'icon',
  'color',
  'type',
  'uid',
])

/** Words that give hidden fields away. */
export interface HiddenWords {
  /** Names of fields of the objects themselves. */
  readonly names: ReadonlySet<string>
  /** Patterns of paths that lead to fields of related objects. */
  readonly paths: ReadonlySet<string>
}

/** The body without anything that mentions one of the words; the same value when none is mentioned. */
export function withoutHidden(body: Body, hidden: HiddenWords): Body {
  const pattern = patternOf(hidden)
  return pattern === null ? body : withoutMembers(body, pattern)
}

/** The map without members that mention one of the words, by their name or anywhere in them. */
export function withoutMentions(map: Body, hidden: HiddenWords): Body {
  const pattern = patternOf(hidden)
  if (pattern === null) return map
  return Object.fromEntries(Object.entries(map).filter(([key, value]) => !mentions({ [key]: value }, pattern)))
}

function patternOf({ names, paths }: HiddenWords): RegExp | null {
  const words = [...names, ...paths]
  return words.length === 0 ? null : new RegExp(`(?<![A-Za-z0-9_])(?:${words.join('|')})(?![A-Za-z0-9_])`)
}

function withoutMembers(map: Body, pattern: RegExp): Record<string, unknown> {
  const entries = Object.entries(map).flatMap(([key, value]): [string, unknown][] => {
    if (texts.has(key) && typeof value === 'string') return [[key, value]]
    if (pattern.test(key) || (typeof value === 'string' && pattern.test(value))) return []
    if (Array.isArray(value)) return [[key, value.filter((entry: unknown) => !mentions(entry, pattern))]]
    return [[key, isJsonMap(value) ? withoutMembers(value, pattern) : value]]
  })
  return Object.fromEntries(entries)
}

function mentions(value: unknown, pattern: RegExp): boolean {
  if (typeof value === 'string') return pattern.test(value)
  if (Array.isArray(value)) return value.some((entry: unknown) => mentions(entry, pattern))
  if (!isJsonMap(value)) return false
  return Object.entries(value).some(
    ([key, inner]) => pattern.test(key) || (!(texts.has(key) && typeof inner === 'string') && mentions(inner, pattern)),
  )
}
