// Regular expressions that people write into definitions. They run in RE2, whose matching time is linear in the text, so
// none can hold the host up. Knows no fields.
import { RE2JS } from 're2js'

/** A compiled pattern. */
export interface SafePattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean
  /** Whether any part of the text matches. */
  occursIn(text: string): boolean
}

const maxLength = 1_000
// RE2's translator would read a named back-reference as plain letters.
const namedBackReference = /^(?:[^\\]|\\[^k])*\\k/s

/**
 * Compiles a pattern, written in the syntax of JavaScript or RE2.
 * @returns null for one that RE2 does not run: wrong syntax, look-around, back-references, more than 1,000 characters
 */
export function compilePattern(pattern: string): SafePattern | null {
  if (pattern.length > maxLength || namedBackReference.test(pattern)) return null
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return {
      matches: (text) => compiled.testExact(text),
      occursIn: (text) => compiled.test(text),
    }
  } catch {
    return null
  }
}
