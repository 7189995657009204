// Walks along tokens: what the parsers of all options share.
import type { PlatformError } from '#shared/errors.ts'
import { platformError } from '#shared/errors.ts'
import type { Token } from './tokens.ts'
import { optionError, tokensOf } from './tokens.ts'

/** A place in an option. */
export interface TokenReader {
  readonly option: string
  /** The token that comes next, or one further on. */
  peek(ahead?: number): Token
  /** Takes the next token. */
  next(): Token
  /** Takes the next token when it is that sign. */
  takeSign(sign: string): boolean
  /** Takes the next token when it is that word, in any case. */
  takeWord(word: string): boolean
  /** @throws invalid_query when another token comes next */
  needSign(sign: string): void
  /** @throws invalid_query when no name comes next */
  needName(what: string): string
  /** The error of what comes next. */
  fail(reason: string): PlatformError
  /** The refusal of what the protocol has and this service does not. */
  refuse(what: string): PlatformError
  /** The text between the place and the end of the part, which ends before a sign outside of brackets. */
  skipPart(ends: ReadonlySet<string>): string
}

/** Reads an option from its beginning. @throws invalid_query */
export function createTokenReader(text: string, option: string): TokenReader {
  const tokens = tokensOf(text, option)
  let index = 0
  const peek = (ahead = 0): Token => tokens[Math.min(index + ahead, tokens.length - 1)]!
  const next = (): Token => {
    const token = peek()
    if (index < tokens.length - 1) index += 1
    return token
  }
  const isSign = (sign: string): boolean => peek().kind === 'sign' && peek().text === sign
  const fail = (reason: string): PlatformError => optionError(option, reason, peek().at)
  const take = (matches: boolean): boolean => {
    if (matches) next()
    return matches
  }
  return {
    option,
    peek,
    next,
    takeSign: (sign) => take(isSign(sign)),
    takeWord: (word) => take(peek().kind === 'name' && peek().text.toLowerCase() === word),
    needSign(sign) {
      if (!take(isSign(sign))) throw fail(`"${sign}" is expected`)
    },
    needName(what) {
      if (peek().kind !== 'name') throw fail(`${what} is expected`)
      return next().text
    },
    fail,
    refuse: (what) => unsupported(option, what),
    skipPart(ends) {
      const start = peek().at
      for (let depth = 0; peek().kind !== 'end'; next()) {
        const sign = peek().kind === 'sign' ? peek().text : ''
        if (depth === 0 && ends.has(sign)) break
        if (sign === '(') depth += 1
        if (sign === ')') depth -= 1
      }
      return text.slice(start, peek().at).trim()
    },
  }
}

/** The refusal of a part of the protocol that this service does not have. @source D-183 */
export function unsupported(option: string, what: string): PlatformError {
  return platformError('not_implemented', { parameter: option, reason: `${what} is not supported.` })
}
