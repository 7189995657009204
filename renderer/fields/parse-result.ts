// Owns the two answers of a parser and the rule all parsers share: blank text is null, and an error when required.
// Knows no type's own rules.

import type { FieldDefinition } from './field-definition.ts'
import type { FieldContext, ParseResult } from './field-type.ts'
import type { FieldMessageKey } from './field-messages.ts'

/** Answer of a parser that read a value. */
export function parsed(value: unknown): ParseResult {
  return { ok: true, value }
}

/** Answer of a parser that could not, in the user's words. */
export function refused(
  context: FieldContext,
  key: FieldMessageKey,
  parameters?: Record<string, string | number>,
): ParseResult {
  return { ok: false, message: context.translate(key, parameters) }
}

/** Reads non-blank text of one type. */
export type TextParser = (text: string, field: FieldDefinition, context: FieldContext) => ParseResult

/** Adds the shared rule to a parser. @source D-94: blank strings count as missing */
export function blankIsNull(parser: TextParser): TextParser {
  return (text, field, context) => {
    if (text.trim() !== '') return parser(text, field, context)
    return field.required ? refused(context, 'field.required') : parsed(null)
  }
}

/** Shortens text for a message, so that an error stays readable. */
export function quoteForMessage(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 40 ? `${line.slice(0, 39)}…` : line
}
