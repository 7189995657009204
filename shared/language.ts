// Finds the language a caller means among those there are labels in (D-180). Pure.
import { validationError } from '#shared/errors.ts'

/** What a request says of its language; both parts may be missing. */
export interface LanguageRequest {
  /** A BCP-47 tag; wins over the header. `und` asks for labels as they are stored. */
  readonly locale?: string
  /** The header Accept-Language. */
  readonly acceptLanguage?: string
}

/** The language of an answer. */
export interface Language {
  /** One of the languages there are, else the workspace's. */
  readonly locale: string
  /** False when nobody asked: then labels stay as they are stored. */
  readonly isAsked: boolean
}

/** The languages there are labels in, and the workspace's own. */
export interface LanguageChoice {
  readonly available: readonly string[]
  readonly fallback: string
}

const undetermined = 'und'

/**
 * The language of an answer: the exact tag, then the same in another case, then a shorter or another form of the same
 * language, then the workspace's own.
 * @throws validation_error for a malformed `locale`; a malformed header counts as absent
 * @source D-180; RFC 4647 section 3.4, RFC 9110 section 12.5.4
 */
export function resolveLanguage({ locale, acceptLanguage }: LanguageRequest, choice: LanguageChoice): Language {
  const { fallback } = choice
  if (locale !== undefined && locale !== '') {
    const tag = canonicalTag(locale)
    if (tag === undefined) {
      throw validationError([
        { field: 'locale', code: 'invalid_format', message: 'Expected a BCP-47 language tag.', value: locale },
      ])
    }
    return { locale: matchTag(locale, choice) ?? matchTag(tag, choice) ?? fallback, isAsked: tag !== undetermined }
  }
  if (acceptLanguage === undefined || acceptLanguage.trim() === '') return { locale: fallback, isAsked: false }
  for (const tag of preferredTags(acceptLanguage)) {
    const found = tag === '*' ? fallback : matchTag(tag, choice)
    if (found !== undefined) return { locale: found, isAsked: true }
  }
  return { locale: fallback, isAsked: true }
}

/** The tag in its canonical form; undefined when it is none. */
export function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** The language there is for a tag; undefined when there is none. */
export function matchTag(tag: string, { available, fallback }: LanguageChoice): string | undefined {
  const all = available.includes(fallback) ? available : [...available, fallback]
  if (all.includes(tag)) return tag
  const parts = tag.toLowerCase().split('-')
  for (let length = parts.length; length > 0; length -= 1) {
    const shorter = parts.slice(0, length).join('-')
    const same = all.find((locale) => locale.toLowerCase() === shorter)
    if (same !== undefined) return same
  }
  return all.find((locale) => locale.toLowerCase().split('-')[0] === parts[0])
}

/** The tags of an Accept-Language header, the most wanted first. */
function preferredTags(header: string): string[] {
  return header
    .split(',', 50)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/i.exec(text)?.[1]).find((text) => text !== undefined)
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ tag, quality }) => quality > 0 && (tag === '*' || canonicalTag(tag) !== undefined))
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
