// Regular expressions written by users: matched in linear time, and refused where even that would take long.
import { RE2JS } from 're2js'
import { ExpressionError } from './expression-error.ts'

const maxPatternLength = 1_000
/**
 * Size of the compiled pattern times length of the text. Matching is linear in both, but a step may take half a
 * microsecond where every character leads to a state that was not met before; small patterns soon know all of theirs.
 */
const maxWork = { small: 3_000_000, large: 120_000 } as const
/** Largest size of a small pattern. */
const smallProgram = 16
const maxProgram = 2_500
const maxCached = 500
// The translation to RE2 would read a named back-reference as plain letters.
const namedBackReference = /^(?:[^\\]|\\[^k])*\\k/s

/** A compiled pattern. */
export interface UserPattern {
  /** Whether the pattern occurs in the text. @throws ExpressionError `limit` for texts too long for the pattern */
  occursIn(text: string): boolean
  /** Whether the pattern covers the whole text. @throws ExpressionError `limit` */
  covers(text: string): boolean
}

const cache = new Map<string, UserPattern>()

/**
 * Compiles a pattern in the syntax of JavaScript or RE2: no look-around, no back-references.
 * @throws ExpressionError `syntax`, `limit`
 */
export function compilePattern(source: string): UserPattern {
  let pattern = cache.get(source)
  if (pattern === undefined) {
    pattern = compile(source)
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
    cache.set(source, pattern)
  }
  return pattern
}

/**
 * Whether compiling the pattern again costs nothing. The library's own first steps in a process, which take as long as a
 * hundred patterns, are taken here: they are nobody's work.
 */
export function isCompiled(source: string): boolean {
  if (cache.size === 0) compilePattern('^first$').covers('first')
  return cache.has(source)
}

function compile(source: string): UserPattern {
  if (source.length > maxPatternLength) {
    throw new ExpressionError('limit', `A pattern has at most ${maxPatternLength} characters.`)
  }
  if (namedBackReference.test(source)) {
    throw new ExpressionError('syntax', 'The pattern cannot be read: back-references are not supported.')
  }
  let machine: RE2JS
  try {
    machine = RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (error) {
    throw new ExpressionError('syntax', `The pattern cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
  const size = machine.programSize()
  if (size > maxProgram) throw new ExpressionError('limit', 'The pattern repeats too much.')
  const most = size <= smallProgram ? maxWork.small : maxWork.large
  const check = (text: string): void => {
    if (text.length * size > most) {
      throw new ExpressionError('limit', 'The text is too long for this pattern.')
    }
  }
  return {
    occursIn(text) {
      check(text)
      return machine.test(text)
    },
    covers(text) {
      check(text)
      return machine.testExact(text)
    },
  }
}
