// What the types stored as JSON share: reading a list from JSON or text, the way into a column and back.
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema, SqlValue } from './field-schema.ts'
import { problem, refused } from './field-type.ts'
import type { ParseResult } from './field-type.ts'

/**
 * Checks a list element by element and refuses a value that occurs twice.
 * @param element answers the normalised element, or a problem at the given path
 */
export function parseList(
  value: unknown,
  field: FieldSchema,
  maxItems: number,
  element: (item: unknown, path: string) => string | FieldError,
): ParseResult {
  if (!Array.isArray(value)) return refused(field, 'invalid_type', 'The value must be a list.', value)
  if (value.length > maxItems) {
    return refused(field, 'max_items', `The list has more than ${maxItems} entries.`, undefined, maxItems)
  }
  const errors: FieldError[] = []
  const items = new Set<string>()
  value.forEach((item: unknown, index) => {
    const path = `${field.name}.${index}`
    const result = element(item, path)
    if (typeof result !== 'string') errors.push(result)
    else if (items.has(result))
      errors.push(problem(path, 'duplicate_value', 'The value occurs twice in the list.', item))
    else items.add(result)
  })
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: [...items] }
}

/** Splits CSV text at semicolons, or at commas when there is none; JSON arrays are read as such. */
export function splitList(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed.startsWith('[')) {
    try {
      return JSON.parse(trimmed) as unknown
    } catch {
      return undefined
    }
  }
  const separator = trimmed.includes(';') ? ';' : ','
  return trimmed
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** A JSON value as its text. */
export function jsonToColumn(value: unknown): SqlValue {
  return value === null ? null : JSON.stringify(value)
}

/** JSON text as its value; damaged text reads as null rather than failing a whole list. */
export function jsonFromColumn(value: SqlValue): unknown {
  if (value === null) return null
  try {
    return JSON.parse(String(value)) as unknown
  } catch {
    return null
  }
}
