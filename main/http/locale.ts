// Chooses the language of an answer from Accept-Language. Knows no translation.

/** What the workspace speaks: BCP-47 tags; `fallback` is one of `supported`. */
export interface LocaleChoice {
  readonly fallback: string
  readonly supported: readonly string[]
}

/**
 * Makes the resolver of D-15: best match by quality, an exact tag before its language, else the workspace's own.
 * Answers are remembered per header text (at most 256 of them) until the choice changes.
 * @source RFC 9110 section 12.5.4; RFC 4647 section 3.4
 */
export function createLocaleResolver(choice: () => LocaleChoice): (acceptLanguage: string | undefined) => string {
  let known = new Map<string, string>()
  let for_: LocaleChoice | null = null
  return (header) => {
    const current = choice()
    if (header === undefined || header === '*') return current.fallback
    if (current !== for_) {
      known = new Map()
      for_ = current
    }
    const before = known.get(header)
    if (before !== undefined) return before
    const locale = resolve(header, current)
    if (known.size < 256) known.set(header, locale)
    return locale
  }
}

function resolve(header: string, choice: LocaleChoice): string {
  const ranges = header
    .split(',', 50)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((text) => text !== undefined)
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter((range) => range.tag !== '' && range.quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const { tag } of ranges) {
    if (tag === '*') return choice.fallback
    const exact = choice.supported.find((locale) => locale.toLowerCase() === tag)
    if (exact !== undefined) return exact
    const language = tag.split('-')[0]!
    const near = choice.supported.find((locale) => locale.toLowerCase().split('-')[0] === language)
    if (near !== undefined) return near
  }
  return choice.fallback
}
