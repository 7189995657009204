// Owns what all text types share: one-line display and the length and pattern rules.
// Knows no single type.

import type { FieldDefinition } from './field-definition.ts'
import type { FieldContext, ParseResult } from './field-type.ts'
import { refused } from './parse-result.ts'

// A cell never shows more; laying out a megabyte of text in a row would stop scrolling.
const SHOWN_CHARACTERS = 400

/** A value as text, whatever it is: a record may hold what its field does not expect. Null is empty. */
export function textOf(value: unknown): string {
  if (value == null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The value on one line, cut to what a cell can show. */
export function plainText(value: unknown): string {
  return oneLine(textOf(value))
}

/** Text on one line, cut to what a cell can show. */
export function oneLine(text: string): string {
  const head = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return /[\r\n\t]/.test(head) ? head.replace(/\s+/g, ' ').trim() : head
}

/**
 * Whether the pattern repeats a repetition or a choice: this engine may need longer than anybody waits for such a match.
 * The server's engine never does, so it alone judges them.
 */
function mayExplode(source: string): boolean {
  const plain = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return (
    /\([^()]*(?:[+*|]|\{\d+,\d*\})[^()]*\)(?:[+*]|\{\d+,\d*\})/.test(plain) ||
    /\)[^()]*\)(?:[+*]|\{\d+,\d*\})/.test(plain)
  )
}

const patterns = new Map<string, RegExp | null>()

function patternOf(source: string): RegExp | null {
  const known = patterns.get(source)
  if (known !== undefined) return known
  let made: RegExp | null = null
  try {
    // The whole text must match, as the host asks for.
    if (!mayExplode(source)) made = new RegExp(`^(?:${source})$`, 'u')
  } catch {
    // A pattern this engine cannot read is left to the server, which has the last word anyway.
  }
  patterns.set(source, made)
  return made
}

/**
 * Refusal when the text breaks `minLength`, `maxLength` or `pattern`, else null. Lengths count code points.
 * @source D-94
 */
export function checkLength(
  text: string,
  field: FieldDefinition,
  context: FieldContext,
  defaultMax: number,
): ParseResult | null {
  if (text.includes('\0')) return refused(context, 'field.control')
  // Judged as stored: composed characters (NFC).
  const stored = text.normalize('NFC')
  const length = text.length > 1_000_000 ? text.length : [...stored].length
  const max = field.maxLength ?? defaultMax
  if (length > max) return refused(context, 'field.tooLong', { length, max })
  if (field.minLength !== undefined && length < field.minLength) {
    return refused(context, 'field.tooShort', { length, min: field.minLength })
  }
  if (field.pattern && patternOf(field.pattern)?.test(stored) === false) {
    return refused(context, 'field.pattern', { pattern: field.pattern })
  }
  return null
}
