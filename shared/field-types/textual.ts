// What the text family shares: lengths in code points, NFC, patterns, text operands. No type of its own.
import { z } from 'zod'
import { ExpressionError } from '#shared/expression/expression-error.ts'
import type { UserPattern } from '#shared/expression/user-pattern.ts'
import { compilePattern } from '#shared/expression/user-pattern.ts'
import { countCodePoints, isBlankText, normalizeText } from './code-points.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType, FieldTypeFlags, FieldTypeTraits, OperandResult, ParseEnv, ParseResult } from './field-type.ts'
import { parsed, refused } from './field-type.ts'
import type { OperatorClass } from './operator-classes.ts'

/** The definition keys of the text family. */
export const textSettings = {
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(1).max(10_000_000).optional(),
  pattern: z.string().max(1_000).optional(),
} as const

/** What differs inside the family. */
export interface TextTraits {
  readonly operators: OperatorClass
  readonly flags: FieldTypeFlags
  /** Used where the definition gives no maxLength; null for no limit. */
  readonly maxLength: number | null
  readonly settings?: FieldType['settings']
  /** True: a blank text is a missing value. */
  readonly blankIsNull?: boolean
  /** Changes a normalised text before its length is checked. */
  readonly transform?: (text: string, env: ParseEnv) => string
  /** Checks the form of a normalised text of permitted length; undefined when it is right. */
  readonly check?: (text: string, field: FieldSchema) => ParseResult | undefined
  readonly jsonSchema?: Readonly<Record<string, unknown>>
}

const patterns = new WeakMap<FieldSchema, UserPattern>()

/** Makes a field type whose value is a string. */
export function textualType(traits: TextTraits, more: FieldTypeTraits = {}): FieldType {
  const limitOf = (field: FieldSchema) => field.settings.maxLength ?? traits.maxLength
  return {
    ...more,
    storage: 'plain',
    collation: 'text',
    flags: traits.flags,
    settings: traits.settings ?? textSettings,
    blankIsNull: traits.blankIsNull ?? false,
    sqlType: () => 'TEXT',
    operators: () => traits.operators,
    parse(value, field, env) {
      if (typeof value !== 'string') return refused(field, 'invalid_type', 'The value must be text.', value)
      const normal = normalizeText(value)
      const limit = limitOf(field)
      // What is changed first may become shorter; work on what cannot become a value is spared.
      if (traits.transform !== undefined && limit !== null && normal.length > 2 * limit)
        return refused(field, 'max_length', `The text is longer than ${limit} characters.`, value, limit)
      const text = traits.transform === undefined ? normal : traits.transform(normal, env)
      // What was sent had text; what may be stored of it may have none.
      if (text !== normal && field.required && isBlankText(text)) {
        return refused(field, 'required', 'Nothing is left of the text.', value)
      }
      // SQLite's own text functions end at U+0000, so a value with one could not be found again.
      if (text.includes('\0')) return refused(field, 'invalid_format', 'The text must not have U+0000.', value)
      const tooLong = checkLength(text, field, limit)
      if (tooLong) return tooLong
      const mismatch = field.settings.pattern === undefined || text === '' ? undefined : checkPattern(text, field)
      if (mismatch) return mismatch
      return traits.check?.(text, field) ?? parsed(text)
    },
    fromText: (text) => text,
    toColumn: (value) => value as string | null,
    fromColumn: (value) => value,
    coerceOperand: (value) => coerceTextOperand(value),
    jsonSchema(field) {
      const limit = limitOf(field)
      return {
        type: 'string',
        ...(limit === null ? {} : { maxLength: limit }),
        ...textRules(field),
        ...traits.jsonSchema,
      }
    },
  }
}

/** Accepts a string operand, in NFC. */
export function coerceTextOperand(value: unknown): OperandResult {
  if (typeof value !== 'string') return { ok: false, reason: 'The operand must be text.' }
  return { ok: true, value: normalizeText(value) }
}

function checkLength(text: string, field: FieldSchema, limit: number | null): ParseResult | undefined {
  // A text has at most as many code points as UTF-16 units, so most values are never counted.
  if (limit !== null && text.length > limit && countCodePoints(text) > limit) {
    return refused(field, 'max_length', `The text is longer than ${limit} characters.`, text, limit)
  }
  const least = field.settings.minLength
  if (least !== undefined && least > 0 && !isBlankText(text) && countCodePoints(text) < least) {
    return refused(field, 'min_length', `The text is shorter than ${least} characters.`, text, least)
  }
  return undefined
}

function checkPattern(text: string, field: FieldSchema): ParseResult | undefined {
  const { pattern = '' } = field.settings
  try {
    let compiled = patterns.get(field)
    if (!compiled) patterns.set(field, (compiled = compilePattern(pattern)))
    if (compiled.covers(text)) return undefined
  } catch (error) {
    // A pattern that slipped through the check of definitions, or a text too long for it, refuses rather than lets pass.
    if (!(error instanceof ExpressionError)) throw error
    return refused(field, 'invalid_format', error.message, text, pattern)
  }
  return refused(field, 'invalid_format', 'The text does not match the pattern.', text, pattern)
}

/** The pattern and the lengths as JSON Schema, as far as its regular expressions can say them; blank texts pass both. */
function textRules(field: FieldSchema): Record<string, unknown> {
  const { minLength, pattern } = field.settings
  const rules: Record<string, unknown>[] = []
  if (minLength !== undefined && minLength > 0) rules.push({ anyOf: [{ minLength }, { pattern: '^\\s*$' }] })
  if (pattern !== undefined && isJavaScriptPattern(pattern)) {
    rules.push({ anyOf: [{ pattern: `^(?:${pattern})$` }, { maxLength: 0 }] })
  }
  if (rules.length === 0) return {}
  return rules.length === 1 ? rules[0]! : { allOf: rules }
}

function isJavaScriptPattern(pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u') instanceof RegExp
  } catch {
    return false
  }
}
