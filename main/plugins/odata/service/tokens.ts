// Cuts the text of a query option into tokens. Knows no grammar.
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'

/** What a token is; `typed` is a quoted text behind the name of its type. */
export type TokenKind =
  | 'name'
  | 'string'
  | 'typed'
  | 'number'
  | 'guid'
  | 'datetime'
  | 'date'
  | 'time'
  | 'alias'
  | 'sign'
  | 'end'

/** One token. */
export interface Token {
  readonly kind: TokenKind
  /** As written; of a string what it says, without quotes. */
  readonly text: string
  /** The name before a typed text; '' for others. */
  readonly type: string
  /** Offset in the option, zero-based. */
  readonly at: number
}

/** Most tokens of one option. */
const maxTokens = 5_000

const forms: readonly (readonly [kind: TokenKind, form: RegExp])[] = [
  ['guid', /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\w-])/iy],
  ['datetime', /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,12})?)?(?:Z|[+-]\d{2}:\d{2})?(?![\w:])/iy],
  ['date', /\d{4}-\d{2}-\d{2}(?![\w-])/y],
  ['time', /\d{2}:\d{2}(?::\d{2}(?:\.\d{1,12})?)?(?![\w:])/y],
  ['number', /[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?[mdfl]?(?![\w.])/iy],
  ['string', /'(?:[^']|'')*'/y],
  ['typed', /[A-Za-z_][\w.]*'(?:[^']|'')*'/y],
  ['name', /[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*/y],
  ['alias', /@[A-Za-z_]\w*/y],
]

/**
 * Cuts a text into tokens; the last one is `end`.
 * @param option the option an error names
 * @throws invalid_query with the position of what is no token
 */
export function tokensOf(text: string, option: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (true) {
    while (/\s/.test(text[at] ?? '')) at += 1
    if (at >= text.length) break
    const token = tokenAt(text, at)
    if (token === null) {
      const isOpen = text[at] === "'"
      throw optionError(option, isOpen ? 'a text has no end' : `"${text[at]}" is not expected`, at)
    }
    tokens.push(token.token)
    if (tokens.length > maxTokens) throw optionError(option, `there are more than ${maxTokens} words`, at)
    at = token.end
  }
  tokens.push({ kind: 'end', text: '', type: '', at: text.length })
  return tokens
}

/** The error of a place in an option; positions are counted from 1 for people. */
export function optionError(option: string, reason: string, at: number): PlatformError {
  return invalidQuery(option, `At position ${at + 1}: ${reason}.`, { path: '', position: at + 1 })
}

/** Signs that begin nothing else; the others may be the sign of a number. */
const plainSigns = new Set('(),/:;=*[]')

function tokenAt(text: string, at: number): { token: Token; end: number } | null {
  const first = text[at]!
  if (plainSigns.has(first) || (first === '-' && !/\d/.test(text[at + 1] ?? '')))
    return { token: { kind: 'sign', text: first, type: '', at }, end: at + 1 }
  for (const [kind, form] of forms) {
    form.lastIndex = at
    const found = form.exec(text)?.[0]
    if (found === undefined) continue
    const quote = kind === 'string' || kind === 'typed' ? found.indexOf("'") : -1
    const said = quote === -1 ? found : found.slice(quote + 1, -1).replaceAll("''", "'")
    const type = quote > 0 ? found.slice(0, quote) : ''
    return { token: { kind, text: said, type, at }, end: at + found.length }
  }
  return null
}
