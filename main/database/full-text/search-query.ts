// Reads the words of a search (D-88) and writes them as an FTS5 expression. Every term is tokenized and quoted here, so
// no character of the input ever has a meaning to SQLite (F12). Pure.
import { invalidQuery } from '#shared/errors.ts'
import type { SearchOperator } from '#shared/filter/resolved-filter.ts'
import { isSingleCharacter, searchTokens } from './search-text.ts'

/** A search ready for an index. */
export interface SearchQuery {
  /** Expression of everything that must match, minus what must not; null when nothing must match. */
  readonly match: string | null
  /** Expression of what must not match, for a search of exclusions only. */
  readonly exclude: string | null
}

/** Most terms of one search; more would only be slow. */
export const maxTerms = 64

/**
 * Parses a search. Terms are split at white space; `"quoted text"` is a phrase, a leading `-` excludes, everything else
 * is a prefix of a word. Terms without a letter or digit are left out beside others. `or` joins the terms that must
 * match; what is excluded is excluded all the same.
 * @param mark stands before every token, as in the index of {@link markedText}
 * @returns null for a blank text; both members null when no term has anything to search for
 * @throws invalid_query with more than {@link maxTerms} terms
 */
export function parseSearch(text: string, operator: SearchOperator = 'and', mark = ''): SearchQuery | null {
  const must: string[] = []
  const mustNot: string[] = []
  let terms = 0
  for (const [, minus, phrase, word] of text.matchAll(/(-?)"([^"]*)"(?=\s|$)|(\S+)/gu)) {
    terms += 1
    if (terms > maxTerms) throw invalidQuery('search', `A search has at most ${maxTerms} terms.`, { limit: maxTerms })
    const excludes = word === undefined ? minus === '-' : word.startsWith('-') && word.length > 1
    const term =
      word === undefined ? quote(phrase ?? '', false, mark) : quote(excludes ? word.slice(1) : word, true, mark)
    if (term !== null) (excludes ? mustNot : must).push(term)
  }
  if (terms === 0) return null
  const exclude = mustNot.length === 0 ? null : mustNot.join(' OR ')
  if (must.length === 0) return { match: null, exclude }
  const all = must.join(operator === 'and' ? ' AND ' : ' OR ')
  return { match: exclude === null ? all : `(${all}) NOT (${exclude})`, exclude: null }
}

/** One term as a quoted phrase of its tokens, the last one open-ended for words; null without tokens. */
function quote(term: string, prefix: boolean, mark: string): string | null {
  const tokens = searchTokens(term)
  const last = tokens.at(-1)
  if (last === undefined) return null
  // Tokens hold no quotation marks: the tokenizer splits at them.
  return `"${tokens.map((token) => mark + token).join(' ')}"${prefix && !isSingleCharacter(last) ? '*' : ''}`
}
