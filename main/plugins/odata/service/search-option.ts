// Reads $search into the full-text query of the data engine (D-88).
import { invalidQuery } from '#shared/errors.ts'
import { unsupported } from './token-reader.ts'

/** A search as a list query takes it. */
export interface SearchWords {
  readonly query: string
  readonly operator: 'and' | 'or'
}

const words = /"([^"]*)"|[^\s()"]+|[()"]/g

/**
 * Reads words and phrases joined by blanks, AND, OR and NOT. Mixtures of AND and OR are not supported.
 * @throws invalid_query, not_implemented
 */
export function parseSearch(text: string, option = '$search'): SearchWords {
  const terms: string[] = []
  let joined: 'and' | 'or' | null = null
  let isNegated = false
  let expectsTerm = true
  for (const [found, phrase] of text.matchAll(words)) {
    if (found === '"') throw invalidQuery(option, 'A phrase has no end.', { path: '' })
    if (found === '(' || found === ')') throw unsupported(option, 'A search with brackets')
    if (found === 'AND' || found === 'OR') {
      if (expectsTerm) throw invalidQuery(option, `"${found}" stands between two terms.`, { path: '' })
      joined = joinedBy(found === 'AND' ? 'and' : 'or', joined, option)
      expectsTerm = true
      continue
    }
    if (found === 'NOT') {
      isNegated = true
      expectsTerm = true
      continue
    }
    if (!expectsTerm) joined = joinedBy('and', joined, option)
    // A word with a hyphen in front would exclude by the syntax of the engine, so it becomes a phrase.
    const term = phrase === undefined && !found.startsWith('-') ? found : `"${phrase ?? found}"`
    terms.push(isNegated ? `-${term}` : term)
    isNegated = false
    expectsTerm = false
  }
  if (terms.length === 0 || expectsTerm) throw invalidQuery(option, 'A term is missing.', { path: '' })
  return { query: terms.join(' '), operator: joined ?? 'and' }
}

function joinedBy(next: 'and' | 'or', before: 'and' | 'or' | null, option: string): 'and' | 'or' {
  if (before !== null && before !== next) throw unsupported(option, 'A mixture of AND and OR')
  return next
}
