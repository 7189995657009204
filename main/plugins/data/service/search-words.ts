// Says where a text meets a search, and cuts out the part of a long text that does. Pure; folds as the index does.
import { searchTokens } from '#main/database/full-text/search-text.ts'

/** Start and length in UTF-16 units. */
export type Range = [start: number, length: number]

/** Characters of an excerpt before the first word that meets the search, and in all. */
const excerpt = { before: 40, length: 160 } as const

const word = /[\p{L}\p{N}\p{M}]+/gu

/** The tokens a search looks for, without those it excludes. */
export function wantedTokens(search: string): string[] {
  return search
    .split(/\s+/)
    .filter((part) => !(part.startsWith('-') && part.length > 1))
    .flatMap(searchTokens)
}

/** The words of a text that begin with one of the tokens. */
export function matchRanges(text: string, tokens: readonly string[]): Range[] {
  const ranges: Range[] = []
  for (const found of text.matchAll(word)) {
    const own = searchTokens(found[0])
    if (own.some((each) => tokens.some((token) => each.startsWith(token)))) ranges.push([found.index, found[0].length])
  }
  return ranges
}

/** The part of a text around the first word that meets the search; null where none does. */
export function excerptOf(text: string, tokens: readonly string[]): { text: string; ranges: Range[] } | null {
  const first = matchRanges(text.slice(0, 100_000), tokens)[0]
  if (first === undefined) return null
  const wanted = Math.max(0, first[0] - excerpt.before)
  // At the beginning of a word, so that no letter is torn from its marks.
  const from = wanted === 0 ? 0 : Math.min(first[0], wanted + text.slice(wanted).search(/\s/) + 1)
  const cut = text.slice(from, from + excerpt.length)
  const to =
    from + excerpt.length < text.length ? Math.max(cut.search(/\s\S*$/), first[0] + first[1] - from) : cut.length
  const part = cut.slice(0, to).replaceAll(/\s/g, ' ')
  const shown = `${from > 0 ? '…' : ''}${part}${from + to < text.length ? '…' : ''}`
  return { text: shown, ranges: matchRanges(shown, tokens) }
}

/** How well a title meets a search: 0 the same, 1 begins with it, 2 has all words, 3 has not. */
export function titleClass(title: string, tokens: readonly string[]): 0 | 1 | 2 | 3 {
  const own = searchTokens(title)
  const [whole, wanted] = [own.join(' '), tokens.join(' ')]
  if (whole === wanted) return 0
  if (whole.startsWith(wanted)) return 1
  return tokens.every((token) => own.some((each) => each.startsWith(token))) ? 2 : 3
}
