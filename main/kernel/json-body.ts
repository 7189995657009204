// Turns the bytes of a JSON body, or of a message of a socket, into a value, within limits that keep every later step safe:
// what is nested without end is read, and breaks whoever writes it again. Knows no route.
import { isUtf8 } from 'node:buffer'
import { validationError } from '#shared/errors.ts'
import type { FieldError, FieldErrorCode, PlatformError } from '#shared/errors.ts'

/** Deepest nesting of a body (D-02). */
export const maxDepth = 64

/** Most keys in one object (D-02). */
export const maxKeys = 10_000

/** Most values in one body, so that its tree fits in memory. */
export const maxNodes = 1_000_000

/** Bodies from this size on are counted before they are parsed: brackets take a microsecond and 100 bytes each. */
const scanFromBytes = 4_096

/**
 * Parses a JSON body; an empty one is `undefined` (D-02).
 * @throws validation_error for bytes that are no UTF-8, text that is no JSON, and what the limits refuse
 * @source D-02, D-11
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw refusal('invalid_json', '', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  if (bytes.length >= scanFromBytes) scanText(text, maxNodes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message quotes the body, so it is not passed on.
    throw refusal('invalid_json', '', 'The body is not valid JSON.')
  }
  checkValue(value)
  return value
}

/**
 * Parses JSON text that a caller brings along elsewhere than as a body: as a row, a file of an archive, a value.
 * @throws validation_error for text nested deeper than {@link maxDepth}, SyntaxError for text that is no JSON
 * @source D-408
 */
export function parseJsonText(text: string): unknown {
  scanText(text, Infinity)
  return JSON.parse(text)
}

interface Walk {
  nodes: number
  problem: { code: FieldErrorCode; message: string; constraint?: number } | null
  /** Path of the problem from the inside out. */
  path: string[]
}

function checkValue(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const walk: Walk = { nodes: 0, problem: null, path: [] }
  if (visit(value, 1, walk)) return
  const { code, message, constraint } = walk.problem!
  throw refusal(code, walk.path.toReversed().join('.'), message, constraint)
}

function visit(value: object, depth: number, walk: Walk): boolean {
  if (depth > maxDepth) return fail(walk, 'invalid_json', 'The body is nested too deeply.', maxDepth)
  if (Array.isArray(value)) {
    if ((walk.nodes += value.length) > maxNodes)
      return fail(walk, 'max_items', 'The body has too many values.', maxNodes)
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index]
      if (isSound(item, depth, walk)) continue
      walk.path.push(String(index))
      return false
    }
    return true
  }
  let keys = 0
  for (const key in value) {
    keys += 1
    const item = (value as Record<string, unknown>)[key]
    // An own "__proto__" is harmless here and dangerous wherever the object is copied.
    if (key === '__proto__') {
      walk.path.push(key)
      return fail(walk, 'not_allowed', 'The key "__proto__" is not allowed.')
    }
    if (isSound(item, depth, walk)) continue
    walk.path.push(key)
    return false
  }
  if (keys > maxKeys) return fail(walk, 'max_items', 'An object has too many keys.', maxKeys)
  if ((walk.nodes += keys) > maxNodes) return fail(walk, 'max_items', 'The body has too many values.', maxNodes)
  return true
}

function isSound(item: unknown, depth: number, walk: Walk): boolean {
  if (typeof item === 'object') return item === null || visit(item, depth + 1, walk)
  // JSON.parse makes Infinity of 1e999; D-11 knows no infinities.
  if (typeof item === 'number' && !Number.isFinite(item))
    return fail(walk, 'invalid_number', 'The number is out of range.')
  return true
}

function fail(walk: Walk, code: FieldErrorCode, message: string, constraint?: number): false {
  walk.problem = { code, message, ...(constraint === undefined ? {} : { constraint }) }
  return false
}

/** Where the string that begins at a quote ends; the length of the text for one without an end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

/** Counts brackets and commas outside strings; says nothing about validity. */
function scanText(text: string, most: number): void {
  let depth = 0
  let nodes = 0
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index)
    if (char === 34) index = endOfString(text, index)
    else if (char === 91 || char === 123) {
      nodes += 1
      if ((depth += 1) > maxDepth) throw refusal('invalid_json', '', 'The body is nested too deeply.', maxDepth)
    } else if (char === 93 || char === 125) depth -= 1
    else if (char === 44 && (nodes += 1) > most) {
      throw refusal('max_items', '', 'The body has too many values.', most)
    }
  }
  if (nodes > most) throw refusal('max_items', '', 'The body has too many values.', most)
}

function refusal(code: FieldErrorCode, field: string, message: string, constraint?: number): PlatformError {
  const error: FieldError = { field, code, message, ...(constraint === undefined ? {} : { constraint }) }
  return validationError([error])
}
