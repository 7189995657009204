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
/**
 * Code points that ranges of a pattern without case may cover together: each is looked up by itself, which takes some
 * milliseconds for those of one wide range and seconds for a hundred.
 */
const maxFolded = 250_000
/** Between these all code points with a case lie. */
const cased = { first: 0x41, last: 0x1e943 } as const
const ignoresCase = /\(\?[a-zA-Z]*i/
const range = /(?<=\\x\{([0-9a-f]+)\}|([\s\S]))-(?=\\x\{([0-9a-f]+)\}|([^\\]))/giu
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
    const translated = RE2JS.translateRegExp(source)
    if (foldedBy(translated) > maxFolded) throw new ExpressionError('limit', 'The ranges of the pattern are too wide.')
    machine = RE2JS.compile(translated)
  } catch (error) {
    if (error instanceof ExpressionError) throw error
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

/** How many code points ranges of a pattern without case are looked up for; what only looks like a range counts, too. */
function foldedBy(source: string): number {
  if (!ignoresCase.test(source)) return 0
  let sum = 0
  for (const [, firstCode, firstSign, lastCode, lastSign] of source.matchAll(range)) {
    const first = firstCode === undefined ? firstSign!.codePointAt(0)! : Number.parseInt(firstCode, 16)
    const last = lastCode === undefined ? lastSign!.codePointAt(0)! : Number.parseInt(lastCode, 16)
    // One that holds every cased one is taken as it is.
    if (first <= cased.first && last >= cased.last) continue
    sum += Math.max(0, Math.min(last, cased.last) - Math.max(first, cased.first))
  }
  return sum
}
